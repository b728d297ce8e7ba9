"""Import flight logs: check the whole log, then write one recording a flight.

A log is read twice. The first pass checks every event and learns what was typed into password
fields, so that a faulty log leaves nothing behind and a secret is known wherever it is stored; the
second maps the events. Pages go to disk as they are met, so memory holds the events only.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from odokit import __version__
from odokit.errors import RecordError
from odokit.events import Gap, Header, Trajectory, read_recording, write_recording
from odokit.record.logui.entries import Entry, iter_entries
from odokit.record.logui.flight import Flight, assemble
from odokit.record.logui.format import Action, Details, Editor, Envelope, Network, parse_envelope
from odokit.record.logui.kinds import Entered, is_secret, parse_kind
from odokit.record.logui.mapping import Mapper, read_value
from odokit.record.redact import MIN_LEARNT_CHARS, PLACEHOLDER, Redactor
from odokit.record.snapshots import SnapshotFolder

logger = logging.getLogger(__name__)

_SAFE_ID = re.compile(r"\w[\w.-]{0,127}")


@dataclass(frozen=True)
class Imported:
    """What became of one flight."""

    path: Path
    """Its recording."""
    n_events: int
    """Events of the recording."""
    n_snapshots: int
    """Different pages."""
    gaps: tuple[str, ...]
    """What could not be taken over."""


@dataclass(frozen=True)
class _Read:
    """An event of a log: where it stands, which flight it belongs to, what it says."""

    entry: Entry
    envelope: Envelope
    flight_id: str
    details: Details | Gap


def import_flights(
    paths: Sequence[Path], out: Path, *, app: str = "", task: str = ""
) -> list[Imported]:
    """Turn flight logs into recordings, one a flight.

    Args:
        paths: LogUI's downloads (`logui-<flight>.log`), or dumps of its Elasticsearch index.
        out: Receives `<flight>.jsonl.zst` and `snapshots/`.
        app: Name of the application.
        task: What was demonstrated, in words; a log does not say.

    Returns:
        One for each flight, in the order of the logs.

    Raises:
        RecordError: A log is faulty, holds no interaction, or its flight is there already with
            other content. No recording of that log was written; those of logs before it were.
    """
    done: list[Imported] = []
    for path in paths:
        redactor = _check(path)
        logger.info("%s is sound, %d secrets of it will be left out", path, redactor.n_learnt)
        mapper = Mapper(SnapshotFolder(out / "snapshots"), redactor)
        recorder = f"LogUI, imported by odokit {__version__}"
        made = [
            assemble(Header(trajectory_id=i, task=task, app=app, recorder=recorder), flight)
            for i, flight in _map(path, mapper).items()
        ]
        targets = [_target(path, out, trajectory) for trajectory in made]
        for target, trajectory in zip(targets, made, strict=True):
            write_recording(target, trajectory)
            n_snapshots = len({e.snapshot for e in trajectory.events if e.snapshot})
            done.append(Imported(target, len(trajectory.events), n_snapshots, trajectory.gaps))
    return done


def _iter_log(path: Path) -> Iterator[_Read]:
    """Every event of a log that belongs to a session and a time, as the log's own tools demand."""
    for entry in iter_entries(path):
        envelope = parse_envelope(entry)
        flight_id = envelope.flight_id or path.stem.removeprefix("logui-")
        if not _SAFE_ID.fullmatch(flight_id):
            raise RecordError(
                f"{entry.where}, field flightID: {flight_id[:80]!r} cannot name a file. Use "
                "letters, digits, '.', '_' and '-'."
            )
        details = parse_kind(entry, envelope)
        if details is None:
            continue
        if envelope.timestamps is None or envelope.session_id is None:
            missing = "timestamps" if envelope.timestamps is None else "sessionID"
            details = Gap(what=f"an event without {missing}")
        yield _Read(entry, envelope, flight_id, details)


def _check(path: Path) -> Redactor:
    """Check a whole log; learn the secrets that were typed, or sent under a secret name."""
    redactor = Redactor()
    typed: dict[str, list[str]] = {}
    n_actions = 0
    for read in _iter_log(path):
        if isinstance(read.details, Action):
            n_actions += 1
        if isinstance(read.details, Entered) and is_secret(read.details):
            typed.setdefault(read.details.xpath, []).append(read_value(read.envelope) or "")
        if isinstance(read.details, Network):
            redactor.learn_keyed(read.details.request_body)
    if not n_actions:
        raise RecordError(
            f"{path} holds no click, entry or choice, so there is nothing to import. Check that "
            "it is the log of a flight in which something was done."
        )
    for secret in (s for values in typed.values() for s in _whole(values)):
        redactor.learn(secret)
    return redactor


def _whole(values: Sequence[str]) -> Iterator[str]:
    """What was typed in the end: a keystroke's value that another goes on from is only a part."""
    for value in values:
        is_part = any(other != value and other.startswith(value) for other in values)
        if len(value) >= MIN_LEARNT_CHARS and not is_part and not PLACEHOLDER.fullmatch(value):
            yield value


def _map(path: Path, mapper: Mapper) -> dict[str, Flight]:
    flights: dict[str, Flight] = {}
    for read in _iter_log(path):
        flight = flights.setdefault(read.flight_id, Flight())
        if isinstance(read.details, Gap):
            flight.note(read.details.what, read.entry)
            continue
        at = flight.time_of(read.envelope, read.entry)
        if isinstance(read.details, Network):
            at = flight.sent_at(read.details, at)
        elif _says_nothing(read):
            flight.note("an entry without its text", read.entry)
            continue
        draft = mapper.draft(read.details, read.envelope, at)
        if draft is not None:
            flight.add(draft, read.entry)
    return flights


def _says_nothing(read: _Read) -> bool:
    if isinstance(read.details, Editor):
        return not (read.details.editor_content or read.details.value)
    return isinstance(read.details, Entered) and read_value(read.envelope) is None


def _target(log: Path, out: Path, trajectory: Trajectory) -> Path:
    """Where a flight's recording goes; what is there already is not overwritten."""
    path = out / f"{trajectory.id}.jsonl.zst"
    if path.exists() and read_recording(path) != trajectory:
        raise RecordError(
            f"{log}: flight {trajectory.id} is in {path} already, with other content. Move that "
            "file away, or choose another folder."
        )
    return path
