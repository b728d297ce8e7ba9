"""From raw events to a clean timeline: one step for each thing that was done or that happened.

Pure: the same trajectory always gives the same timeline, and cleaning a clean one changes nothing.

1. Keystrokes in one field become one entry, even when the page reacted in between.
2. A click repeated on the same element within `DOUBLE_CLICK_MS` is one click; a double click that
   follows its clicks stands for them.
3. DOM effects between two other steps become one effect.
4. Locations that follow each other with nothing done in between (redirects) become the last one.
5. What the application does is tied to the interaction that caused it: the latest one in its tab
   at most `CAUSE_MS` before. A write that its source sends at regular intervals, and once at least
   with nothing done before, has no cause: a poll that comes after a click by chance.

Over many timelines `write_frequency` tells the application's noise from what users cause.

Source: paper, section III-A; the reference's preprocessing, with its defects 1, 3 and 7 mended.
"""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from odokit.events import Event, EventKind, Gesture, Trajectory

DOUBLE_CLICK_MS = 400.0
CAUSE_MS = 3000.0
POLL_MIN_SENDS = 3
POLL_SPREAD = 0.2
"""Most that the gaps between a poll's requests differ from their median, as a share of it."""
NOISE_SHARE = 0.5
NOISE_MIN_SEEN = 4
ENTRIES = frozenset({EventKind.DATA_ENTRY, EventKind.RICH_TEXT})


@dataclass(frozen=True)
class Step:
    """One step of a timeline.

    Attributes:
        idx: Position in the timeline, from 0.
        event: The event, merged from one or more raw ones. Its `idx` is that of the first, of
            several locations that of the last. The time of an entry is that of its last keystroke.
        cause: Position of the interaction that caused it, for what the application did.
        raw: Indexes of the raw events it was made from, ascending.
    """

    idx: int
    event: Event
    cause: int | None = None
    raw: tuple[int, ...] = ()


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


@dataclass(frozen=True)
class WriteFrequency:
    """How often a write came, and how often with nothing done before it.

    Attributes:
        n: Times it was seen.
        n_uncaused: Times it had no cause.
        n_with: Trajectories it was seen in.
        n_trajectories: All trajectories.
    """

    n: int
    n_uncaused: int
    n_with: int
    n_trajectories: int

    @property
    def is_noise(self) -> bool:
        """Whether it belongs to no task.

        It comes with most trajectories, whatever they do, or mostly with nothing done before it.
        Where fewer than four were seen, frequency says nothing, and no write is noise.
        """
        share = self.n_with / max(1, self.n_trajectories)
        is_everywhere = self.n_trajectories >= NOISE_MIN_SEEN and share > NOISE_SHARE
        return is_everywhere or (self.n >= NOISE_MIN_SEEN and 2 * self.n_uncaused > self.n)


def write_frequency(seen: Collection[tuple[str, Step]], n_trajectories: int) -> WriteFrequency:
    """Count one kind of write over trajectories.

    Args:
        seen: Trajectory id and step of each time it came.
        n_trajectories: Number of all trajectories, with and without it.
    """
    return WriteFrequency(
        n=len(seen),
        n_uncaused=sum(step.cause is None for _, step in seen),
        n_with=len({trajectory for trajectory, _ in seen}),
        n_trajectories=n_trajectories,
    )


@dataclass(frozen=True)
class _Piece:
    """An event with the indexes of the raw events in it."""

    event: Event
    raw: tuple[int, ...]

    def joined(self, other: _Piece, **changed: Any) -> _Piece:
        """This piece with another's raw events and some fields of the event changed."""
        return _Piece(self.event.model_copy(update=changed), (*self.raw, *other.raw))


def build_timeline(trajectory: Trajectory) -> Timeline:
    """Clean a trajectory into its timeline."""
    pieces = [_Piece(event, (event.idx,)) for event in trajectory.events]
    for merge in (_merge_entries, _merge_clicks, _merge_effects, _merge_locations):
        pieces = merge(pieces)
    steps = [Step(i, p.event, raw=tuple(sorted(p.raw))) for i, p in enumerate(pieces)]
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
    if a.element is None or b.element is None or a.tab != b.tab:
        return False
    return (a.element.xpath, a.element.frame, a.element.shadow) == (
        b.element.xpath,
        b.element.frame,
        b.element.shadow,
    )


