"""What a store holds, and whether it still keeps its promises."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from odokit.errors import StoreError
from odokit.store.connect import Advance, first_row, wrapped
from odokit.store.snapshots import SnapshotTable

# Each query names what breaks the rule; foreign keys and transactions should leave it empty.
_RULES: tuple[tuple[str, str], ...] = (
    (
        "events of trajectory {} belong to no stored trajectory",
        "SELECT DISTINCT trajectory_id FROM event ANTI JOIN trajectory USING (trajectory_id)",
    ),
    (
        "the events of trajectory {} have gaps or are fewer than it says",
        "SELECT trajectory_id FROM trajectory LEFT JOIN event USING (trajectory_id) "
        "GROUP BY trajectory_id, n_events "
        "HAVING count(idx) <> n_events OR coalesce(max(idx) + 1, 0) <> n_events",
    ),
    (
        "an event names snapshot {}, which is not stored",
        "SELECT DISTINCT snapshot FROM event ANTI JOIN snapshot ON event.snapshot = snapshot.hash "
        "WHERE snapshot IS NOT NULL",
    ),
    (
        "snapshot {} is a difference to a keyframe that is not stored",
        "SELECT a.hash FROM snapshot AS a ANTI JOIN snapshot AS b ON a.keyframe = b.hash "
        "WHERE a.keyframe IS NOT NULL",
    ),
    (
        "model {} was built from a trajectory that is not stored",
        "SELECT DISTINCT model_id FROM (SELECT model_id, unnest(trajectories) AS trajectory_id "
        "FROM model) ANTI JOIN trajectory USING (trajectory_id)",
    ),
    (
        "an edge or step of model {} refers to a vertex that is not stored",
        "SELECT DISTINCT model_id FROM (SELECT model_id, source AS number FROM edge UNION ALL "
        "SELECT model_id, target FROM edge UNION ALL SELECT model_id, vertex FROM vertex_event) "
        "ANTI JOIN vertex USING (model_id, number)",
    ),
    (
        "an episode belongs to run {}, which is not stored",
        "SELECT DISTINCT run_id FROM episode ANTI JOIN run USING (run_id)",
    ),
    (
        "a step, decision or model call belongs to episode {}, which is not stored",
        "SELECT DISTINCT run_id || '/' || episode_id FROM (SELECT run_id, episode_id FROM step "
        "UNION ALL SELECT run_id, episode_id FROM decision "
        "UNION ALL SELECT run_id, episode_id FROM llm_call) "
        "ANTI JOIN episode USING (run_id, episode_id)",
    ),
)


def find_broken(
    connection: duckdb.DuckDBPyConnection, table: SnapshotTable, advance: Advance
) -> list[str]:
    """A line for each broken rule and each snapshot that cannot be read back."""
    advance("rules", 0.0)
    broken = find_broken_rules(connection)
    with wrapped("check the store"):
        query = "SELECT hash, page FROM snapshot ORDER BY page, hash"
        pages = connection.execute(query).fetchall()
    return broken + find_unreadable(table, pages, advance)


def find_broken_rules(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """A line for each row that breaks a rule of the schema."""
    broken: list[str] = []
    with wrapped("check the store"):
        for message, query in _RULES:
            found = connection.execute(f"{query} ORDER BY 1").fetchall()
            broken += [message.format(subject) for (subject,) in found]
    return broken


def find_unreadable(
    table: SnapshotTable, pages: Sequence[tuple[str, str]], advance: Advance
) -> list[str]:
    """A line for each snapshot that cannot be read back or does not fit its hash.

    Args:
        table: Where they are stored.
        pages: Hash and page of each; page by page is fastest.
        advance: Told how far it is.
    """
    broken: list[str] = []
    for number, (key, _) in enumerate(pages):
        try:
            table.get_bytes(key)
        except StoreError as error:
            broken.append(str(error))
        advance("snapshots", (number + 1) / len(pages))
    return broken


def count_contents(connection: duckdb.DuckDBPyConnection, path: Path | None) -> dict[str, int]:
    """Rows by table, then sizes; see `EventStore.stats`."""
    with wrapped("count what the store holds"):
        counts = {
            name: _number(connection, f'SELECT count(*) FROM "{name}"')
            for name in _table_names(connection)
        }
        sizes = {
            "file_bytes": sum(f.stat().st_size for f in _files(path)),
            "snapshot_bytes": _number(connection, "SELECT sum(n_bytes) FROM snapshot"),
            "snapshot_stored_bytes": _number(connection, "SELECT sum(stored_bytes) FROM snapshot"),
            "event_page_bytes": _number(
                connection,
                "SELECT sum(n_bytes) FROM event JOIN snapshot ON event.snapshot = snapshot.hash",
            ),
        }
    return counts | sizes


def measure_tables(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Bytes of the blocks in which each table's columns lie; small tables share a block."""
    with wrapped("measure the tables"):
        query = "SELECT block_size FROM pragma_database_size() WHERE database_name = "
        block = _number(connection, f"{query}current_database()")
        return {
            name: block * _number(connection, _BLOCKS.format(name))
            for name in _table_names(connection)
        }


_BLOCKS = (
    "SELECT count(DISTINCT block) FROM ("
    "SELECT block_id AS block FROM pragma_storage_info('{0}') WHERE block_id >= 0 UNION ALL "
    "SELECT unnest(additional_block_ids) FROM pragma_storage_info('{0}'))"
)


def _table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    query = (
        "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
        "AND NOT internal ORDER BY table_name"
    )
    return [name for (name,) in connection.execute(query).fetchall()]


def _files(path: Path | None) -> list[Path]:
    """The file and its log of what is not folded into it yet."""
    if path is None:
        return []
    return [f for f in (path, path.with_name(path.name + ".wal")) if f.exists()]


def _number(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    found = first_row(connection, query)
    return int(found[0] or 0) if found else 0
