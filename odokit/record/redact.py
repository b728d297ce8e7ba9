"""Keep secrets out of everything that is stored.

Password fields are replaced in the page itself (capture.js); here the same is done for requests and
responses, by the name of the field and by known secret values. A placeholder `{{secret:name}}`
takes the value's place; the executor fills it at run time.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

SECRET_KEY = re.compile(
    r"passw|passcode|passphrase|\bpin(_code)?\b|secret|token|csrf|nonce|api.?key|authorization"
    r"|cookie|session.?id|cvc|cvv|card.?number",
    re.IGNORECASE,
)
PLACEHOLDER = re.compile(r"\{\{secret:([^}]+)\}\}")


def placeholder(name: str) -> str:
    """The text that stands for a secret of this name."""
    return f"{{{{secret:{name}}}}}"


def redact(value: Any, known: Collection[str] = ()) -> Any:
    """Replace secrets in a nested JSON value: by key name, and known values wherever they occur."""
    if isinstance(value, dict):
        return {k: _redact_item(k, v, known) for k, v in value.items()}
    if isinstance(value, list):
        return [redact(item, known) for item in value]
    if isinstance(value, str):
        return redact_text(value, known)
    return value


def redact_text(text: str, known: Collection[str] = ()) -> str:
    """Replace known secret values inside a text."""
    for secret in known:
        if secret and secret in text:
            text = text.replace(secret, placeholder("known"))
    return text


def redact_url(url: str, known: Collection[str] = ()) -> str:
    """Replace secrets in a URL's query, by key and by value."""
    parts = urlsplit(url)
    if not parts.query:
        return redact_text(url, known)
    pairs = [
        (k, placeholder(k) if SECRET_KEY.search(k) else v)
        for k, v in parse_qsl(parts.query, keep_blank_values=True)
    ]
    query = urlencode(pairs, safe="{}:/")
    return redact_text(urlunsplit(parts._replace(query=query)), known)


def _redact_item(key: str, value: Any, known: Collection[str]) -> Any:
    # A flag such as `learner_can_login_with_no_password` is a setting, not a secret.
    if (
        SECRET_KEY.search(str(key))
        and isinstance(value, (str, int))
        and not isinstance(value, bool)
    ):
        return placeholder(str(key)) if value not in ("", None) else value
    return redact(value, known)
