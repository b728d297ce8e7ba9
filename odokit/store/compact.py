"""Write a store anew: only what is referred to, with differences to the fewest keyframes.

DuckDB does not give space back to the file system, and a snapshot that nothing refers to any more
stays where it is. The new file is made beside the old one, examined, and put in its place by a
rename, so a kill leaves either the old file or the new one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb

from odokit.errors import StoreError
from odokit.store.check import find_broken_rules, find_unreadable
from odokit.store.connect import Advance, connect, transaction, wrapped
from odokit.store.merge import OTHER, attached, copy_statements
from odokit.store.snapshots import SnapshotTable

CHUNK = 1_000
"""Snapshots written in one transaction."""
_REFERRED = (
    "SELECT hash, page FROM snapshot SEMI JOIN event ON event.snapshot = snapshot.hash "
    "ORDER BY page, snapshot.rowid"
)
_TABLES = (
    "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() "
    "AND NOT internal AND table_name NOT IN ('migration', 'snapshot') ORDER BY table_name"
)


@dataclass(frozen=True)
class CompactReport:
    """What compacting a store brought."""

    n_dropped: int
    """Snapshots that no event refers to."""
    bytes_before: int
    """Size of the file."""
    bytes_after: int
    """Its size now; the same when there was nothing to gain, and then it was left as it is."""


def compact_store(path: Path, advance: Advance) -> CompactReport:
    """Replace a store file by one without waste; see `EventStore.compact`."""
    if not path.exists():
        raise StoreError(f"{path} does not exist, so there is nothing to compact. Check the path.")
    connect(path, read_only=False).close()  # to the current schema, with its log folded in
    before = path.stat().st_size
    fresh = path.with_name(f"{path.name}.compacting")
    _remove(fresh)  # what a killed attempt left
    try:
        with closing(connect(fresh, read_only=False)) as connection, attached(connection, path):
            if _log(path).exists():
                raise StoreError(f"{path} was written to just now; compact it when nobody uses it.")
            n_dropped = _rewrite(connection, path, advance)
            with wrapped(f"finish {fresh}"):
                connection.execute("CHECKPOINT")
            if n_dropped or fresh.stat().st_size < before:
                # While the old file is attached nobody can write to it, so nothing is lost here.
                fresh.replace(path)
                _sync(path.parent)
    finally:
        _remove(fresh)
    return CompactReport(n_dropped, before, path.stat().st_size)


def _rewrite(connection: duckdb.DuckDBPyConnection, path: Path, advance: Advance) -> int:
    """Fill the new store from the attached old one and compare the two."""
    with closing(connection.cursor()) as old:
        old.execute(f'USE "{OTHER}"')
        with wrapped(f"read what {path} holds"):
            pages = old.execute(_REFERRED).fetchall()
            ((n_all,),) = old.execute("SELECT count(*) FROM snapshot").fetchall()
        source, table = SnapshotTable(old), SnapshotTable(connection)
        for first, chunk in _chunks(pages):
            with transaction(connection, f"pack snapshots of {path}"):
                table.add(chunk, source.get_bytes)
            advance("packing", 0.7 * first / len(pages))
        with transaction(connection, f"copy {path}"):
            for statement in copy_statements():
                connection.execute(statement)
        _compare(old, connection, path)
    problems = find_unreadable(
        SnapshotTable(connection), pages, lambda what, part: advance(what, 0.7 + 0.3 * part)
    )
    if problems:
        raise StoreError(f"{path} was left as it is: written anew, {problems[0]}")
    return int(n_all) - len(pages)


def _compare(old: duckdb.DuckDBPyConnection, new: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a new store that has fewer rows than the old one, or breaks another rule.

    Raises:
        StoreError: It does, or the old one lacks what would let it be written anew.
    """
    with wrapped(f"compare the new file with {path}"):
        for (name,) in old.execute(_TABLES).fetchall():
            query = f"SELECT count(*) FROM {name}"
            if old.execute(query).fetchall() != new.execute(query).fetchall():
                raise StoreError(f"{path} was left as it is: rows of {name} were not copied.")
    broken = set(find_broken_rules(new)) - set(find_broken_rules(old))
    if broken:
        raise StoreError(f"{path} was left as it is: written anew, {min(broken)}.")


def _chunks(pages: list[tuple[str, str]]) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    for first in range(0, len(pages), CHUNK):
        yield first, pages[first : first + CHUNK]


def _log(path: Path) -> Path:
    """DuckDB's log of what is not folded into the file yet."""
    return path.with_name(f"{path.name}.wal")


def _remove(path: Path) -> None:
    for file in (path, _log(path)):
        file.unlink(missing_ok=True)


def _sync(folder: Path) -> None:
    """Make sure that a rename outlives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
