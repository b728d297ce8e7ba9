"""The workspace: one DuckDB file with trajectories, snapshots, models, runs and their views."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import duckdb
import polars as pl

from odokit.errors import StoreError
from odokit.events import Trajectory
from odokit.record.snapshots import SnapshotFolder
from odokit.store.check import count_contents, find_broken, measure_tables
from odokit.store.compact import CompactReport, compact_store
from odokit.store.connect import Advance, connect, transaction, wrapped
from odokit.store.ingest import (
    IngestReport,
    ingest_folder,
    ingest_trajectory,
    read_trajectories,
)
from odokit.store.merge import merge_store
from odokit.store.queries import list_queries, run_query
from odokit.store.rows import (
    DecisionRow,
    DescriptionRow,
    EdgeRow,
    EpisodeRow,
    LLMCallRow,
    ModelRow,
    RunRow,
    StepRow,
    VertexEventRow,
    VertexRow,
)
from odokit.store.snapshots import SnapshotTable
from odokit.store.table import insert_rows, select_rows


@dataclass(frozen=True)
class StoredModel:
    """A behaviour model as rows."""

    model: ModelRow
    """What it was built from and how."""
    vertices: tuple[VertexRow, ...]
    """By vertex number."""
    instances: tuple[VertexEventRow, ...]
    """By position of the trajectory among the model's, then by index."""
    edges: tuple[EdgeRow, ...]
    """In the model's order."""


