"""URL templates: the part of an address that says *which page*, with what varies starred out.

The template of an address is its path, and its fragment when that is a route (`#/...`), without
scheme, host and query. A segment is variable for one of these reasons, which `explain` names:

- its form: digits, UUID, long hexadecimal or mixed token, date, numbered path parameter;
- a pattern declared for the application, such as "what follows pages/ is the slug of a wiki page";
- evidence: a value of the task it was recorded under stood in its place, as text or as a slug (a
  number may follow); then whatever stands there varies, but for what was seen to be no value.

`v1` and `h1` stay as they are: a segment is judged whole, never by runs of digits inside it.
Source: paper, section III-A ("base path"); the reference's digit-run wildcard is its defect 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("number", re.compile(r"\d+")),
    ("uuid", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}(T[\d:.]+Z?)?")),
    ("hex id", re.compile(r"(?=.*\d)[0-9a-f]{8,}", re.I)),
    ("token", re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_]{16,}")),
    ("path parameter", re.compile(r"[\w-]+(;[\w-]+=\d+)+")),  # Angular's `groups;contents=7`
)


@dataclass(frozen=True)
class UrlPattern:
    """A rule of one application for what varies in its addresses.

    Attributes:
        reason: What `explain` says of a segment it stars out.
        before: Regular expression that the template of the path before must match as a whole.
        segment: Regular expression that the segment must match as a whole.
    """

    reason: str
    before: str
    segment: str

    def matches(self, before: str, segment: str) -> bool:
        """Whether a segment after a path template varies by this rule."""
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


@dataclass(frozen=True)
class Segment:
    """One path segment with its verdict."""

    text: str
    """The segment as observed."""
    template: str
    """`*` when variable, else the text."""
    reason: str
    """Why it is variable; empty when it is fixed."""


@dataclass(frozen=True)
class UrlTemplates:
    """Templates with the evidence gathered from recorded addresses.

    Attributes:
        slugs: For each path template after which a value was seen, what else was seen there.
        patterns: Rules of the application for what else varies; the first that matches counts.
    """

    slugs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    patterns: tuple[UrlPattern, ...] = ()

    @classmethod
    def learn(
        cls,
        observed: Iterable[tuple[str, Iterable[str]]],
        patterns: tuple[UrlPattern, ...] = (),
    ) -> UrlTemplates:
        """Learn variable segments from addresses and the task values they were seen with.

        Args:
            observed: Pairs of an address and the parameter values of its trajectory.
            patterns: Rules of the application, which need no evidence.
        """
        seen = [(url, _value_forms(values)) for url, values in observed]
        learned = cls(patterns=patterns)
        # A value early in an address hides those behind it until it is starred out.
        for _ in range(max((len(_segments(url)) for url, _ in seen), default=0)):
            found = learned._with_evidence(seen)
            if found == learned:
                break
            learned = found
        return learned

    def _with_evidence(self, seen: Iterable[tuple[str, frozenset[str]]]) -> UrlTemplates:
        values: set[str] = set(self.slugs)
        others: dict[str, set[str]] = {}
        for url, known in seen:
            before = ""
            for segment in self.explain(url):
                is_value = _bare(segment.text) in known
                if is_value and (not segment.reason or before in self.slugs):
                    values.add(before)
                elif not is_value and segment.reason in ("", _EVIDENCE):
                    others.setdefault(before, set()).add(segment.text)
                before = f"{before}/{segment.template}"
        return UrlTemplates(
            {key: frozenset(others.get(key, ())) for key in sorted(values)}, self.patterns
        )

    def template(self, url: str) -> str:
        """The template of an address, such as `/en/coach/#/*/lessons`."""
        return "/" + "/".join(s.template for s in self.explain(url))

    def explain(self, url: str) -> tuple[Segment, ...]:
        """Every segment of an address with the reason why it is variable."""
        explained: list[Segment] = []
        before = ""
        for text in _segments(url):
            reason = self._reason(before, text)
            segment = Segment(text, "*" if reason else text, reason)
            explained.append(segment)
            before = f"{before}/{segment.template}"
        return tuple(explained)

    def _reason(self, before: str, text: str) -> str:
        for name, form in FORMS:
            if form.fullmatch(text):
                return name
        for pattern in self.patterns:
            if pattern.matches(before, text):
                return pattern.reason
        return _EVIDENCE if before in self.slugs and text not in self.slugs[before] else ""


_EVIDENCE = "value of a task"


def _value_forms(values: Iterable[str]) -> frozenset[str]:
    return frozenset({f for value in values for f in (value.lower(), slugify(value))} - {""})


def _bare(segment: str) -> str:
    """A segment without the number that tells slugs of equal titles apart."""
    return re.sub(r"(?<=\w)[_-]\d+$", "", unquote(segment).lower())


def preset(apps: Iterable[str]) -> tuple[UrlPattern, ...]:
    """The patterns of some applications; an application without a preset has none."""
    return tuple(p for app in dict.fromkeys(apps) for p in PRESETS.get(app, ()))


def slugify(text: str) -> str:
    """Lower-case words joined by hyphens, as applications make slugs from titles."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def origin(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _segments(url: str) -> list[str]:
    parts = urlsplit(url)
    path = [s for s in parts.path.split("/") if s]
    route = parts.fragment.split("?")[0]
    if not route.startswith(("/", "!")):
        return path
    return [*path, "#", *(s for s in route.lstrip("!").split("/") if s)]
