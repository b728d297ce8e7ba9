"""Addresses taken apart, and what learning needs of each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from urllib.parse import parse_qsl, unquote, urlsplit


@dataclass(frozen=True)
class Places:
    """What learning needs of an address seen with some task values.

    Attributes:
        path: Its segments.
        is_value: For each segment, whether it is a task value.
        query: Its query keys and values.
        valued_keys: The query keys whose value is a task value.
    """

    path: tuple[str, ...]
    is_value: tuple[bool, ...]
    query: tuple[tuple[str, str], ...]
    valued_keys: frozenset[str]


def observe(urls: Iterable[str], values: Iterable[str]) -> frozenset[Places]:
    """Take from the addresses of a trajectory what `UrlTemplates.learn_places` needs.

    Args:
        urls: The addresses.
        values: The parameter values of its task.
    """
    known = _value_forms(values)
    return frozenset(_places(url, known) for url in set(urls))


def _places(url: str, known: frozenset[str]) -> Places:
    path = tuple(segments_of(url))
    query = tuple(query_of(url))
    bare = [*map(_bare, path), ""]
    return Places(
        path,
        # Slugs of what lies in something begin with its name: `lamps/lamps-of-brass_7`.
        tuple(
            text in known or (after in known and after.startswith(f"{text}-"))
            for text, after in pairwise(bare)
        ),
        query,
        frozenset(key for key, value in query if _bare(value) in known),
    )


def _value_forms(values: Iterable[str]) -> frozenset[str]:
    return frozenset({f for value in values for f in (value.lower(), slugify(value))} - {""})


def _bare(segment: str) -> str:
    """A segment without the number that tells slugs of equal titles apart."""
    return re.sub(r"(?<=\w)[_-]\d+$", "", unquote(segment).lower())


def slugify(text: str) -> str:
    """Lower-case words joined by hyphens, as applications make slugs from titles."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def origin(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def segments_of(url: str) -> list[str]:
    """Segments of the path, and after a `#` those of the fragment when that is a route."""
    parts = urlsplit(url)
    path = [s for s in parts.path.split("/") if s]
    route = parts.fragment.split("?")[0]
    if not route.startswith(("/", "!")):
        return path
    return [*path, "#", *(s for s in route.lstrip("!").split("/") if s)]


def query_of(url: str) -> list[tuple[str, str]]:
    """Keys and values of the query and of that of a route, empty values left out."""
    parts = urlsplit(url)
    route = parts.fragment.partition("?")[2] if parts.fragment.startswith(("/", "!")) else ""
    return [*parse_qsl(parts.query), *parse_qsl(route)]
