"""The two ways a row crosses the border between Python and DuckDB."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

import duckdb

R = TypeVar("R", bound="Row")

_COLUMN_TYPES: Mapping[Any, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    bytes: "BLOB",
    tuple[str, ...]: "VARCHAR[]",
}


@dataclass(frozen=True)
class Row:
    """A row of a table."""

    table: ClassVar[str]


def insert_rows(connection: duckdb.DuckDBPyConnection, rows: Sequence[Row]) -> None:
    """Add rows of one kind to their table in one statement."""
    if not rows:
        return
    kind: Any = type(rows[0])
    schema = _schema(kind)
    # Bound lists, because a frame would bring pandas or pyarrow and their memory into a process
    # that may only ingest.
    columns = ", ".join(f'unnest(?::{type_}[]) AS "{name}"' for name, type_ in schema.items())
    values = [[_plain(getattr(row, name)) for row in rows] for name in schema]
    connection.execute(f"INSERT INTO {kind.table} BY NAME SELECT {columns}", values)


def select_rows(
    connection: duckdb.DuckDBPyConnection, kind: type[R], rest: str = "", parameters: object = None
) -> list[R]:
    """Read rows of a table.

    Args:
        connection: An open connection.
        kind: Kind of row.
        rest: SQL after the table's name, such as `WHERE model_id = ? ORDER BY number`.
        parameters: Values of its placeholders.
    """
    columns = ", ".join(f'"{f.name}"' for f in fields(kind))
    found = connection.execute(f"SELECT {columns} FROM {kind.table} {rest}", parameters).fetchall()
    return [kind(*(tuple(v) if isinstance(v, list) else v for v in row)) for row in found]


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


@cache
def _schema(kind: Any) -> dict[str, str]:
    hints = get_type_hints(kind)
    return {f.name: _COLUMN_TYPES[_without_none(hints[f.name])] for f in fields(kind)}


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return next(a for a in get_args(hint) if a is not type(None))
    return hint
