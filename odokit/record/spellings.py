"""How a secret may be written where it is not written as it is: escaped, encoded, or both."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

MIN_BASE64_CHARS = 6
"""Shorter pieces of base64 are not looked for: they occur by chance."""
_URI_COMPONENT = "!*'()~-_."
"""What JavaScript's `encodeURIComponent` leaves as it is."""
_RUN = re.compile(r"[A-Za-z0-9]+")

_ENCODERS: tuple[Callable[[str], str], ...] = (
    lambda text: json.dumps(text)[1:-1],
    lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    lambda text: html.escape(text, quote=False),
    lambda text: html.escape(text, quote=False).replace('"', "&quot;"),
    html.escape,
    lambda text: quote(text, errors="replace"),
    lambda text: quote(text, safe="", errors="replace"),
    lambda text: quote(text, safe=_URI_COMPONENT, errors="replace"),
    lambda text: quote_plus(text, errors="replace"),
)


@lru_cache(maxsize=512)
def spellings(secret: str) -> tuple[str, ...]:
    """Every way a secret may be spelled, the longest first.

    As it is, and with its white space folded, as names of elements are; as JSON, HTML, a URL and
    base64 write it; and one of the first three within another.
    """
    if not secret:
        return ()
    plain = {secret, " ".join(secret.split()) or secret}
    once = {encode(form) for form in plain for encode in _ENCODERS}
    twice = {encode(form) for form in once for encode in _ENCODERS}
    forms = {*plain, *once, *twice, *base64_pieces(secret)}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def base64_pieces(secret: str) -> Iterator[str]:
    """What base64 makes of a secret inside a longer text, for each of the three alignments.

    Only characters that depend on the secret alone are kept, so at most a bit or two of its first
    and last byte are left over.
    """
    raw = secret.encode("utf-8", "replace")
    for shift in range(3):
        first, last = -(-shift * 8 // 6), (shift + len(raw)) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            piece = encode(bytes(shift) + raw).decode()[first:last]
            if len(piece) >= MIN_BASE64_CHARS:
                yield piece
                yield quote(piece, safe="")


@lru_cache(maxsize=512)
def clues(secret: str) -> tuple[str, ...]:
    """Pieces of which a text holds at least one if it holds the secret in any spelling.

    They are few, so that a long text is looked through quickly.
    """
    run = max(_RUN.findall(secret), key=len, default="")
    return (run, *sorted(set(base64_pieces(secret))))
