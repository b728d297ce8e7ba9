"""Save, restore and query an application's SQLite files while its server has them open.

The online backup API copies page by page inside one transaction of the target, so readers see the
old or the new content, never a mixture, and a killed restore leaves the old content.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Mapping
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
