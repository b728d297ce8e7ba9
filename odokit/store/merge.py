"""Copy from another store what this one lacks: the shards of a sweep become one workspace."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from odokit.errors import SchemaError, StoreError
from odokit.store.connect import (
    get_version,
    open_error,
    read_migrations,
    transaction,
    wrapped,
)

OTHER = "odokit other store"
"""Name of the other file while attached; a file's own name is its stem, which this is unlikely."""


def merge_store(connection: duckdb.DuckDBPyConnection, other: Path) -> None:
    """Copy trajectories, snapshots, models, descriptions, runs and episodes that are missing.

    Raises:
        StoreLockedError: The other store is open for writing.
        SchemaError: It has another schema.
        StoreError: It is missing, or holds other content under a known trajectory id; nothing was
            copied.
    """
    if not other.exists():
        raise StoreError(f"{other} does not exist, so there is nothing to merge. Check the path.")
    with attached(connection, other):
        _check_schema(connection, other)
        _check_trajectories(connection, other)
        with transaction(connection, f"merge {other}"):
            for statement in [_copy("snapshot", "hash"), *copy_statements()]:
                connection.execute(statement)


def copy_statements() -> Iterator[str]:
    """The SQL that copies from the attached store what is missing; snapshots must be there.

    Parts come before wholes: their wholes must still be missing.
    """
    yield _copy("event", "trajectory_id, idx")
    yield _copy("trajectory", "trajectory_id")
    for table in ("vertex", "vertex_event", "edge"):
        yield _copy(table, "model_id", unless_in="model")
    yield _copy("model", "model_id")
    yield _copy("description", "model_id, subject, source")
    yield _copy("run", "run_id")
    for table in ("step", "decision", "llm_call"):
        yield _copy(table, "run_id, episode_id", unless_in="episode")
    yield _copy("episode", "run_id, episode_id")


def _copy(table: str, key: str, unless_in: str = "") -> str:
    return (
        f'INSERT INTO {table} BY NAME SELECT * FROM "{OTHER}".{table} '
        f"ANTI JOIN {unless_in or table} USING ({key})"
    )


@contextmanager
def attached(connection: duckdb.DuckDBPyConnection, other: Path) -> Iterator[None]:
    """Have another store at hand, for reading, as the catalog `OTHER`.

    Raises:
        StoreLockedError: It is open for writing.
        SchemaError: It is no workspace.
        StoreError: It cannot be opened.
    """
    quoted = str(other).replace("'", "''")
    try:
        connection.execute(f"ATTACH '{quoted}' AS \"{OTHER}\" (READ_ONLY)")
    except duckdb.Error as error:
        raise open_error(str(other), error) from error
    try:
        yield
    finally:
        connection.execute(f'DETACH "{OTHER}"')


def _check_schema(connection: duckdb.DuckDBPyConnection, other: Path) -> None:
    newest = read_migrations()[-1].number
    with wrapped(f"read the schema of {other}"):
        version = get_version(connection, OTHER)
    if version != newest:
        raise SchemaError(
            f"{other} has schema {version}, but this store has {newest}. Open the older of the "
            "two once for writing with the newest odokit, then merge."
        )


def _check_trajectories(connection: duckdb.DuckDBPyConnection, other: Path) -> None:
    query = (
        f'SELECT a.trajectory_id FROM "{OTHER}".trajectory AS a JOIN trajectory AS b '
        "USING (trajectory_id) WHERE a.content_hash <> b.content_hash ORDER BY 1"
    )
    with wrapped(f"compare trajectories with {other}"):
        found = [i for (i,) in connection.execute(query).fetchall()]
    if found:
        raise StoreError(
            f"{other} was not merged: it holds trajectory {', '.join(found)} with other content "
            "than this store. Record one of them again under another id."
        )
