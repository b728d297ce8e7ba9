"""Open the workspace file, bring its schema up to date, and wrap what DuckDB says in our errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb

from odokit.errors import SchemaError, StoreError, StoreLockedError

logger = logging.getLogger(__name__)

Advance = Callable[[str, float], None]
"""Told what is being done and which share of it is done, from 0 to 1."""

CONFIG: dict[str, str | bool | int | float | list[str]] = {
    # Nothing is ever fetched because a query happens to mention a foreign format.
    "autoinstall_known_extensions": "false",
    # Of new files. Each table, column and index takes blocks of its own; DuckDB's default of 256
    # KiB makes a small store several times as large, and no figure of ours better.
    "default_block_size": "16384",
}
_HOLDER = re.compile(r"\(PID (\d+)\)")


@dataclass(frozen=True)
class Migration:
    """One numbered step of the schema."""

    number: int
    """From 1 without gaps."""
    name: str
    """File name without suffix."""
    sql: str
    """The statements, run in one transaction."""


def first_row(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Sequence[object] = ()
) -> tuple[Any, ...] | None:
    """The first row of a query's result, None when it has none.

    The result is read to its end: a connection that still holds rows refuses its next query.
    """
    rows = connection.execute(query, list(parameters)).fetchall()
    return rows[0] if rows else None


def read_migrations() -> list[Migration]:
    """All steps of the schema in order."""
    folder = resources.files("odokit.store") / "migrations"
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sql")), key=lambda f: f.name)
    return [
        Migration(int(f.name[:3]), f.name.removesuffix(".sql"), f.read_text(encoding="utf-8"))
        for f in files
    ]


def connect(path: Path | None, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a workspace file, or a database in memory, at the current schema.

    Args:
        path: The file; made with its folder when missing. None keeps everything in memory.
        read_only: Whether to open an existing file for reading only.

    Raises:
        StoreLockedError: Another process, or this one in another mode, has the file open.
        SchemaError: The file is not a workspace or was written by a newer odokit.
        StoreError: The file is missing or cannot be opened.
    """
    name = ":memory:" if path is None else str(path)
    if path is not None and read_only and not path.exists():
        raise StoreError(f"{path} does not exist; ingest recordings first (`odokit ingest`).")
    try:
        if path is not None and not read_only:
            path.parent.mkdir(parents=True, exist_ok=True)
        connection = duckdb.connect(name, read_only=read_only, config=CONFIG)
    except OSError as error:
        raise StoreError(
            f"the folder of {path} cannot be made ({error.strerror}); choose another."
        ) from error
    except duckdb.Error as error:
        raise open_error(name, error) from error
    with ExitStack() as undo:
        undo.callback(connection.close)
        # DuckDB would draw over ours, and into what a program prints.
        connection.execute("SET enable_progress_bar = false")
        _migrate(connection, name, read_migrations(), read_only=read_only)
        undo.pop_all()
    return connection


def open_error(name: str, error: duckdb.Error) -> StoreError:
    """Our error for DuckDB's refusal to open a file, with the cure."""
    text = _first_line(error)
    if "Could not set lock" in text:
        holder = _HOLDER.search(text)
        who = f"process {holder[1]}" if holder else "another process"
        return StoreLockedError(
            f"{name} is open in {who}. Shut that notebook's kernel or end that process, then try "
            "again; DuckDB lets one process write, or several read."
        )
    if isinstance(error, duckdb.ConnectionException | duckdb.ResourceInUseException):
        return StoreLockedError(
            f"{name} is already open in this process in another mode. Close that EventStore first; "
            f"DuckDB said: {text}."
        )
    if "not a valid DuckDB database" in text or not isinstance(error, duckdb.IOException):
        return SchemaError(
            f"{name} is no workspace file that this DuckDB reads ({text}). Choose another path, or "
            "move the file away and ingest the recordings again."
        )
    return StoreError(f"{name} cannot be opened ({text}). Check the path and its permissions.")


@contextmanager
def transaction(connection: duckdb.DuckDBPyConnection, what: str) -> Iterator[None]:
    """Do everything inside the block or nothing of it.

    Args:
        connection: An open connection.
        what: What is being tried, as it follows "could not" in the error.

    Raises:
        StoreError: DuckDB refused; nothing was changed.
    """
    with wrapped(what), ExitStack() as undo:
        connection.begin()
        undo.callback(connection.rollback)
        yield
        undo.pop_all()
        connection.commit()


@contextmanager
def wrapped(what: str) -> Iterator[None]:
    """Turn DuckDB's errors into ours; `what` follows "could not" in the message."""
    try:
        yield
    except duckdb.Error as error:
        text = _first_line(error)
        if "read-only mode" in text:
            cure = "The store is open for reading; open it for writing."
        elif isinstance(error, duckdb.ConnectionException):
            cure = "Open the store again."
        else:
            cure = "Nothing was changed; mend what it names and try again."
        raise StoreError(f"could not {what}: {text}. {cure}") from error


def get_version(connection: duckdb.DuckDBPyConnection, catalog: str) -> int:
    """Number of the last migration of an attached file, 0 for one without tables.

    Raises:
        SchemaError: It holds tables, but not ours.
    """
    query = "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal"
    tables = {name for (name,) in connection.execute(query, [catalog]).fetchall()}
    if not tables:
        return 0
    if not {"migration", "trajectory"} <= tables:
        raise SchemaError(
            f"the database {catalog} holds tables of another program ({sorted(tables)[0]}, ...). "
            "Choose another path for the store."
        )
    # fetchall: a result that is not read to its end blocks the connection's next relation.
    query = f'SELECT max(number) FROM "{catalog}".main.migration'
    ((last,),) = connection.execute(query).fetchall()
    return int(last or 0)


def _migrate(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    migrations: list[Migration],
    *,
    read_only: bool,
) -> None:
    with wrapped(f"read the schema of {name}"):
        current = first_row(connection, "SELECT current_database()")
        assert current is not None
        version = get_version(connection, current[0])
    newest = migrations[-1].number
    if version > newest:
        raise SchemaError(
            f"{name} has schema {version}, but this odokit knows {newest}. Update odokit, or "
            "choose another store."
        )
    if read_only and version < newest:
        raise SchemaError(
            f"{name} has schema {version}, and {newest} is current. Open it once for writing "
            "(`odokit ingest` does) to bring it up to date."
        )
    for migration in migrations[version:]:
        with transaction(connection, f"bring {name} to schema {migration.number}"):
            connection.execute(migration.sql)
            now = datetime.now(UTC).isoformat()
            row = [migration.number, migration.name, now]
            connection.execute("INSERT INTO migration VALUES (?, ?, ?)", row)
        logger.info("%s: schema %d, %s", name, migration.number, migration.name)


def _first_line(error: duckdb.Error) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
