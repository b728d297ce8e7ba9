"""Put the events of a flight in order, and say on which page each happened.

What a flight log does not say is found as its own tools find it: a change of location is put midway
between two events on different pages. Requests count from when they were sent, not from when they
were completed, as in our own recordings.

Source: the project's reference of the OdoX tools, sections 1.2 to 1.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import urldefrag

from pydantic import ValidationError

from odokit.errors import RecordError
from odokit.events import Event, EventKind, Gap, Header, Health, Trajectory
from odokit.record.logui.entries import Entry
from odokit.record.logui.format import Envelope, Network
from odokit.record.logui.mapping import Draft

CLOCK_JUMP_MS = 60_000.0
"""Events arrive in batches, a little out of order; more than this backwards is a changed clock."""
MAX_REQUEST_MS = 600_000.0
"""A request that claims to have taken longer is dated by its completion."""
ASSUMED = "a request's status is not stored and was taken for accepted"


@dataclass
class Flight:
    """A flight while its log is read.

    Attributes:
        drafts: Its events in the order of the log.
        gaps: How often something could not be taken over, by what and where it was first met.
        start_ms: When its first session began, in milliseconds since 1970.
    """

    drafts: list[Draft] = field(default_factory=list)
    gaps: Counter[tuple[str, str]] = field(default_factory=Counter)
    start_ms: float | None = None
    _last_ms: float = 0.0
    _offset_ms: float = 0.0

    def add(self, draft: Draft, entry: Entry) -> None:
        """Take an event in."""
        self.drafts.append(draft)
        if draft.is_assumed:
            self.note(ASSUMED, entry)

    def note(self, what: str, entry: Entry) -> None:
        """Count a gap; the place it was first met at is kept."""
        known = next((key for key in self.gaps if key[0] == what), None)
        self.gaps[known or (what, f"first in entry {entry.number} (line {entry.line})")] += 1

    def time_of(self, envelope: Envelope, entry: Entry) -> float:
        """When an event was logged, by a clock that never goes back far."""
        assert envelope.timestamps is not None
        at = envelope.timestamps.event_timestamp.timestamp() * 1000 + self._offset_ms
        if self.start_ms is None:
            self.start_ms = at - (envelope.timestamps.since_session_start_millis or 0.0)
        if at < self._last_ms - CLOCK_JUMP_MS:
            self.note("the clock was set back; the order of the log was kept", entry)
            self._offset_ms += self._last_ms - at
            at = self._last_ms
        self._last_ms = max(self._last_ms, at)
        return at

    def sent_at(self, details: Network, at_ms: float) -> float:
        """When a request was sent, which was completed at a time."""
        sent = at_ms if details.time_stamp is None else details.time_stamp + self._offset_ms
        return sent if 0 <= at_ms - sent <= MAX_REQUEST_MS else at_ms


def assemble(header: Header, flight: Flight) -> Trajectory:
    """Make a trajectory of a flight.

    Raises:
        RecordError: An event does not carry what its kind needs.
    """
    start = flight.start_ms or 0.0
    ordered = _with_locations(sorted(flight.drafts, key=lambda d: d.at_ms), start)
    page, events = "", []
    for idx, draft in enumerate(ordered):
        page = draft.base or page
        url = page if urldefrag(page)[0] == urldefrag(draft.sender)[0] else draft.sender or page
        place = {"idx": idx, "t_ms": max(0.0, draft.at_ms - start), "url": url}
        events.append(_event(header, {**draft.fields, **place}))
    gaps = tuple(Gap(what=what, where=where, n=n) for (what, where), n in flight.gaps.items())
    health = Health(
        counts=Counter(str(e.kind) for e in events),
        gaps=gaps,
        n_snapshots=len({e.snapshot for e in events if e.snapshot}),
    )
    first = next((e.url for e in events if e.url), "")
    header = header.model_copy(update={"start_url": first, "started_at": _iso(start)})
    return Trajectory(header, tuple(events), tuple(map(str, gaps)), health)


def _with_locations(drafts: Sequence[Draft], start_ms: float) -> Iterator[Draft]:
    """Insert a change of location wherever two events tell of different pages."""
    moves: list[Draft] = []
    last: Draft | None = None
    for draft in drafts:
        if not draft.base or (last is not None and last.base == draft.base):
            last = draft if draft.base else last
            continue
        at = start_ms if last is None else (last.at_ms + draft.at_ms) / 2
        before = last.base if last is not None else ""
        fields = {"kind": EventKind.LOCATION, "from_url": before, "to_url": draft.base}
        moves.append(Draft(at, draft.base, fields))
        last = draft
    # Of two at the same time the change comes first: what follows it is on the new page.
    return iter(sorted([*moves, *drafts], key=lambda d: d.at_ms))


def _event(header: Header, fields: dict[str, object]) -> Event:
    try:
        return Event.model_validate(fields)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field_name = ".".join(map(str, first["loc"])) or "(whole event)"
        raise RecordError(
            f"flight {header.trajectory_id}, event {fields['idx']}, field {field_name}: "
            f"{first['msg']}. Take the event out of the log."
        ) from error


def _iso(ms: float) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
