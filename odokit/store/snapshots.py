"""Snapshots by content hash, each stored as zstd difference to a keyframe of the same page.

Visits to one page are nearly equal, so a difference is a small fraction of the page. When a page
has drifted so far that the difference is no longer worth it, the next keyframe begins.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from urllib.parse import urlsplit

import duckdb
import zstandard

from odokit.errors import StoreError
from odokit.record.snapshots import snapshot_hash
from odokit.store.connect import first_row, wrapped
from odokit.store.rows import SnapshotRow
from odokit.store.table import insert_rows, select_rows

LEVEL = 3
KEYFRAME_SHARE = 0.5
"""A difference above this share of the whole page's compressed size starts a new keyframe."""
MAX_KEYFRAMES = 64
"""Keyframes held in memory, each with its prepared compressor."""
BATCH = MAX_KEYFRAMES // 2
"""Snapshots an INSERT. Each touches two keyframes at most, so none that is still unwritten can
have fallen out of memory."""
_VARIABLE = re.compile(r"\d+|(?=.*\d)[0-9a-f-]{8,}", re.IGNORECASE)


def page_key(url: str) -> str:
    """The page of an address: path and fragment route without origin and query, ids starred."""
    parts = urlsplit(url)
    route = parts.fragment.split("?")[0]
    segments = parts.path.split("/")
    if route.startswith(("/", "!")):
        segments += ["#", *route.lstrip("!").split("/")]
    return "/" + "/".join("*" if _VARIABLE.fullmatch(s) else s for s in segments if s)


class _Keyframe:
    """A page that others are differences to."""

    def __init__(self, raw: bytes) -> None:
        dictionary = zstandard.ZstdCompressionDict(raw, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        self.compressor = zstandard.ZstdCompressor(level=LEVEL, dict_data=dictionary)
        self.decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)


class SnapshotTable:
    """The snapshots of one open store."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._keyframes: OrderedDict[str, _Keyframe] = OrderedDict()
        self._latest: dict[str, str | None] = {}
        self._whole = zstandard.ZstdCompressor(level=LEVEL)

    def find_missing(self, hashes: Iterable[str]) -> list[str]:
        """Which of some hashes are not stored, in the order given."""
        wanted = list(hashes)
        query = "SELECT hash FROM snapshot WHERE hash IN (SELECT unnest(?::VARCHAR[]))"
        known = {key for (key,) in self._connection.execute(query, [wanted]).fetchall()}
        return [key for key in wanted if key not in known]

    def add(self, pages: Iterable[tuple[str, str, str]]) -> None:
        """Store snapshots that are not stored yet, inside the caller's transaction.

        Args:
            pages: Hash, address and HTML of each.
        """
        batch: list[SnapshotRow] = []
        for key, url, html in pages:
            batch.append(self._encode(key, page_key(url), html.encode()))
            if len(batch) == BATCH:
                insert_rows(self._connection, batch)
                batch = []
        insert_rows(self._connection, batch)

    def get(self, key: str) -> str:
        """The HTML of a snapshot, checked against its hash.

        Raises:
            StoreError: It is unknown or damaged.
        """
        raw = self._read(key)
        try:
            html = raw.decode()
        except UnicodeDecodeError as error:
            raise _damaged(key, str(error)) from error
        if snapshot_hash(html) != key:
            raise _damaged(key, "its content does not fit its hash")
        return html

    def forget(self) -> None:
        """Drop what is held in memory, because the transaction it belonged to was undone."""
        self._keyframes.clear()
        self._latest.clear()

    def _encode(self, key: str, page: str, raw: bytes) -> SnapshotRow:
        whole = self._whole.compress(raw)
        keyframe = self._latest_keyframe(page)
        if keyframe is not None:
            difference = self._keyframe(keyframe).compressor.compress(raw)
            if len(difference) <= KEYFRAME_SHARE * len(whole):
                return SnapshotRow(key, page, len(raw), len(difference), keyframe, difference)
        self._latest[page] = key
        self._remember(key, raw)
        return SnapshotRow(key, page, len(raw), len(whole), None, whole)

    def _latest_keyframe(self, page: str) -> str | None:
        if page not in self._latest:
            query = (
                "SELECT hash FROM snapshot WHERE page = ? AND keyframe IS NULL "
                "ORDER BY rowid DESC LIMIT 1"
            )
            found = first_row(self._connection, query, [page])
            self._latest[page] = found[0] if found else None
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
