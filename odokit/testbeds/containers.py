"""Label the lists of data on recorded pages by what the application itself holds.

A container is labelled when at least two of its children of one tag each show exactly one entity of
a kind - these rows are the classes, these cards the products - and no two the same. What is asked
of the application is in `entities.yaml` beside the task file: for each kind a query that gives ids
and texts.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

import yaml
from pydantic import RootModel, ValidationError

from odokit.dom import Document
from odokit.errors import TestBedError
from odokit.substructure.quality import DataList
from odokit.tasks import LOADER
from odokit.testbeds.base import TestBed

Entities = Mapping[str, frozenset[tuple[str, str]]]
"""By text, folded: the entities it may name, as kind and id. A text that several entities of a kind
share stands for itself."""


class _Queries(RootModel[dict[str, str]]):
    """A query by kind of entity."""


def read_entities(testbed: TestBed) -> Entities:
    """Ask a provisioned application for everything its pages list.

    Raises:
        TestBedError: `entities.yaml` is missing or malformed, or a query failed.
    """
    path = testbed.tasks_path.with_name("entities.yaml")
    try:
        queries = _Queries(yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)).root
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise TestBedError(
            f"{path} must map each kind of entity to a query for ids and texts: {error}."
        ) from error
    named: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for kind, query in queries.items():
        ids: defaultdict[str, set[str]] = defaultdict(set)
        for number, text in testbed.query(query, {}):
            ids[_folded(str(text))].add(str(number))
        for text, numbers in ids.items():
            named[text].add((kind, min(numbers) if len(numbers) == 1 else text))
    return {text: frozenset(entities) for text, entities in named.items() if text}


def label_lists(document: Document, entities: Entities) -> tuple[DataList, ...]:
    """Find the containers whose children each show one entity of a kind.

    An item may hold a list of its own: what that list shows is not counted for the item.

    Args:
        document: A parsed snapshot.
        entities: What `read_entities` gives.

    Returns:
        In document order of the containers.
    """
    shown = [set(entities.get(_own_text(document, i), ())) for i in range(len(document))]
    found: list[DataList] = []
    for parent in range(len(document) - 1, -1, -1):
        by_tag: defaultdict[str, list[int]] = defaultdict(list)
        for child in document.children[parent]:
            by_tag[document.tags[child]].append(child)
        for tag, members in by_tag.items():
            kind = _kind_listed([shown[m] for m in members])
            if kind is not None:
                found.append(DataList(document.xpath(parent), tag, kind))
            shown[parent] |= {e for m in members for e in shown[m] if e[0] != kind}
    return tuple(reversed(found))


def show_data(document: Document, entities: Entities) -> tuple[int, ...]:
    """Elements that show an entity by their own text."""
    return tuple(i for i in range(len(document)) if _own_text(document, i) in entities)


def _own_text(document: Document, index: int) -> str:
    return _folded(document.nodes[index].text(deep=False))


def _kind_listed(members: list[set[tuple[str, str]]]) -> str | None:
    """The kind of which at least two members show one entity each, and none shows two."""
    counts: Counter[str] = Counter()
    several: set[str] = set()
    seen: set[tuple[str, str]] = set()
    for entities in members:
        kinds = Counter(kind for kind, _ in entities)
        several |= {kind for kind, n in kinds.items() if n > 1}
        counts.update({kind for kind, number in entities - seen})
        seen |= entities
    good = [kind for kind, n in counts.items() if n > 1 and kind not in several]
    return max(good, key=lambda kind: counts[kind], default=None)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()
