"""Hold an imported flight log against our own recording of the same session."""

from __future__ import annotations

import itertools
from typing import Any
from urllib.parse import urldefrag

import pytest

from odokit.events import Element, Event, EventKind, Request, Trajectory
from odokit.record import SnapshotFolder

TRACKED = ("a", "button", "li", "td", "input")


def check_same(
    ours: Trajectory, theirs: Trajectory, snapshots: SnapshotFolder, kept: SnapshotFolder
) -> None:
    """Compare field by field what a flight log can carry.

    Args:
        ours: Our recording.
        theirs: What became of it by way of a flight log.
        snapshots: Pages of ours.
        kept: Pages of theirs.
    """
    assert theirs.id == ours.id
    assert [e.to_url for e in theirs.events if e.kind is EventKind.LOCATION] == pages_of(ours)
    pairs = list(zip(acts_of(ours), acts_of(theirs), strict=True))
    for own, other in pairs:
        assert other.t_ms == pytest.approx(own.t_ms, abs=1.0)
        for name in ("kind", "value", "checked", "group", "editor_id", "options", "snapshot"):
            assert getattr(other, name) == getattr(own, name), f"event {own.idx}, {name}"
        assert other.request == _as_logged(own.request), f"event {own.idx}"
        assert other.response == own.response, f"event {own.idx}"
        if own.kind.is_interaction:
            assert other.url == own.url
        assert urldefrag(other.url)[0] == urldefrag(own.url)[0]
        if own.snapshot is not None:
            assert kept.get(own.snapshot) == snapshots.get(own.snapshot)
    assert _effects(theirs) == _effects(ours)
    assert _n_other_elements(pairs) <= max(1, len(pairs) // 10)


def _as_logged(request: Request | None) -> Request | None:
    """A request but for its sender; what `fetch` sends is an `xmlhttprequest` there."""
    if request is None:
        return None
    kind = "xhr" if request.resource_type == "fetch" else request.resource_type
    return request.model_copy(update={"initiator": "", "resource_type": kind})


def pages_of(trajectory: Trajectory) -> list[str]:
    """Where a flight log can tell that something happened."""
    told = [e.url for e in trajectory.events if e.kind.is_interaction or e.effects]
    return [url for url, _ in itertools.groupby(told)]


def is_tracked(element: Element) -> bool:
    """Whether LogUI listens for clicks on it or around it, by a rule that our recorder shares."""
    return element.tag in TRACKED or element.role in ("link", "button", "menuitem", "option")


def acts_of(trajectory: Trajectory) -> list[Event]:
    return [e for e in trajectory.events if e.kind.is_interaction or e.kind.is_write]


def _effects(trajectory: Trajectory) -> list[Any]:
    return [
        (x.action, x.xpath, x.tag, x.text.strip())
        for e in trajectory.events
        for x in e.effects
        if x.xpath.startswith("/html")
    ]


def _n_other_elements(pairs: list[tuple[Event, Event]]) -> int:
    """How many elements are described otherwise than by our recorder, which sees style sheets."""
    n = 0
    for own, other in pairs:
        if own.element is None or other.element is None or not is_tracked(own.element):
            continue
        names = ("tag", "xpath", "role", "name", "attributes", "landmarks")
        n += any(getattr(own.element, k) != getattr(other.element, k) for k in names)
    return n
