"""Keep secrets out of everything that is stored.

Password fields are replaced in the page itself (capture.js); here the same is done for requests and
responses, by the name of the field and by known secret values. A placeholder `{{secret:name}}`
takes the value's place; the executor fills it at run time. Of a typed secret only a digest leaves
the page; a string of a request that has the same digest becomes a known secret.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, urlencode, urlsplit, urlunsplit

SECRET_KEY = re.compile(
    r"passw|passcode|passphrase|(?<![a-z])(pin([_-]?code)?|pwd?)(?![a-z])|secret|token|csrf|nonce"
    r"|api.?key|authorization|cookie|session.?id|cvc|cvv|card.?number",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(r"\{\{secret:([^}]+)\}\}")
MIN_LEARNT_CHARS = 4
"""Shorter typed secrets are not looked for elsewhere: too much else would be taken for them."""


def placeholder(name: str) -> str:
    """The text that stands for a secret of this name."""
    return f"{{{{secret:{name}}}}}"


def redact(value: Any, known: Collection[str] = ()) -> Any:
    """Replace secrets in a nested JSON value: by key name, and known values wherever they occur."""
    if isinstance(value, dict):
        return {redact_text(str(k), known): _redact_item(k, v, known) for k, v in value.items()}
    if isinstance(value, list):
        return [redact(item, known) for item in value]
    if isinstance(value, str):
        return redact_text(value, known)
    return value


def redact_text(text: str, known: Collection[str] = ()) -> str:
    """Replace known secret values inside a text, also where HTML, a URL or JSON spells them."""
    for secret in sorted(known, key=len, reverse=True):
        for form in _spellings(secret):
            text = text.replace(form, placeholder("known"))
    return text


@lru_cache(maxsize=256)
def _spellings(secret: str) -> tuple[str, ...]:
    if not secret:
        return ()
    forms = {
        secret,
        html.escape(secret, quote=False),
        html.escape(secret, quote=False).replace('"', "&quot;"),
        html.escape(secret),
        quote(secret),
        quote(secret, safe=""),
        quote_plus(secret),
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
    }
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def digest(text: str) -> tuple[int, int]:
    """Length and FNV-1a hash of a text over its UTF-16 units, as capture.js computes them."""
    units = text.encode("utf-16-le", "surrogatepass")
    value = 0x811C9DC5
    for i in range(0, len(units), 2):
        value = ((value ^ (units[i] | units[i + 1] << 8)) * 0x01000193) & 0xFFFFFFFF
    return len(units) // 2, value


def find_typed(strings: Iterable[str], typed: Collection[tuple[int, int]]) -> set[str]:
    """Those of some strings that were typed as secrets.

    Args:
        strings: What is sent.
        typed: Digests of what was typed into secret fields.
    """
    return {s for s in strings if len(s) >= MIN_LEARNT_CHARS and digest(s) in typed}


def redact_url(url: str, known: Collection[str] = ()) -> str:
    """Replace secrets in a URL's query, by key and by value."""
    parts = urlsplit(url)
    if not parts.query:
        return redact_text(url, known)
    pairs = [
        (redact_text(k, known), redact_text(str(_redact_item(k, v, known)), known))
        for k, v in parse_qsl(parts.query, keep_blank_values=True)
    ]
    query = urlencode(pairs, safe="{}:/")
    return redact_text(urlunsplit(parts._replace(query=query)), known)


def _redact_item(key: str, value: Any, known: Collection[str]) -> Any:
    if isinstance(value, list):
        return [_redact_item(key, item, known) for item in value]
    # A flag such as `learner_can_login_with_no_password` is a setting, not a secret.
    if (
        SECRET_KEY.search(str(key))
        and isinstance(value, (str, int))
        and not isinstance(value, bool)
    ):
        return placeholder(str(key)) if value not in ("", None) else value
    return redact(value, known)
