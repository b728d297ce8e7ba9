"""Labels to measure list discovery by: lists of data on recorded pages, and clicks that are free.

A click is free when other demonstrations of the same template picked something else at that point:
an element of another name, or one in the row of another entity. The labels of an application are
kept in `containers.yaml` beside its task file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from odokit.dom import Document, parse
from odokit.errors import TestBedError
from odokit.events import Event, EventKind, Trajectory
from odokit.substructure.quality import DataList
from odokit.tasks import LOADER
from odokit.testbeds.base import TestBed
from odokit.testbeds.containers import Entities, label_lists, show_data

CLICKS = frozenset({EventKind.CLICK, EventKind.CHECKBOX})
_ROWS = frozenset({"tr", "li", "row", "listitem"})
_HEAD = "# Made by `odokit lists label {app}`; see odokit/testbeds/containers.py and labels.py.\n"

GetSnapshot = Callable[[str], str]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LabelledList(_Entry):
    """A list of data on a page."""

    container: str
    """Absolute xpath."""
    tag: str
    """Tag of the children that are its items."""
    kind: str
    """What each item shows."""


class PageLabels(_Entry):
    """What is known of one snapshot."""

    lists: tuple[LabelledList, ...]
    """Its lists of data."""
    data: tuple[int, ...]
    """Numbers of the elements, in document order, whose own text shows an entity."""


class Labels(_Entry):
    """The labels of one application's demonstrations."""

    snapshots: dict[str, PageLabels]
    """By content hash; pages that show at least two entities."""
    clicks: dict[str, dict[int, Literal["free", "fixed"]]]
    """By demonstration and number of the event."""


def labels_path(testbed: TestBed) -> Path:
    """Where the labels of a test bed are kept."""
    return testbed.tasks_path.with_name("containers.yaml")


def read_labels(testbed: TestBed) -> Labels:
    """Read the labels of a test bed.

    Raises:
        TestBedError: The file is missing or malformed.
    """
    path = labels_path(testbed)
    try:
        return Labels.model_validate(yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER))
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise TestBedError(
            f"the labels in {path} cannot be read ({error}); make them anew with "
            f"`odokit lists label {testbed.name}`."
        ) from error


def write_labels(testbed: TestBed, labels: Labels) -> Path:
    """Write the labels of a test bed; returns the file."""
    path = labels_path(testbed)
    text = yaml.safe_dump(
        labels.model_dump(), sort_keys=True, width=10_000, default_flow_style=None
    )
    path.write_text(_HEAD.format(app=testbed.name) + text, encoding="utf-8")
    return path


def label_pages(
    demonstrations: Iterable[Trajectory], get_snapshot: GetSnapshot, entities: Entities
) -> dict[str, PageLabels]:
    """Label the snapshots of demonstrations that show at least two entities."""
    hashes = {e.snapshot for t in demonstrations for e in t.events if e.snapshot}
    found: dict[str, PageLabels] = {}
    for key in sorted(hashes):
        document = parse(get_snapshot(key))
        data = show_data(document, entities)
        if len(data) > 1:
            lists = (
                LabelledList(container=x.container, tag=x.tag, kind=x.kind)
                for x in label_lists(document, entities)
            )
            found[key] = PageLabels(lists=tuple(lists), data=data)
    return found


def label_clicks(
    demonstrations: Sequence[Trajectory], get_snapshot: GetSnapshot, entities: Entities
) -> dict[int, Literal["free", "fixed"]]:
    """Label the clicks of a template's first demonstration by what the others did instead.

    Args:
        demonstrations: Of one template, with different values; at least two.
        get_snapshot: Gives the HTML of a snapshot of any of them.
        entities: What the application holds.

    Returns:
        By number of the event. Empty when the demonstrations took different numbers of clicks, so
        that nobody can tell which belong together; a click is left out when its elements have
        different roles.
    """
    walks = [[e for e in t.events if e.kind in CLICKS and e.element] for t in demonstrations]
    if len({len(walk) for walk in walks}) > 1:
        return {}
    page = cache(lambda key: parse(get_snapshot(key)))
    labels: dict[int, Literal["free", "fixed"]] = {}
    for together in zip(*walks, strict=True):
        elements = [event.element for event in together if event.element]
        if len({(element.role, element.tag) for element in elements}) > 1:
            continue
        names = {element.name for element in elements}
        rows = {_row_entities(event, page, entities) for event in together}
        labels[together[0].idx] = "free" if len(names) > 1 or len(rows) > 1 else "fixed"
    return labels


def as_data_lists(labels: PageLabels) -> tuple[DataList, ...]:
    """The lists of a labelled page as list discovery is scored on."""
    return tuple(DataList(x.container, x.tag, x.kind) for x in labels.lists)


def _row_entities(
    event: Event, page: Callable[[str], Document], entities: Entities
) -> frozenset[tuple[str, str]]:
    """The entities that the row around an element shows."""
    if event.element is None or not event.snapshot or event.element.frame:
        return frozenset()
    document = page(event.snapshot)
    row = _row(document, document.find(event.element.xpath))
    if row is None:
        return frozenset()
    below = range(row, int(document.ends[row]))
    return frozenset(entity for i in below for entity in _named(document, i, entities))


def _row(document: Document, index: int | None) -> int | None:
    while index is not None and index >= 0:
        if {document.tags[index], document.roles.get(index, "")} & _ROWS:
            return index
        index = int(document.parent[index])
    return None


def _named(document: Document, index: int, entities: Entities) -> Iterator[tuple[str, str]]:
    text = " ".join(document.nodes[index].text(deep=False).split()).casefold()
    yield from entities.get(text, ())
