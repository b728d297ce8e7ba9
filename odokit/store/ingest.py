"""Take recordings in: one transaction a trajectory, each at most once, whole or not at all."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import duckdb
import orjson

from odokit.errors import RecordError, StoreError
from odokit.events import Event, Header, Trajectory, dump_header, dump_line, read_recording
from odokit.record.snapshots import SnapshotFolder
from odokit.store.connect import first_row, transaction, wrapped
from odokit.store.rows import EventRow, TrajectoryRow
from odokit.store.snapshots import SnapshotTable
from odokit.store.table import insert_rows, select_rows

Advance = Callable[[str], None]


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
    if known is not None:
        for key in missing:  # the old recording goes only when the new one is whole
            _get(trajectory.id, key, snapshots)
        _forget(connection, trajectory.id)
    row = _trajectory_row(trajectory, content_hash)
    rows = [_event_row(trajectory.id, e, x) for e, x in zip(events, lines, strict=True)]
    with ExitStack() as undo:
        undo.callback(table.forget)
        with transaction(connection, f"ingest trajectory {trajectory.id}"):
            insert_rows(connection, [row])
            table.add((k, addresses[k], _get(trajectory.id, k, snapshots)) for k in missing)
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
    paths = sorted([*folder.glob("*.jsonl.zst"), *folder.glob("*.jsonl")], key=lambda p: p.name)
    if not paths:
        raise StoreError(
            f"{folder} holds no recordings (*.jsonl.zst, *.jsonl); record demonstrations first."
        )
    snapshots = SnapshotFolder(folder / "snapshots")
    added: list[Added | None] = []
    problems: list[str] = []
    for path in paths:
        try:
            trajectory = read_recording(path)
            added.append(
                ingest_trajectory(connection, table, trajectory, snapshots, replace=replace)
            )
        except RecordError as error:
            problems.append(str(error))
        except StoreError as error:
            problems.append(f"{path}: {error}")
        advance(path.name)
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
    with transaction(connection, f"forget what rests on trajectory {trajectory_id}"):
        for name in ("vertex_event", "edge", "vertex", "description", "model"):
            connection.execute(
                f"DELETE FROM {name} WHERE model_id IN ({_BUILT_ON})", [trajectory_id]
            )
        connection.execute("DELETE FROM event WHERE trajectory_id = ?", [trajectory_id])
    # DuckDB sees deleted rows as references until they are committed. A kill in between leaves a
    # trajectory without events, which `check` tells and the next replacing ingest mends.
    with transaction(connection, f"forget trajectory {trajectory_id}"):
        connection.execute("DELETE FROM trajectory WHERE trajectory_id = ?", [trajectory_id])


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
    return digest.hexdigest()


def _get(trajectory_id: str, key: str, snapshots: SnapshotFolder | None) -> str:
    if snapshots is None:
        raise StoreError(
            f"trajectory {trajectory_id} names snapshot {key}, which is not stored, and no "
            "snapshot folder was given; pass the one beside the recording."
        )
    try:
        return snapshots.get(key)
    except RecordError as error:
        raise StoreError(f"trajectory {trajectory_id} was not ingested: {error}") from error


def _trajectory_row(trajectory: Trajectory, content_hash: str) -> TrajectoryRow:
    header, events = trajectory.header, trajectory.events
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
    )
