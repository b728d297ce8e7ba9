"""Content-addressed folder of filtered page snapshots, shared by all recordings beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import zstandard

from odokit.errors import RecordError

HASH_BYTES = 16


def snapshot_hash(html: str) -> str:
    """Content hash of a snapshot: BLAKE2b of its UTF-8 bytes, 128 bits, as hex."""
    return hashlib.blake2b(html.encode(), digest_size=HASH_BYTES).hexdigest()


class SnapshotFolder:
    """A folder of zstd files named by the hash of what they hold."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, html: str) -> str:
        """Store a snapshot unless it is there already; return its hash."""
        key = snapshot_hash(html)
        path = self._path(key)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            partial.write_bytes(zstandard.ZstdCompressor(level=12).compress(html.encode()))
            partial.replace(path)
        return key

    def get(self, key: str) -> str:
        """Read a snapshot back and check that its content fits its name.

        Raises:
            RecordError: The file is missing or damaged.
        """
        path = self._path(key)
        try:
            html = zstandard.ZstdDecompressor().decompress(path.read_bytes()).decode()
        except FileNotFoundError as error:
            raise RecordError(f"snapshot {path} is missing; restore it or record again.") from error
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise RecordError(f"snapshot {path} is damaged ({error}); record again.") from error
        if snapshot_hash(html) != key:
            raise RecordError(f"snapshot {path} does not hold what its name says; record again.")
        return html

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.html.zst"
