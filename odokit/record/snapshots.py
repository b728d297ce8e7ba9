"""Content-addressed folder of filtered page snapshots, shared by all recordings beside it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import zstandard

from odokit.errors import RecordError

HASH_BYTES = 16


def snapshot_hash(html: str) -> str:
    """Content hash of a snapshot: BLAKE2b of its UTF-8 bytes, 128 bits, as hex."""
    return bytes_hash(html.encode())


def bytes_hash(raw: bytes) -> str:
    """The same of a snapshot that is UTF-8 already."""
    return hashlib.blake2b(raw, digest_size=HASH_BYTES).hexdigest()


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
        return self.get_bytes(key).decode()

    def get_bytes(self, key: str) -> bytes:
        """Read a snapshot back as the UTF-8 it was hashed as; see `get`."""
        path = self._path(key)
        try:
            raw = zstandard.ZstdDecompressor().decompress(path.read_bytes())
        except FileNotFoundError as error:
            raise RecordError(f"snapshot {path} is missing; restore it or record again.") from error
        except zstandard.ZstdError as error:
            raise RecordError(f"snapshot {path} is damaged ({error}); record again.") from error
        if bytes_hash(raw) != key:
            raise RecordError(f"snapshot {path} does not hold what its name says; record again.")
        return raw

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.html.zst"
