"""From raw events to a clean timeline: one step for each thing that was done or that happened.

Pure: the same trajectory always gives the same timeline, and cleaning a clean one changes nothing.

1. Keystrokes in one field become one entry, even when the page reacted in between.
2. A click repeated on the same element within `DOUBLE_CLICK_MS` is one click.
3. DOM effects between two other steps become one effect.
4. Locations that follow each other with nothing done in between (redirects) become the last one.
5. A write is tied to the interaction that caused it: the latest one at most `CAUSE_MS` before.

Source: paper, section III-A; the reference's preprocessing, with its defects 1, 3 and 7 mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from odokit.events import Event, EventKind, Trajectory

DOUBLE_CLICK_MS = 400.0
CAUSE_MS = 3000.0
ENTRIES = frozenset({EventKind.DATA_ENTRY, EventKind.RICH_TEXT})


@dataclass(frozen=True)
class Step:
    """One step of a timeline.

    Attributes:
        idx: Position in the timeline, from 0.
        event: The event, merged from one or more raw ones; its `idx` is that of the first. The
            time of an entry is that of its last keystroke.
        cause: Position of the interaction that caused it, for what the application did.
    """

    idx: int
    event: Event
    cause: int | None = None


@dataclass(frozen=True)
class Timeline:
    """The clean steps of a trajectory."""

    trajectory: Trajectory
    steps: tuple[Step, ...]

    @property
    def id(self) -> str:
        """The trajectory's id."""
        return self.trajectory.id

    def step_id(self, idx: int) -> str:
        """Id of a step: trajectory id and timeline index joined by `#`."""
        return self.trajectory.event_id(idx)


def build_timeline(trajectory: Trajectory) -> Timeline:
    """Clean a trajectory into its timeline."""
    events = list(trajectory.events)
    for merge in (_merge_entries, _merge_clicks, _merge_effects, _merge_locations):
        events = merge(events)
    steps = [Step(i, e) for i, e in enumerate(events)]
    return Timeline(trajectory, tuple(_with_causes(steps)))


def was_accepted(event: Event) -> bool:
    """Whether the application did what a write asked: status 2xx or 3xx, and no GraphQL error."""
    response, request = event.response, event.request
    if response is None or request is None or not 200 <= response.status < 400:
        return False
    return not (request.operation and graphql_refused(response.body))


def graphql_refused(body: Any) -> bool:
    """Whether an answer, or one of a batch, reports an error although its status is 200."""
    if isinstance(body, list):
        return any(map(graphql_refused, body))
    if not isinstance(body, dict):
        return False
    results = (body.get("data") or {}).values()
    return bool(body.get("errors")) or any(map(_is_error, results))


def _is_error(result: Any) -> bool:
    """Whether the result of a mutation, or one of its results, is an error or carries some."""
    if isinstance(result, list):
        return any(map(_is_error, result))
    if not isinstance(result, dict):
        return False
    return str(result.get("__typename", "")).endswith("Error") or bool(result.get("errors"))


def _same_element(a: Event, b: Event) -> bool:
    if a.element is None or b.element is None:
        return False
    return (a.element.xpath, a.element.frame, a.element.shadow) == (
        b.element.xpath,
        b.element.frame,
        b.element.shadow,
    )


def _merge_entries(events: Sequence[Event]) -> list[Event]:
    """Fold every entry into the open entry on the same field; another interaction closes it."""
    merged: list[Event] = []
    open_at: int | None = None
    for event in events:
        if event.kind in ENTRIES:
            if open_at is not None and _same_element(merged[open_at], event):
                # It lasts until its last keystroke, and what follows is counted from there.
                last = {"value": event.value, "t_ms": event.t_ms}
                merged[open_at] = merged[open_at].model_copy(update=last)
                continue
            open_at = len(merged)
        elif event.kind.is_interaction or event.kind is EventKind.LOCATION:
            open_at = None
        merged.append(event)
    return merged


def _fold(events: Iterable[Event], join: Callable[[Event, Event], Event | None]) -> list[Event]:
    """Merge neighbours for which `join` gives an event."""
    merged: list[Event] = []
    for event in events:
        joined = join(merged[-1], event) if merged else None
        if joined is None:
            merged.append(event)
        else:
            merged[-1] = joined
    return merged


def _merge_clicks(events: Sequence[Event]) -> list[Event]:
    def join(a: Event, b: Event) -> Event | None:
        both = a.kind is EventKind.CLICK and b.kind is EventKind.CLICK
        return a if both and _same_element(a, b) and b.t_ms - a.t_ms <= DOUBLE_CLICK_MS else None

    return _fold(events, join)


def _merge_effects(events: Sequence[Event]) -> list[Event]:
    def join(a: Event, b: Event) -> Event | None:
        if a.kind is not EventKind.DOM_EFFECT or b.kind is not EventKind.DOM_EFFECT:
            return None
        return a.model_copy(update={"effects": a.effects + b.effects})

    return _fold(events, join)


def _merge_locations(events: Sequence[Event]) -> list[Event]:
    """Keep the last of several locations between which only the page itself changed."""
    merged: list[Event] = []
    pending: int | None = None
    for event in events:
        if event.kind is EventKind.LOCATION:
            if pending is not None:
                first = merged.pop(pending)
                event = event.model_copy(update={"from_url": first.from_url})
            pending = len(merged)
        elif event.kind is not EventKind.DOM_EFFECT:
            pending = None
        merged.append(event)
    return _merge_effects(merged)


def _with_causes(steps: Iterable[Step]) -> Iterable[Step]:
    last: Step | None = None
    for step in steps:
        if step.event.kind.is_interaction:
            last = step
            yield step
        elif last is not None and step.event.t_ms - last.event.t_ms <= CAUSE_MS:
            yield replace(step, cause=last.idx)
        else:
            yield step