def _merge_entries(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Fold every entry into the open entry on the same field; another interaction closes it."""
    merged: list[_Piece] = []
    open_at: int | None = None
    for piece in pieces:
        event = piece.event
        if event.kind in ENTRIES:
            if open_at is not None and _same_element(merged[open_at].event, event):
                # It lasts until its last keystroke, and what follows is counted from there.
                last = {"value": event.value, "t_ms": event.t_ms, "files": event.files}
                merged[open_at] = merged[open_at].joined(piece, **last)
                continue
            open_at = len(merged)
        elif event.kind.is_interaction or event.kind is EventKind.LOCATION:
            open_at = None
        merged.append(piece)
    return merged


def _fold(
    pieces: Iterable[_Piece], join: Callable[[_Piece, _Piece], _Piece | None]
) -> list[_Piece]:
    """Merge neighbours for which `join` gives a piece."""
    merged: list[_Piece] = []
    for piece in pieces:
        joined = join(merged[-1], piece) if merged else None
        if joined is None:
            merged.append(piece)
        else:
            merged[-1] = joined
    return merged


def _merge_clicks(pieces: Sequence[_Piece]) -> list[_Piece]:
    def join(a: _Piece, b: _Piece) -> _Piece | None:
        first, second = a.event, b.event
        if first.kind is not EventKind.CLICK or second.kind is not EventKind.CLICK:
            return None
        near = second.t_ms - first.t_ms <= DOUBLE_CLICK_MS and _same_element(first, second)
        if not near or first.gesture is not Gesture.CLICK:
            return None
        if second.gesture not in (Gesture.CLICK, Gesture.DOUBLE):
            return None
        return a.joined(b, gesture=second.gesture, dialogs=first.dialogs + second.dialogs)

    return _fold(pieces, join)


def _merge_effects(pieces: Sequence[_Piece]) -> list[_Piece]:
    def join(a: _Piece, b: _Piece) -> _Piece | None:
        if a.event.kind is not EventKind.DOM_EFFECT or b.event.kind is not EventKind.DOM_EFFECT:
            return None
        return a.joined(b, effects=a.event.effects + b.event.effects)

    return _fold(pieces, join)


def _merge_locations(pieces: Sequence[_Piece]) -> list[_Piece]:
    """Keep the last of several locations between which only the page itself changed."""
    merged: list[_Piece] = []
    pending: int | None = None
    for piece in pieces:
        if piece.event.kind is EventKind.LOCATION:
            if pending is not None and merged[pending].event.tab == piece.event.tab:
                first = merged.pop(pending)
                piece = piece.joined(first, from_url=first.event.from_url)
            pending = len(merged)
        elif piece.event.kind is not EventKind.DOM_EFFECT:
            pending = None
        merged.append(piece)
    return _merge_effects(merged)


def _with_causes(steps: Sequence[Step]) -> Iterable[Step]:
    polls = _polls(steps)
    done: list[Step] = []
    for step in steps:
        if step.event.kind.is_interaction:
            done.append(step)
            yield step
            continue
        cause = None if step.idx in polls else _cause(step.event, done)
        yield step if cause is None else replace(step, cause=cause.idx)


def _cause(event: Event, done: Sequence[Step]) -> Step | None:
    """The latest interaction within the window, of the same tab if there is one."""
    recent = list(
        itertools.takewhile(lambda s: event.t_ms - s.event.t_ms <= CAUSE_MS, reversed(done))
    )
    if event.kind.is_write:
        # Moving over something sends nothing where something was clicked or entered as well.
        recent = [s for s in recent if s.event.gesture is not Gesture.HOVER] or recent
    same_tab = [s for s in recent if s.event.tab == event.tab]
    return next(iter(same_tab or recent), None)


def _polls(steps: Sequence[Step]) -> frozenset[int]:
    """Positions of the writes that their source sends by the clock.

    A source is what sent it, as far as recorded, with method and address.
    """
    done: list[Step] = []
    sends: defaultdict[tuple[str, ...], list[tuple[Step, bool]]] = defaultdict(list)
    for step in steps:
        request = step.event.request
        if step.event.kind.is_interaction:
            done.append(step)
        elif request is not None:
            source = (request.initiator, request.method, request.url, request.operation)
            sends[source].append((step, _cause(step.event, done) is None))
    return frozenset(
        step.idx
        for sent in sends.values()
        if any(alone for _, alone in sent) and _is_regular([s.event.t_ms for s, _ in sent])
        for step, _ in sent
    )


def _is_regular(times: Sequence[float]) -> bool:
    """Whether at least three times follow each other at nearly equal distances."""
    if len(times) < POLL_MIN_SENDS:
        return False
    gaps = [b - a for a, b in itertools.pairwise(times)]
    middle = statistics.median(gaps)
    return middle > 0 and all(abs(gap - middle) <= POLL_SPREAD * middle for gap in gaps)
