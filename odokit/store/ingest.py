"""Take recordings in: one transaction a trajectory, each at most once, whole or not at all."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import duckdb
import orjson

from odokit.errors import RecordError, StoreError
from odokit.events import (
    Event,
    EventKind,
    Header,
    Health,
    Trajectory,
    dump_header,
    dump_line,
    read_recording,
)
from odokit.record.extension import EXPORT_SUFFIX
from odokit.record.snapshots import SnapshotFolder, page_key
from odokit.store.connect import Advance, first_row, transaction, wrapped
from odokit.store.rows import EventRow, TrajectoryRow
from odokit.store.snapshots import SnapshotTable
from odokit.store.table import insert_rows, select_rows


@dataclass(frozen=True)
class IngestReport:
    """What became of a folder of recordings."""

    n_new: int
    """Trajectories taken in."""
    n_known: int
    """Trajectories that were there already, with the same content."""
    n_events: int
    """Events taken in."""
    n_snapshots: int
    """Snapshots taken in."""
    seconds: float
    """Wall time."""


@dataclass(frozen=True)
class Added:
    """What one trajectory added."""

    n_events: int
    """Its events."""
    n_snapshots: int
    """Its snapshots that were not stored before."""


def ingest_trajectory(
    connection: duckdb.DuckDBPyConnection,
    table: SnapshotTable,
    trajectory: Trajectory,
    snapshots: SnapshotFolder | None,
    *,
    replace: bool = False,
) -> Added | None:
    """Store a trajectory with the snapshots it names; None when it is stored already.

    Raises:
        StoreError: Another trajectory has its id, or a snapshot is missing or damaged; nothing was
            written.
    """
    events = trajectory.events
    lines = [dump_line(event) for event in events]
    content_hash = _content_hash(trajectory, lines)
    with wrapped(f"look up trajectory {trajectory.id}"):
        known = _known_hash(connection, trajectory.id)
        if known == content_hash:
            return None
        if known is not None and not replace:
            raise StoreError(
                f"trajectory {trajectory.id} is stored already with other content. Give the new "
                "recording another id, or ingest into a new store."
            )
        addresses: dict[str, str] = {}
        for event in events:
            if event.snapshot is not None:
                addresses.setdefault(event.snapshot, event.url)
        missing = table.find_missing(addresses)
    row = _trajectory_row(trajectory, content_hash)
    rows = [_event_row(trajectory.id, e, x) for e, x in zip(events, lines, strict=True)]
    with ExitStack() as undo:
        undo.callback(table.forget)
        with transaction(connection, f"ingest trajectory {trajectory.id}"):
            if known is not None:
                _forget(connection, trajectory.id)
            insert_rows(connection, [row])
            table.add(
                ((key, page_key(addresses[key])) for key in missing),
                lambda key: _get(trajectory, key, snapshots),
            )
            insert_rows(connection, rows)
        undo.pop_all()
    return Added(len(events), len(missing))


def ingest_folder(
    connection: duckdb.DuckDBPyConnection,
    table: SnapshotTable,
    folder: Path,
    *,
    replace: bool,
    advance: Advance,
) -> IngestReport:
    """Store every recording of a folder; see `EventStore.ingest_folder`."""
    began = time.monotonic()
    found = [*folder.glob("*.jsonl.zst"), *folder.glob("*.jsonl")]
    paths = sorted((p for p in found if not p.name.endswith(EXPORT_SUFFIX)), key=lambda p: p.name)
    if not paths:
        raise StoreError(
            f"{folder} holds no recordings (*.jsonl.zst, *.jsonl); record demonstrations first."
        )
    snapshots = SnapshotFolder(folder / "snapshots")
    added: list[Added | None] = []
    problems: list[str] = []
    for number, path in enumerate(paths, start=1):
        try:
            trajectory = read_recording(path)
            added.append(
                ingest_trajectory(connection, table, trajectory, snapshots, replace=replace)
            )
        except RecordError as error:
            problems.append(str(error))
        except StoreError as error:
            problems.append(f"{path}: {error}")
        advance(path.name, number / len(paths))
    if problems:
        raise StoreError(
            f"{len(problems)} of the {len(paths)} recordings in {folder} were refused, the others "
            f"are stored: {' '.join(problems)}"
        )
    new = [a for a in added if a is not None]
    return IngestReport(
        n_new=len(new),
        n_known=len(added) - len(new),
        n_events=sum(a.n_events for a in new),
        n_snapshots=sum(a.n_snapshots for a in new),
        seconds=round(time.monotonic() - began, 3),
    )


def read_trajectories(
    connection: duckdb.DuckDBPyConnection, ids: Sequence[str] | None
) -> list[Trajectory]:
    """Trajectories as they were ingested: those named, in that order, or all by id.

    Raises:
        StoreError: An id is unknown.
    """
    chosen, parameters = ("", []) if ids is None else (_CHOSEN, [list(ids)])
    with wrapped("read trajectories"):
        rows = select_rows(connection, TrajectoryRow, chosen, parameters)
        query = f"SELECT trajectory_id, record FROM event {chosen} ORDER BY trajectory_id, idx"
        records = connection.execute(query, parameters).fetchall()
    events: dict[str, list[Event]] = {row.trajectory_id: [] for row in rows}
    for trajectory_id, record in records:
        events[trajectory_id].append(Event.model_validate(orjson.loads(record)))
    found = {
        row.trajectory_id: Trajectory(
            Header.model_validate(orjson.loads(row.header)),
            tuple(events[row.trajectory_id]),
            row.gaps,
            None if row.health is None else Health.model_validate(orjson.loads(row.health)),
        )
        for row in rows
    }
    wanted = sorted(found) if ids is None else ids
    unknown = [i for i in wanted if i not in found]
    if unknown:
        raise StoreError(
            f"the store has no trajectory {', '.join(unknown)}; ingest its recording first."
        )
    return [found[i] for i in wanted]


_CHOSEN = "WHERE trajectory_id IN (SELECT unnest(?::VARCHAR[]))"


def _forget(connection: duckdb.DuckDBPyConnection, trajectory_id: str) -> None:
    """Remove a recording and the models that were built on it."""
    for name in ("vertex_event", "edge", "vertex", "description", "model"):
        connection.execute(f"DELETE FROM {name} WHERE model_id IN ({_BUILT_ON})", [trajectory_id])
    for name in ("event", "trajectory"):
        connection.execute(f"DELETE FROM {name} WHERE trajectory_id = ?", [trajectory_id])


_BUILT_ON = "SELECT model_id FROM model WHERE list_contains(trajectories, ?)"


def _known_hash(connection: duckdb.DuckDBPyConnection, trajectory_id: str) -> str | None:
    query = "SELECT content_hash FROM trajectory WHERE trajectory_id = ?"
    found = first_row(connection, query, [trajectory_id])
    return str(found[0]) if found else None


def _content_hash(trajectory: Trajectory, lines: Sequence[bytes]) -> str:
    digest = hashlib.blake2b(dump_header(trajectory.header), digest_size=16)
    for line in lines:
        digest.update(line)
    digest.update(orjson.dumps(trajectory.gaps))
    if trajectory.health is not None:  # recordings of version 1 keep the hash they always had
        digest.update(dump_line(trajectory.health))
    return digest.hexdigest()


def _get(trajectory: Trajectory, key: str, snapshots: SnapshotFolder | None) -> bytes:
    if snapshots is None:
        raise StoreError(
            f"trajectory {trajectory.id} names snapshot {key}, which is not stored, and no "
            "snapshot folder was given; pass the one beside the recording."
        )
    try:
        return snapshots.get_bytes(key)
    except RecordError as error:
        idx = next(e.idx for e in trajectory.events if e.snapshot == key)
        raise StoreError(
            f"trajectory {trajectory.id}, event {idx}, field snapshot: it was not ingested: {error}"
        ) from error


def _trajectory_row(trajectory: Trajectory, content_hash: str) -> TrajectoryRow:
    header, events, health = trajectory.header, trajectory.events, trajectory.health
    return TrajectoryRow(
        trajectory.id,
        content_hash,
        header.task,
        header.app,
        header.start_url,
        header.started_at,
        len(events),
        sum(e.kind.is_interaction for e in events),
        sum(e.kind.is_write for e in events),
        dump_header(header).decode().strip(),
        trajectory.gaps,
        None if health is None else health.is_sound,
        None if health is None else dump_line(health).decode().strip(),
    )


def _event_row(trajectory_id: str, event: Event, line: bytes) -> EventRow:
    element, request, response = event.element, event.request, event.response
    return EventRow(
        trajectory_id,
        event.idx,
        str(event.kind),
        event.t_ms,
        event.url,
        element.role if element else None,
        element.name if element else None,
        element.xpath if element else None,
        event.value,
        event.checked,
        request.method if request else None,
        request.url if request else None,
        request.operation if request else None,
        response.status if response else None,
        event.snapshot,
        line.decode().strip(),
        str(event.gesture) if event.kind is EventKind.CLICK else None,
        event.tab,
        _json(event.drop),
        _json(event.drop_at),
        _json(event.files),
        _json(event.dialogs),
        event.download or None,
        request.initiator if request else None,
    )


def _json(value: object) -> str | None:
    """A part of an event as it stands in its line; None for an absent or empty one."""
    if not value:
        return None
    return orjson.dumps(value, default=lambda part: part.model_dump(exclude_defaults=True)).decode()
