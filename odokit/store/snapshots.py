"""Snapshots by content hash, each stored as zstd difference to a keyframe of the same page.

Visits to one page are nearly equal, so a difference is a small fraction of the page. When a page
has drifted so far that the difference is no longer worth it, the next keyframe begins.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import duckdb
import zstandard

from odokit.errors import StoreError
from odokit.record.snapshots import bytes_hash
from odokit.store.connect import first_row, wrapped
from odokit.store.rows import SnapshotRow
from odokit.store.table import insert_rows, select_rows

LEVEL = 3
KEYFRAME_SHARE = 0.5
"""A difference above this share of its keyframe's compressed size becomes a keyframe itself."""
MAX_KEYFRAMES = 8
"""Keyframes held in memory, each with its prepared compressor: about two megabytes."""
BATCH = 32
"""Snapshots an INSERT."""


class _Keyframe:
    """A page that others are differences to."""

    def __init__(self, raw: bytes) -> None:
        self._dictionary = zstandard.ZstdCompressionDict(
            raw, dict_type=zstandard.DICT_TYPE_RAWCONTENT
        )

    @cached_property
    def compressor(self) -> zstandard.ZstdCompressor:
        """Makes differences."""
        return zstandard.ZstdCompressor(level=LEVEL, dict_data=self._dictionary)

    @cached_property
    def decompressor(self) -> zstandard.ZstdDecompressor:
        """Reads differences."""
        return zstandard.ZstdDecompressor(dict_data=self._dictionary)


@dataclass(frozen=True)
class _Latest:
    """The keyframe that the next snapshot of a page becomes a difference to.

    Attributes:
        key: Its hash.
        size: Bytes it takes compressed.
    """

    key: str
    size: int


class SnapshotTable:
    """The snapshots of one open store."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._keyframes: OrderedDict[str, _Keyframe] = OrderedDict()
        self._latest: dict[str, _Latest | None] = {}
        self._whole = zstandard.ZstdCompressor(level=LEVEL)

    def find_missing(self, hashes: Iterable[str]) -> list[str]:
        """Which of some hashes are not stored, in the order given."""
        wanted = list(hashes)
        query = "SELECT hash FROM snapshot WHERE hash IN (SELECT unnest(?::VARCHAR[]))"
        known = {key for (key,) in self._connection.execute(query, [wanted]).fetchall()}
        return [key for key in wanted if key not in known]

    def add(self, pages: Iterable[tuple[str, str]], read: Callable[[str], bytes]) -> None:
        """Store snapshots that are not stored yet, inside the caller's transaction.

        Args:
            pages: Hash and page key of each.
            read: Gives the HTML of a hash as UTF-8.
        """
        batch: list[SnapshotRow] = []
        # Page by page, so that one keyframe at a time is at work and none has to be prepared twice.
        for key, page in sorted(pages, key=lambda entry: entry[1]):
            batch.append(self._encode(key, page, read(key)))
            if len(batch) == BATCH:
                insert_rows(self._connection, batch)
                batch = []
        insert_rows(self._connection, batch)

    def get(self, key: str) -> str:
        """The HTML of a snapshot, checked against its hash.

        Raises:
            StoreError: It is unknown or damaged.
        """
        return self.get_bytes(key).decode()

    def get_bytes(self, key: str) -> bytes:
        """The same as UTF-8."""
        raw = self._read(key)
        if bytes_hash(raw) != key:
            raise _damaged(key, "its content does not fit its hash")
        return raw

    def forget(self) -> None:
        """Drop what is held in memory, because the transaction it belonged to was undone."""
        self._keyframes.clear()
        self._latest.clear()

    def _encode(self, key: str, page: str, raw: bytes) -> SnapshotRow:
        latest = self._latest_keyframe(page)
        if latest is not None:
            difference = self._keyframe(latest.key).compressor.compress(raw)
            if len(difference) <= KEYFRAME_SHARE * latest.size:
                return SnapshotRow(key, page, len(raw), len(difference), latest.key, difference)
        whole = self._whole.compress(raw)
        self._latest[page] = _Latest(key, len(whole))
        self._remember(key, raw)
        return SnapshotRow(key, page, len(raw), len(whole), None, whole)

    def _latest_keyframe(self, page: str) -> _Latest | None:
        if page not in self._latest:
            query = (
                "SELECT hash, stored_bytes FROM snapshot WHERE page = ? AND keyframe IS NULL "
                "ORDER BY rowid DESC LIMIT 1"
            )
            found = first_row(self._connection, query, [page])
            self._latest[page] = _Latest(*found) if found else None
        return self._latest[page]

    def _keyframe(self, key: str) -> _Keyframe:
        if key in self._keyframes:
            self._keyframes.move_to_end(key)
            return self._keyframes[key]
        return self._remember(key, self._read(key))

    def _remember(self, key: str, raw: bytes) -> _Keyframe:
        keyframe = self._keyframes[key] = _Keyframe(raw)
        if len(self._keyframes) > MAX_KEYFRAMES:
            self._keyframes.popitem(last=False)
        return keyframe

    def _read(self, key: str) -> bytes:
        with wrapped(f"read snapshot {key}"):
            rows = select_rows(self._connection, SnapshotRow, "WHERE hash = ?", [key])
        if not rows:
            raise StoreError(
                f"snapshot {key} is not in the store; ingest the recording that names it."
            )
        row = rows[0]
        # A merged keyframe may itself be a difference here, so this can go down several levels.
        decoder = (
            zstandard.ZstdDecompressor()
            if row.keyframe is None
            else self._keyframe(row.keyframe).decompressor
        )
        try:
            return decoder.decompress(row.data)
        except zstandard.ZstdError as error:
            raise _damaged(key, str(error)) from error


def _damaged(key: str, why: str) -> StoreError:
    return StoreError(
        f"snapshot {key} is damaged ({why}). Move the store away and ingest the recordings again."
    )
