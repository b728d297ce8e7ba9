"""What varies whatever was seen: the forms of ids, and rules declared for an application."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from odokit.errors import ConfigError

Verdict = Literal["varies", "fixed"]

FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("number", re.compile(r"\d+")),
    ("uuid", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)),
    ("date", re.compile(r"\d{4}-\d{2}(-\d{2}(T[\d:.]+Z?)?)?")),
    ("hex id", re.compile(r"(?=.*\d)[0-9a-f]{8,}(\.[a-z]{2,4})?", re.I)),
    ("token", re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_]{16,}")),
    ("path parameter", re.compile(r"[\w-]+(;[\w-]+=\d+)+")),  # Angular's `groups;contents=7`
)


@dataclass(frozen=True)
class UrlPattern:
    """A rule of one application for what varies in its addresses, or what does not.

    Attributes:
        reason: What `explain` says of a segment it decides.
        before: Regular expression that the template of the path before must match as a whole.
        segment: Regular expression that the segment must match as a whole.
        verdict: `varies`, or `fixed` for what would be starred out by its form or by evidence.
    """

    reason: str
    before: str
    segment: str
    verdict: Verdict = "varies"

    def matches(self, before: str, segment: str) -> bool:
        """Whether the rule decides a segment after a path template."""
        return bool(re.fullmatch(self.segment, segment) and re.fullmatch(self.before, before))


PRESETS: Mapping[str, tuple[UrlPattern, ...]] = {
    "canvas": (
        UrlPattern("slug of a wiki page", r".*/pages", r".+"),
        UrlPattern("name of a folder", r".*/files/folder(/\*)*", r".+"),
        UrlPattern("id of another shard", r".*", r"\d+~\d+"),
        UrlPattern("id of another system", r".*", r"(sis_\w+|uuid|lti_\w+):.+"),
    ),
}
"""Patterns by application, as recordings name it. Source: routes and API pages of Canvas LMS."""


@lru_cache(maxsize=65536)
def form_of(text: str) -> str:
    """The form that makes a segment vary wherever it stands; empty when it has none."""
    return next((name for name, form in FORMS if form.fullmatch(text)), "")


def read_patterns(tables: Sequence[Mapping[str, str]], apps: Iterable[str]) -> list[UrlPattern]:
    """The patterns that a settings file declares for some applications.

    Args:
        tables: The tables `[[url_patterns]]`: `reason`, `before`, `segment`, and if wanted
            `verdict` and the `app` they are for (all, when left out).
        apps: Names of the applications.

    Raises:
        ConfigError: A table lacks a field, has an unknown one, or a bad value.
    """
    wanted = {"", *apps}
    found: list[UrlPattern] = []
    for number, table in enumerate(tables, start=1):
        where = f"url_patterns, table {number}"
        fields = {key: value for key, value in table.items() if key != "app"}
        names = {"reason", "before", "segment"}
        if not names <= set(fields) <= names | {"verdict"}:
            raise ConfigError(
                f"{where}: give {', '.join(sorted(names))}, and if wanted app and verdict; "
                f"found {', '.join(sorted(table)) or 'nothing'}."
            )
        if fields.get("verdict", "varies") not in ("varies", "fixed"):
            raise ConfigError(f"{where}, field verdict: must be varies or fixed.")
        for name in ("before", "segment"):
            try:
                re.compile(fields[name])
            except re.error as error:
                raise ConfigError(
                    f"{where}, field {name}: no regular expression: {error}."
                ) from error
        if table.get("app", "") in wanted:
            found.append(UrlPattern(**fields))  # type: ignore[arg-type]  # checked above
    return found


def preset(apps: Iterable[str]) -> tuple[UrlPattern, ...]:
    """The patterns of some applications; an application without a preset has none."""
    return tuple(p for app in dict.fromkeys(apps) for p in PRESETS.get(app, ()))