class EventStore:
    """A workspace file, or a database in memory; a context manager that closes it.

    One process may write, or several read; keep writers brief.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: Path | None) -> None:
        self._connection = connection
        self._path = path
        self._snapshots = SnapshotTable(connection)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> EventStore:
        """Open a workspace file, bringing its schema up to date.

        Args:
            path: The DuckDB file; made with its folder when missing.
            read_only: Open an existing file for reading, beside other readers.

        Raises:
            StoreLockedError: Another process, or this one in another mode, has it open.
            SchemaError: It is no workspace, or one of a newer odokit.
            StoreError: It is missing (when reading only) or cannot be opened.
        """
        return cls(connect(path, read_only=read_only), path)

    @classmethod
    def memory(cls) -> EventStore:
        """An empty store in memory, gone when closed."""
        return cls(connect(None, read_only=False), None)

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------ trajectories

    def ingest(self, trajectory: Trajectory, snapshots: SnapshotFolder | None) -> bool:
        """Store a trajectory and the snapshots it names, whole or not at all.

        Args:
            trajectory: A recording.
            snapshots: Where the snapshots lie that the store does not hold yet.

        Returns:
            Whether it is new; False when the same recording is stored already.

        Raises:
            StoreError: Another recording has its id, or a snapshot is missing; nothing was written.
        """
        added = ingest_trajectory(self._connection, self._snapshots, trajectory, snapshots)
        return added is not None

    def ingest_folder(
        self, folder: Path, *, replace: bool = False, advance: Advance = lambda *_: None
    ) -> IngestReport:
        """Store every recording of a folder, in name order, one transaction each.

        Args:
            folder: Holds `*.jsonl.zst`, `*.jsonl` and `snapshots/`.
            replace: Whether a recording made anew takes the place of the one of the same id.
            advance: Told the file name of each recording when it is done with, and the share of
                them that is.

        Raises:
            StoreError: There is none, or some were refused; it names each with its fault. All the
                others are stored.
        """
        return ingest_folder(
            self._connection, self._snapshots, folder, replace=replace, advance=advance
        )

    def trajectories(self, ids: Sequence[str] | None = None) -> list[Trajectory]:
        """Trajectories as they were ingested: those named, in that order, or all by id.

        Raises:
            StoreError: An id is unknown.
        """
        return read_trajectories(self._connection, ids)

    def get_trajectory(self, trajectory_id: str) -> Trajectory:
        """One trajectory as it was ingested.

        Raises:
            StoreError: The id is unknown.
        """
        return read_trajectories(self._connection, [trajectory_id])[0]

    def get_snapshot(self, key: str) -> str:
        """The HTML of a snapshot, checked against its hash.

        Raises:
            StoreError: It is unknown or damaged.
        """
        return self._snapshots.get(key)

    # ------------------------------------------------------------------------------------ models

    def save_model(
        self,
        model: ModelRow,
        vertices: Sequence[VertexRow],
        instances: Sequence[VertexEventRow],
        edges: Sequence[EdgeRow],
    ) -> None:
        """Store a behaviour model, replacing the one of the same id; descriptions stay."""
        with transaction(self._connection, f"save model {model.model_id}"):
            for kind in (ModelRow, VertexRow, VertexEventRow, EdgeRow):
                self._delete(kind.table, model_id=model.model_id)
            for rows in ([model], vertices, instances, edges):
                insert_rows(self._connection, rows)

    def read_model(self, model_id: str | None = None) -> StoredModel | None:
        """A behaviour model by its id, or the one saved last; None when there is none."""
        which = "ORDER BY created_at DESC, rowid DESC LIMIT 1"
        parameters: list[str] = []
        if model_id is not None:
            which, parameters = "WHERE model_id = ?", [model_id]
        with wrapped(f"read model {model_id or '(the latest)'}"):
            found = select_rows(self._connection, ModelRow, which, parameters)
            if not found:
                return None
            own = [found[0].model_id]
            vertices = select_rows(
                self._connection, VertexRow, "WHERE model_id = ? ORDER BY number", own
            )
            instances = select_rows(self._connection, VertexEventRow, "WHERE model_id = ?", own)
            edges = select_rows(
                self._connection, EdgeRow, "WHERE model_id = ? ORDER BY number", own
            )
        place = {trajectory: i for i, trajectory in enumerate(found[0].trajectories)}
        instances.sort(key=lambda row: (place[row.trajectory_id], row.idx))
        return StoredModel(found[0], tuple(vertices), tuple(instances), tuple(edges))

    def save_descriptions(self, rows: Sequence[DescriptionRow]) -> None:
        """Store descriptions, replacing those of the same subject and source."""
        with transaction(self._connection, f"save {len(rows)} descriptions"):
            for row in rows:
                self._delete(
                    row.table, model_id=row.model_id, subject=row.subject, source=row.source
                )
            insert_rows(self._connection, rows)

    # -------------------------------------------------------------------------------------- runs

    def save_run(self, run: RunRow) -> None:
        """Store a run, replacing what was known of it; its episodes stay."""
        with transaction(self._connection, f"save run {run.run_id}"):
            self._delete(run.table, run_id=run.run_id)
            insert_rows(self._connection, [run])

    def save_episode(
        self,
        episode: EpisodeRow,
        steps: Sequence[StepRow] = (),
        decisions: Sequence[DecisionRow] = (),
        calls: Sequence[LLMCallRow] = (),
    ) -> None:
        """Store an episode with its parts, replacing the one of the same id (a rerun).

        Raises:
            StoreError: A part belongs to another episode, or its number is used twice.
        """
        own = (episode.run_id, episode.episode_id)
        parts: list[StepRow | DecisionRow | LLMCallRow] = [*steps, *decisions, *calls]
        foreign = [p for p in parts if (p.run_id, p.episode_id) != own]
        if foreign:
            raise StoreError(
                f"could not save episode {own[1]} of run {own[0]}: {foreign[0]} belongs to "
                "another. Give its parts the ids of the episode."
            )
        with transaction(self._connection, f"save episode {own[1]} of run {own[0]}"):
            for kind in (EpisodeRow, StepRow, DecisionRow, LLMCallRow):
                self._delete(kind.table, run_id=own[0], episode_id=own[1])
            for rows in ([episode], steps, decisions, calls):
                insert_rows(self._connection, rows)

    # ------------------------------------------------------------------------------------- views

    def frame(self, view: str, **equals: object) -> pl.DataFrame:
        """Read a documented view; `describe_views` lists them.

        Args:
            view: Its name, such as `v_event`.
            equals: Values that columns must have; None for NULL.

        Raises:
            StoreError: View or column is unknown.
        """
        columns = self._columns(view)
        unknown = sorted(set(equals) - set(columns))
        if unknown:
            raise StoreError(
                f"{view} has no column {', '.join(unknown)}; it has {', '.join(columns)}."
            )
        where = " AND ".join(f'"{name}" IS NOT DISTINCT FROM ?' for name in equals) or "TRUE"
        with wrapped(f"read {view}"):
            query = f"SELECT * FROM {view} WHERE {where}"
            found: pl.DataFrame = self._connection.sql(query, params=list(equals.values())).pl()
        return found

    def sql(
        self, query: str, parameters: Sequence[object] | Mapping[str, object] = ()
    ) -> pl.DataFrame:
        """Read by a query of one's own; nothing can be changed by it.

        Args:
            query: One SELECT.
            parameters: Values of its placeholders, `?` or `$name`.

        Raises:
            StoreError: It is no single SELECT, would write, or DuckDB refuses it.
        """
        bound: Any = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
        with wrapped("run the query"):
            statements = self._connection.extract_statements(query)
            if [s.type for s in statements] != [duckdb.StatementType.SELECT]:
                raise StoreError("could not run the query: it must be one SELECT statement.")
            # A SELECT may hold a DELETE ... RETURNING; the transaction forbids it.
            self._connection.execute("BEGIN TRANSACTION READ ONLY")
            try:
                found: pl.DataFrame = self._connection.sql(query, params=bound or None).pl()
            finally:
                self._connection.rollback()
        return found

    def queries(self) -> pl.DataFrame:
        """Example queries: one row each with its name, the question it answers, and its SQL."""
        return list_queries()

    def query(self, name: str) -> pl.DataFrame:
        """Answer an example query; `queries` lists them.

        Raises:
            StoreError: It is unknown.
        """
        return run_query(self._connection, name)

    def describe_views(self) -> pl.DataFrame:
        """What the views hold.

        Returns:
            One row a view (with an empty column name) and one a column: view, column, meaning.
        """
        with wrapped("describe the views"):
            found: pl.DataFrame = self._connection.sql(_DESCRIBE).pl()
        return found

    # ------------------------------------------------------------------------------- maintenance

    def stats(self) -> dict[str, int]:
        """Rows by table, then sizes.

        Returns:
            After the rows: `file_bytes`; of the snapshots `snapshot_bytes` as HTML and
            `snapshot_stored_bytes` as they are stored; `event_page_bytes`, what the pages would
            take if every event held its own.
        """
        return count_contents(self._connection, self._path)

    def table_sizes(self) -> dict[str, int]:
        """Bytes of the file's blocks in which each table lies; small tables share a block."""
        return measure_tables(self._connection)

    def check(self, *, advance: Advance = lambda *_: None) -> list[str]:
        """A line for each broken promise: unreadable snapshots, gaps, parts without a whole.

        Args:
            advance: Told what is examined and which share is done.
        """
        return find_broken(self._connection, self._snapshots, advance)

    @staticmethod
    def compact(path: Path, *, advance: Advance = lambda *_: None) -> CompactReport:
        """Write a store file anew, smaller and without snapshots that no event refers to.

        The old file stays until the new one is whole, examined and put in its place at once.

        Args:
            path: The DuckDB file; nobody else may have it open.
            advance: Told what is done and which share of it.

        Raises:
            StoreLockedError: It is open elsewhere.
            SchemaError: It is no workspace.
            StoreError: It is missing, or damaged; it is left as it is.
        """
        return compact_store(path, advance)

    def merge(self, other: Path) -> None:
        """Copy from another store what this one lacks, all of it or nothing.

        Raises:
            StoreLockedError: The other store is open for writing.
            SchemaError: It has another schema.
            StoreError: It is missing, or holds other content under a known trajectory id.
        """
        merge_store(self._connection, other)

    def _columns(self, view: str) -> list[str]:
        with wrapped(f"look up {view}"):
            found: dict[str, list[str]] = {}
            for name, column in self._connection.execute(_VIEW_COLUMNS).fetchall():
                found.setdefault(name, []).append(column)
        if view not in found:
            raise StoreError(f"there is no view {view!r}; the views are {', '.join(found)}.")
        return found[view]

    def _delete(self, table: str, **key: str) -> None:
        where = " AND ".join(f'"{name}" = ?' for name in key)
        self._connection.execute(f"DELETE FROM {table} WHERE {where}", list(key.values()))


_VIEW_COLUMNS = (
    "SELECT c.table_name, c.column_name FROM duckdb_columns() AS c JOIN duckdb_views() AS v "
    "USING (database_name, schema_name) WHERE c.table_name = v.view_name AND NOT v.internal "
    "AND c.database_name = current_database() ORDER BY v.view_name, c.column_index"
)
_DESCRIBE = (
    'SELECT v.view_name AS view, c.name AS "column", c.meaning FROM duckdb_views() AS v JOIN ('
    "SELECT table_name AS view_name, column_name AS name, comment AS meaning, column_index AS n "
    "FROM duckdb_columns() WHERE database_name = current_database() UNION ALL "
    "SELECT view_name, '', comment, 0 FROM duckdb_views() "
    "WHERE database_name = current_database()"
    ") AS c USING (view_name) WHERE NOT v.internal AND v.database_name = current_database() "
    "ORDER BY v.view_name, c.n"
)
