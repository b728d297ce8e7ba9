"""Content-addressed folder of filtered page snapshots, shared by all recordings beside it.

A page that was seen before in nearly the same state is kept as a zstd difference to a keyframe:

    ab/ab12….html.zst               a whole page
    cd/cd34….on-ab12….zst           what makes page cd34… of page ab12…

Use `SnapshotFolder.get`, which knows both and checks the content against the name.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import zstandard

from odokit.errors import RecordError

HASH_BYTES = 16
LEVEL = 12
DIFFERENCE_LEVEL = 9
"""Below 6, zstd prefers a near repetition of its own to the same place in the keyframe: differences
of pages with many alike rows come out 50 to 200 times as large."""
KEYFRAME_SHARE = 0.5
"""A difference above this share of its keyframe's compressed size becomes a keyframe itself."""
MAX_KEYFRAMES = 16
"""Keyframes held in memory, each with its prepared compressor."""
REWRITTEN = "rewritten"
"""What snapshots that were changed afterwards count as pages of."""
_VARIABLE = re.compile(r"\d+|(?=.*\d)[0-9a-f-]{8,}", re.IGNORECASE)


def snapshot_hash(html: str) -> str:
    """Content hash of a snapshot: BLAKE2b of its UTF-8 bytes, 128 bits, as hex."""
    return bytes_hash(html.encode())


def page_key(url: str) -> str:
    """The page of an address: path and fragment route without origin and query, ids starred."""
    parts = urlsplit(url)
    route = parts.fragment.split("?")[0]
    segments = parts.path.split("/")
    if route.startswith(("/", "!")):
        segments += ["#", *route.lstrip("!").split("/")]
    return "/" + "/".join("*" if _VARIABLE.fullmatch(s) else s for s in segments if s)


@dataclass(frozen=True)
class _Keyframe:
    """A whole page that others are differences to.

    Attributes:
        key: Its hash.
        size: Bytes it takes compressed.
        compressor: Makes differences to it.
    """

    key: str
    size: int
    compressor: zstandard.ZstdCompressor


class SnapshotFolder:
    """A folder of zstd files named by the hash of what they hold."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keyframes: OrderedDict[str, _Keyframe] = OrderedDict()
        self._read_last: tuple[str, zstandard.ZstdDecompressor] | None = None
        self.written: set[str] = set()
        """Hashes of what was stored here and was not there before."""

    def put(self, html: str, *, page: str = "") -> str:
        """Store a snapshot unless it is there already; return its hash.

        Args:
            html: The page as text.
            page: What page it is (`page_key`); stored as a difference to an earlier state of it
                where that is smaller.
        """
        raw = html.encode()
        key = bytes_hash(raw)
        if self._find(key) is not None:
            return key
        self.written.add(key)
        keyframe = self._keyframes.get(page)
        if keyframe is not None:
            self._keyframes.move_to_end(page)
            difference = keyframe.compressor.compress(raw)
            if len(difference) <= KEYFRAME_SHARE * keyframe.size:
                self._write(self._folder / key[:2] / f"{key}.on-{keyframe.key}.zst", difference)
                return key
        whole = zstandard.ZstdCompressor(level=LEVEL).compress(raw)
        self._write(self._whole(key), whole)
        self._remember(page, _Keyframe(key, len(whole), _difference_to(raw)))
        return key

    def get(self, key: str) -> str:
        """Read a snapshot back and check that its content fits its name.

        Raises:
            RecordError: The file is missing or damaged.
        """
        return self.get_bytes(key).decode()

    def get_bytes(self, key: str) -> bytes:
        """Read a snapshot back as UTF-8, as `get` does.

        Raises:
            RecordError: The file is missing or damaged.
        """
        path = self._find(key)
        if path is None:
            raise RecordError(
                f"snapshot {self._whole(key)} is missing; restore it or record again."
            )
        try:
            raw = self._decoder(path).decompress(path.read_bytes())
            raw.decode()
        except (zstandard.ZstdError, UnicodeDecodeError) as error:
            raise RecordError(f"snapshot {path} is damaged ({error}); record again.") from error
        except OSError as error:
            raise RecordError(
                f"snapshot {path} cannot be read: {error.strerror}. Restore it or record again."
            ) from error
        if bytes_hash(raw) != key:
            raise RecordError(f"snapshot {path} does not hold what its name says; record again.")
        return raw

    def size(self, key: str) -> int:
        """Bytes a snapshot takes on disk; 0 when it is not there."""
        path = self._find(key)
        return path.stat().st_size if path is not None else 0

    def rewrite(self, keys: Iterable[str], change: Callable[[str], str]) -> dict[str, str]:
        """Replace snapshots by changed ones; others that were differences to them stay readable.

        Args:
            keys: Hashes of those to look at, all of them in the folder.
            change: Gives the new text of a snapshot, or the same.

        Returns:
            The new hash of each that was changed.
        """
        texts = {key: change(self.get(key)) for key in keys}
        new = {key: html for key, html in texts.items() if snapshot_hash(html) != key}
        self._keyframes = OrderedDict(
            (page, frame) for page, frame in self._keyframes.items() if frame.key not in new
        )
        moved = {key: self.put(html, page=REWRITTEN) for key, html in new.items()}
        for key in moved:
            for path in list(self._folder.glob(f"*/*.on-{key}.zst")):
                self._detach(path, moved)
        for key in moved:
            self._whole(key).unlink(missing_ok=True)
        self._read_last = None
        return moved

    def _detach(self, path: Path, moved: Collection[str]) -> None:
        """Store a difference whole, or drop it where it is itself replaced."""
        key = path.name.partition(".on-")[0]
        if key not in moved:
            raw = self.get_bytes(key)
            self._write(self._whole(key), zstandard.ZstdCompressor(level=LEVEL).compress(raw))
        path.unlink()

    def _decoder(self, path: Path) -> zstandard.ZstdDecompressor:
        _, is_difference, rest = path.name.partition(".on-")
        if not is_difference:
            return zstandard.ZstdDecompressor()
        keyframe = rest.removesuffix(".zst")
        # Differences of one session are read one after another, and most are to one keyframe.
        if self._read_last is None or self._read_last[0] != keyframe:
            raw = self.get_bytes(keyframe)
            decoder = zstandard.ZstdDecompressor(dict_data=_as_dictionary(raw))
            self._read_last = (keyframe, decoder)
        return self._read_last[1]

    def _find(self, key: str) -> Path | None:
        whole = self._whole(key)
        if whole.exists():
            return whole
        return next(whole.parent.glob(f"{key}.on-*.zst"), None)

    def _whole(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.html.zst"

    def _write(self, path: Path, data: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".partial")
        partial.write_bytes(data)
        partial.replace(path)

    def _remember(self, page: str, keyframe: _Keyframe) -> None:
        self._keyframes[page] = keyframe
        self._keyframes.move_to_end(page)
        if len(self._keyframes) > MAX_KEYFRAMES:
            self._keyframes.popitem(last=False)


def bytes_hash(raw: bytes) -> str:
    """The same of a snapshot that is UTF-8 already."""
    return hashlib.blake2b(raw, digest_size=HASH_BYTES).hexdigest()


def _as_dictionary(raw: bytes) -> zstandard.ZstdCompressionDict:
    return zstandard.ZstdCompressionDict(raw, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def _difference_to(raw: bytes) -> zstandard.ZstdCompressor:
    dictionary = _as_dictionary(raw)
    dictionary.precompute_compress(level=DIFFERENCE_LEVEL)
    return zstandard.ZstdCompressor(level=DIFFERENCE_LEVEL, dict_data=dictionary)
