"""Put pages together again that the page's script sends as differences to what it sent before.

A message `{id, n, at, end, html}` is version `n` of document `id`: the first `at` and the last
`end` UTF-16 units of version `n - 1` with `html` between them; version 1 is whole. Events refer to
a version as `id:n`.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any

MAX_DOCUMENTS = 32
"""Documents held; each page load begins one, and the old ones are never heard of again."""
MAX_VERSIONS = 4
"""Versions held of each: an event may be held back in the page while a later version is sent."""
_UNIT_BYTES = 2


@dataclass(frozen=True)
class _Version:
    n: int
    raw: bytes
    """UTF-16, because the page counts so."""


class Pages:
    """The latest versions of the documents of one recording."""

    def __init__(self) -> None:
        self._documents: OrderedDict[str, deque[_Version]] = OrderedDict()

    def take(self, message: dict[str, Any]) -> None:
        """Take in a message of a page; one whose predecessor is not known is passed over.

        Raises:
            KeyError: It lacks a part.
            ValueError: A part has no sensible value.
        """
        name, n = str(message["id"]), int(message["n"])
        middle = str(message["html"]).encode("utf-16-le", "surrogatepass")
        at, end = int(message["at"]) * _UNIT_BYTES, int(message["end"]) * _UNIT_BYTES
        if n == 1:
            self._begin(name)
        else:
            base = self._find(name, n - 1)
            if base is None:
                return
            if not 0 <= at + end <= len(base):
                raise ValueError(f"version {n} of page {name} keeps more than there was")
            middle = base[:at] + middle + base[len(base) - end :]
        self._documents[name].append(_Version(n, middle))
        self._documents.move_to_end(name)

    def get(self, reference: str) -> str | None:
        """The page an event refers to, None when it is not known any more."""
        name, _, n = reference.partition(":")
        raw = self._find(name, int(n)) if n.isdecimal() else None
        return None if raw is None else raw.decode("utf-16-le", "replace")

    def _begin(self, name: str) -> None:
        self._documents[name] = deque(maxlen=MAX_VERSIONS)
        if len(self._documents) > MAX_DOCUMENTS:
            self._documents.popitem(last=False)

    def _find(self, name: str, n: int) -> bytes | None:
        versions = self._documents.get(name, ())
        return next((v.raw for v in versions if v.n == n), None)
