"""Compare two models of the same trajectories: which steps one keeps together and the other apart.

Vertices are compared as sets of steps, whatever their keys, so that rules of identity, levels of
list discovery and versions of the package can be held against each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from odokit.errors import NavModelError
from odokit.events import EventKind
from odokit.navmodel.model import NavModel


@dataclass(frozen=True)
class Grouping:
    """How one of the models groups the steps.

    Attributes:
        identity: Its rule of identity.
        n_vertices: Number of vertices.
        n_merged: Steps that share their vertex with another one.
        n_own: Vertices without an equal in the other model.
        n_own_acts: Those of them that are no page changes, whose keys follow their neighbours'.
    """

    identity: str
    n_vertices: int
    n_merged: int
    n_own: int
    n_own_acts: int


@dataclass(frozen=True)
class Regrouping:
    """A vertex of one model whose steps the other keeps in several vertices.

    Attributes:
        merged_by: Identity rule of the model that keeps them together.
        label: What the vertex is, in words.
        groups: Labels of the vertices in the other model, with their steps.
    """

    merged_by: str
    label: str
    groups: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Comparison:
    """Two models of the same trajectories held against each other.

    Attributes:
        groupings: How each of them groups the steps.
        regroupings: Where they differ, but for page changes.
    """

    groupings: tuple[Grouping, Grouping]
    regroupings: tuple[Regrouping, ...]


def compare_models(first: NavModel, second: NavModel) -> Comparison:
    """Compare two models.

    Args:
        first: A model.
        second: Another model of the same trajectories.

    Raises:
        NavModelError: They were built from different trajectories.
    """
    if set(first.timelines) != set(second.timelines):
        odd = sorted(set(first.timelines) ^ set(second.timelines))
        raise NavModelError(
            f"models {first.model_id} and {second.model_id} cannot be compared step by step: "
            f"only one has the trajectory {odd[0]}. Build both anew, or use diff_models."
        )
    return Comparison(
        (_grouping(first, second), _grouping(second, first)),
        (*_regroupings(first, second), *_regroupings(second, first)),
    )


def _grouping(model: NavModel, other: NavModel) -> Grouping:
    theirs = {frozenset(v.instances) for v in other.vertices}
    own = [v for v in model.vertices if frozenset(v.instances) not in theirs]
    return Grouping(
        identity=model.identity,
        n_vertices=len(model.vertices),
        n_merged=sum(len(v.instances) for v in model.vertices if len(v.instances) > 1),
        n_own=len(own),
        n_own_acts=sum(v.kind is not EventKind.DOM_EFFECT for v in own),
    )


def _regroupings(model: NavModel, other: NavModel) -> list[Regrouping]:
    place = {step: number for number, v in enumerate(other.vertices) for step in v.instances}
    found = []
    for vertex in model.vertices:
        if vertex.kind is EventKind.DOM_EFFECT:
            continue
        groups: dict[int, list[str]] = {}
        for step in vertex.instances:
            groups.setdefault(place[step], []).append(step)
        if len(groups) > 1:
            named = {
                f"{other.vertices[number].label} ({other.vertices[number].name})": tuple(steps)
                for number, steps in groups.items()
            }
            found.append(Regrouping(model.identity, vertex.label, named))
    return found
