"""Save, restore and query an application's SQLite files while its server has them open.

The online backup API copies page by page inside one transaction of the target, so readers see the
old or the new content, never a mixture, and a killed restore leaves the old content.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Container, Iterable, Mapping
from pathlib import Path
from typing import Any

from odokit.errors import TestBedError

BUSY_S = 20.0


def copy_database(source: Path, target: Path) -> None:
    """Copy one SQLite file into another, either of which may be in use.

    Raises:
        TestBedError: One of them cannot be read or written.
    """
    try:
        with (
            contextlib.closing(_connect(source, "ro")) as old,
            contextlib.closing(_connect(target, "rwc")) as new,
        ):
            old.backup(new)
    except sqlite3.Error as error:
        raise TestBedError(
            f"{source} could not be copied to {target}: {error}. Stop the server and try again."
        ) from error


def run_query(
    main: Path, attached: Iterable[Path], sql: str, params: Mapping[str, Any]
) -> list[tuple[Any, ...]]:
    """Query SQLite files together, read-only; attached ones go by the stem of their names.

    Raises:
        TestBedError: A file is missing or the query is wrong.
    """
    try:
        with contextlib.closing(_connect(main, "ro")) as connection:
            for path in attached:
                connection.execute(f"ATTACH ? AS {path.stem}", (f"{path.as_uri()}?mode=ro",))
            return connection.execute(sql, dict(params)).fetchall()
    except sqlite3.Error as error:
        raise TestBedError(f"the query failed on {main}: {error}. It was: {sql}") from error


def differences(gold: Path, live: Path, *, ignored: Container[str] = ()) -> list[str]:
    """What differs between two SQLite files of one schema, one line a table.

    Args:
        gold: How it was.
        live: How it is.
        ignored: Tables to leave out, and columns as `table.column`.

    Returns:
        Lines such as `class: 1 row added, e.g. id='c9'`, in the order of the tables.

    Raises:
        TestBedError: A file is missing.
    """
    sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    try:
        with contextlib.closing(_connect(live, "ro")) as connection:
            connection.execute("ATTACH ? AS gold", (f"{gold.as_uri()}?mode=ro",))
            tables = [name for (name,) in connection.execute(sql) if name not in ignored]
            found = (_table_difference(connection, table, ignored) for table in tables)
            return [line for line in found if line]
    except sqlite3.Error as error:
        raise TestBedError(f"{live} could not be compared with {gold}: {error}.") from error


def _table_difference(connection: sqlite3.Connection, table: str, ignored: Container[str]) -> str:
    name = f'"{table}"'
    info = connection.execute(f"PRAGMA main.table_info({name})").fetchall()
    columns = [c for c in info if f"{table}.{c[1]}" not in ignored]
    keys = [c[1] for c in columns if c[5]] or [c[1] for c in columns]
    shown = ", ".join(f'"{c[1]}"' for c in columns)
    only = f"SELECT {shown} FROM {{}} EXCEPT SELECT {shown} FROM {{}}"
    places = [place for place, c in enumerate(columns) if c[1] in keys]
    found = [
        {tuple(row[p] for p in places) for row in connection.execute(only.format(*sides))}
        for sides in ((f"main.{name}", f"gold.{name}"), (f"gold.{name}", f"main.{name}"))
    ]
    added, removed, changed = found[0] - found[1], found[1] - found[0], found[0] & found[1]
    parts = [
        f"{len(rows)} row{'s' * (len(rows) > 1)} {how}, e.g. "
        + ", ".join(f"{k}={v!r}" for k, v in zip(keys, min(rows, key=repr), strict=True))
        for rows, how in ((added, "added"), (removed, "removed"), (changed, "changed"))
        if rows
    ]
    return f"{table}: {'; '.join(parts)}" if parts else ""


def change(path: Path, sql: str) -> None:
    """Run one statement on a SQLite file and commit it.

    Raises:
        TestBedError: The statement failed.
    """
    try:
        with contextlib.closing(_connect(path, "rw")) as connection, connection:
            connection.execute(sql)
    except sqlite3.Error as error:
        raise TestBedError(f"{path} could not be changed: {error}. It was: {sql}") from error


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?mode={mode}", uri=True, timeout=BUSY_S)
