"""Split a flight log into its events without holding the file in memory.

A log is one JSON array whose events are mostly a page snapshot, so events are cut out one by one
and parsed alone. Outside of strings only brackets matter, and a string of any length is one token;
so the scan costs little. JSON lines, as an Elasticsearch dump writes them, are split the same way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from odokit.errors import RecordError

CHUNK_BYTES = 1 << 20
MAX_ENTRY_BYTES = 64 * 1024 * 1024

# A string whose group 1 is empty goes on beyond the text at hand.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[{}\[\]]', re.DOTALL)
_BETWEEN = b" \t\r\n,"
_BOM = b"\xef\xbb\xbf"
_UNBEGUN, _ENDED = -1, -2


@dataclass(frozen=True)
class Entry:
    """One event of a log, as it stands there."""

    path: Path
    """The log."""
    number: int
    """Position in the log, from 1."""
    line: int
    """Line it begins on, from 1."""
    data: dict[str, Any]
    """The parsed object."""

    @property
    def where(self) -> str:
        """How messages name it."""
        return f"{self.path}, entry {self.number} (line {self.line})"


def iter_entries(path: Path) -> Iterator[Entry]:
    """Read a log event by event.

    Raises:
        RecordError: The file cannot be read, is cut short, or an event is no JSON object; the
            message names the file, the entry and its line.
    """
    try:
        with path.open("rb") as stream:
            yield from _Splitter(path, stream).entries()
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}. Check the path.") from error


class _Splitter:
    """Holds the text from `_mark` on: the event being read, or what follows the last one."""

    def __init__(self, path: Path, stream: BinaryIO) -> None:
        self._path = path
        self._stream = stream
        self._buffer = stream.read(CHUNK_BYTES).removeprefix(_BOM)
        self._mark = self._at = 0
        self._line, self._number = 1, 0
        self._depth, self._base = 0, _UNBEGUN

    def entries(self) -> Iterator[Entry]:
        while (token := self._next()) is not None:
            sign = token[0][:1]
            if sign in b"[{":
                self._open(token)
            elif sign in b"]}":
                if self._shut(token):
                    yield self._cut(token.end())
            elif self._depth <= max(self._base, 0):
                raise self._stray()
        if self._depth > max(self._base, 0) or self._base == 1:
            raise RecordError(
                f"{self._path}, line {self._line}: the log is cut short after entry "
                f"{self._number}. Download the flight again."
            )
        self._skip(len(self._buffer))
        if self._base == _UNBEGUN:
            raise RecordError(f"{self._path} is empty: it holds no events.")

    def _next(self) -> re.Match[bytes] | None:
        while True:
            token = _TOKEN.search(self._buffer, self._at)
            if token is not None and token[1] != b"":
                self._at = token.end()
                return token
            self._at = len(self._buffer) if token is None else token.start()
            if not self._refill():
                return None

    def _refill(self) -> bool:
        chunk = self._stream.read(CHUNK_BYTES)
        self._buffer = self._buffer[self._mark :] + chunk
        self._at -= self._mark
        self._mark = 0
        if len(self._buffer) > MAX_ENTRY_BYTES:
            raise RecordError(
                f"{self._path}, entry {self._number + 1} (line {self._line}): longer than "
                f"{MAX_ENTRY_BYTES} bytes, or a bracket or quotation mark of it is never closed."
            )
        return bool(chunk)

    def _open(self, token: re.Match[bytes]) -> None:
        if self._base == _ENDED:
            raise self._stray()
        if self._depth <= max(self._base, 0):
            self._skip(token.start())
        self._depth += 1
        if self._base == _UNBEGUN:
            self._base = int(token[0] == b"[")
            self._mark += self._base

    def _shut(self, token: re.Match[bytes]) -> bool:
        """Whether an event ends here."""
        self._depth -= 1
        if self._base < 0 or self._depth < 0:
            raise self._stray()
        if self._depth < self._base:
            self._skip(token.start())
            self._mark, self._base = token.end(), _ENDED
            return False
        return self._depth == self._base

    def _cut(self, end: int) -> Entry:
        raw = self._buffer[self._mark : end]
        self._number += 1
        line = self._line
        self._line += raw.count(b"\n")
        self._mark = end
        where = f"{self._path}, entry {self._number} (line {line})"
        try:
            data = orjson.loads(raw)
        except orjson.JSONDecodeError as error:
            raise RecordError(
                f"{where}: not JSON ({error}). Download the flight again, or take the entry out."
            ) from error
        if not isinstance(data, dict):
            raise RecordError(f"{where}: an event must be a JSON object. Take the entry out.")
        return Entry(self._path, self._number, line, data)

    def _skip(self, until: int) -> None:
        text = self._buffer[self._mark : until]
        if text.strip(_BETWEEN):
            raise self._stray()
        self._line += text.count(b"\n")
        self._mark = until

    def _stray(self) -> RecordError:
        text = self._buffer[self._mark :]
        line = self._line + text[: len(text) - len(text.lstrip(_BETWEEN))].count(b"\n")
        return RecordError(
            f"{self._path}, line {line}: there is something other than an event after entry "
            f"{self._number}. A flight log is one JSON array of events; download it again."
        )
