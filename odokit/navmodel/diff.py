"""Say what changed from one model to another: after more demonstrations, or another release."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from odokit.navmodel.model import NavModel

CHANGES = ("added", "removed", "changed", "same")

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class ModelDiff:
    """What two models have in common and what not; vertices are matched by name, a hash of the key.

    Attributes:
        first_id: Id of the first model.
        second_id: Id of the second model.
        vertices: One row a vertex: change, kind, label, name, n_first and n_second (instances).
            `changed` means that only these numbers differ.
        edges: One row an edge: change, source, target (labels), n_first and n_second (times).
    """

    first_id: str
    second_id: str
    vertices: pl.DataFrame
    edges: pl.DataFrame

    @property
    def is_empty(self) -> bool:
        """Whether nothing changed."""
        return all(set(f["change"]) <= {"same"} for f in (self.vertices, self.edges))

    def counts(self) -> pl.DataFrame:
        """Count the changes.

        Returns:
            One row for vertices and one for edges: what, added, removed, changed, same.
        """
        found = {"vertices": self.vertices["change"], "edges": self.edges["change"]}
        return pl.DataFrame(
            [
                {"what": what} | {change: changes.to_list().count(change) for change in CHANGES}
                for what, changes in found.items()
            ]
        )


def diff_models(first: NavModel, second: NavModel) -> ModelDiff:
    """Compare two models by their vertices' names, whatever they were built from.

    Models of different identity rules, or whose address templates differ, share few names.
    """
    known = {v.name: v for model in (first, second) for v in model.vertices}
    vertices = [
        (change, known[name].kind.value, known[name].label, name, n_first, n_second)
        for name, change, n_first, n_second in _changes(_instances(first), _instances(second))
    ]
    edges = [
        (change, known[source].label, known[target].label, n_first, n_second)
        for (source, target), change, n_first, n_second in _changes(_times(first), _times(second))
    ]
    return ModelDiff(
        first.model_id,
        second.model_id,
        _frame(vertices, ("change", "kind", "label", "name")),
        _frame(edges, ("change", "source", "target")),
    )


def _instances(model: NavModel) -> dict[str, int]:
    return {v.name: len(v.instances) for v in model.vertices}


def _times(model: NavModel) -> dict[tuple[str, str], int]:
    names = [v.name for v in model.vertices]
    return {(names[a], names[b]): count for (a, b), (count, _) in model.edges.items()}


def _changes(old: Mapping[K, int], new: Mapping[K, int]) -> Iterator[tuple[K, str, int, int]]:
    """Each key with what became of it and its counts, what was there first."""
    for key in dict.fromkeys((*old, *new)):
        before, after = old.get(key, 0), new.get(key, 0)
        if key not in old:
            change = "added"
        elif key not in new:
            change = "removed"
        else:
            change = "same" if before == after else "changed"
        yield key, change, before, after


def _frame(rows: Sequence[tuple[object, ...]], texts: Sequence[str]) -> pl.DataFrame:
    numbers = dict.fromkeys(("n_first", "n_second"), pl.Int64)
    schema = dict.fromkeys(texts, pl.String) | numbers
    return pl.DataFrame(rows, schema=schema, orient="row")
