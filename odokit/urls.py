"""URL templates: the part of an address that says *which page*, with what varies starred out.

The template of an address is its path, its fragment when that is a route (`#/...`), and those
query keys that say which page it is; scheme, host and the rest of the query are left out. A segment
varies for one of these reasons, which `explain` names:

- its form: digits, UUID, long hexadecimal or mixed token, date, numbered path parameter;
- a pattern declared for the application, such as "what follows pages/ is the slug of a wiki page";
- evidence of values: a value of the task it was recorded under stood in its place, as text or as a
  slug (a number may follow); then what stands there varies, but for what was seen to be no value;
- evidence of numbers: two different slugs ending in a number, such as `oak-table_2`, stood there.

`v1` and `h1` stay as they are: a segment is judged whole, never by runs of digits inside it. A
query key says which page it is when every address of a path has it, with a few words for values,
each seen with different values of other keys (`?action=edit&id=1`, `?action=edit&id=2`, ...).

Source: paper, section III-A ("base path"); the reference's digit-run wildcard is its defect 9.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from odokit.errors import ConfigError

Verdict = Literal["varies", "fixed"]
Part = Literal["path", "route", "query"]

FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("number", re.compile(r"\d+")),
    ("uuid", re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.I)),
    ("date", re.compile(r"\d{4}-\d{2}(-\d{2}(T[\d:.]+Z?)?)?")),
    ("hex id", re.compile(r"(?=.*\d)[0-9a-f]{8,}(\.[a-z]{2,4})?", re.I)),
    ("token", re.compile(r"(?=.*\d)(?=.*[A-Za-z])[A-Za-z0-9_]{16,}")),
    ("path parameter", re.compile(r"[\w-]+(;[\w-]+=\d+)+")),  # Angular's `groups;contents=7`
)
FIXED = "a word"
EVIDENCE = "value of a task"
NUMBERED = "numbered like others in its place"
NO_VALUE = "stands beside values, never was one"
ROUTING = "says which page, with every address of the path"
CONTENT = "query"
_NUMBERED_SLUG = re.compile(r"(?=.*[A-Za-z])\w+(-\w+)*[_-]\d+")
_WORD = re.compile(r"[A-Za-z][A-Za-z_.-]*")


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


@dataclass(frozen=True)
class Segment:
    """One segment of a path or route, or one query key, with its verdict."""

    text: str
    """The segment as observed; of a query `key=value`."""
    template: str
    """`*` when it varies, else the text; empty for a query key that does not count."""
    reason: str
    """Why it varies or is fixed."""
    part: Part = "path"
    """Where it stands."""
    n_texts: int = 0
    """Different texts seen in its place when the templates were learned."""

    @property
    def is_variable(self) -> bool:
        """Whether other texts in its place make the same page."""
        return self.template.endswith("*") and self.template != self.text


@dataclass(frozen=True)
class UrlTemplates:
    """Templates with the evidence gathered from recorded addresses.

    Attributes:
        slugs: For each path template after which a value was seen, what else was seen there.
        numbered: Path templates after which numbered slugs stand.
        routing: For each template of a whole path, the query keys that say which page it is.
        patterns: Rules of the application, which need no evidence; the first that matches counts.
        n_texts: For each path template, the number of different texts seen after it.
    """

    slugs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    numbered: frozenset[str] = frozenset()
    routing: Mapping[str, frozenset[str]] = field(default_factory=dict)
    patterns: tuple[UrlPattern, ...] = ()
    n_texts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def learn(
        cls,
        observed: Iterable[tuple[str, Iterable[str]]],
        patterns: tuple[UrlPattern, ...] = (),
    ) -> UrlTemplates:
        """Learn what varies from addresses and the task values they were seen with.

        Args:
            observed: Pairs of an address and the parameter values of its trajectory, in any order.
            patterns: Rules of the application.
        """
        seen = frozenset(_places(url, _value_forms(values)) for url, values in observed)
        learned = cls(patterns=patterns)
        # A value early in an address hides those behind it until it is starred out.
        for _ in range(max((len(places.path) for places in seen), default=0)):
            found = learned._with_evidence(seen)
            is_settled = (found.slugs, found.numbered) == (learned.slugs, learned.numbered)
            learned = found
            if is_settled:
                break
        return learned._with_routing(seen)

    def _with_evidence(self, seen: Iterable[_Places]) -> UrlTemplates:
        values: set[str] = set(self.slugs)
        others: defaultdict[str, set[str]] = defaultdict(set)
        slugs: defaultdict[str, set[str]] = defaultdict(set)
        texts: defaultdict[str, set[str]] = defaultdict(set)
        for places in seen:
            explained = self._explain_path(places.path)
            for (before, segment), is_value in zip(explained, places.is_value, strict=True):
                texts[before].add(segment.text)
                if segment.reason in (FIXED, NUMBERED) and _NUMBERED_SLUG.fullmatch(segment.text):
                    slugs[before].add(segment.text)
                if is_value and (not segment.is_variable or before in self.slugs):
                    values.add(before)
                elif not is_value and segment.reason in (FIXED, NO_VALUE, EVIDENCE):
                    others[before].add(segment.text)
        return UrlTemplates(
            {key: frozenset(others.get(key, ())) for key in sorted(values)},
            self.numbered | {before for before, found in slugs.items() if len(found) > 1},
            patterns=self.patterns,
            n_texts={key: len(found) for key, found in sorted(texts.items())},
        )

    def _with_routing(self, seen: Iterable[_Places]) -> UrlTemplates:
        queries: defaultdict[str, set[tuple[tuple[str, str], ...]]] = defaultdict(set)
        valued: defaultdict[str, set[str]] = defaultdict(set)
        for places in seen:
            path = _joined(segment for _, segment in self._explain_path(places.path))
            queries[path].add(places.query)
            valued[path] |= places.valued_keys
        routing = {path: _routing_keys(found) - valued[path] for path, found in queries.items()}
        kept = {path: frozenset(keys) for path, keys in sorted(routing.items()) if keys}
        return UrlTemplates(self.slugs, self.numbered, kept, self.patterns, self.n_texts)

    def template(self, url: str) -> str:
        """The template of an address, such as `/en/coach/#/*/lessons`."""
        known = self._known.get(url)
        if known is None:
            explained = self.explain(url)
            known = _joined(s for s in explained if s.part != "query")
            keys = [s.template for s in explained if s.part == "query" and s.template]
            known += "?" + "&".join(sorted(keys)) if keys else ""
            self._known[url] = known
        return known

    def explain(self, url: str) -> tuple[Segment, ...]:
        """Every segment and query key of an address with the reason why it varies or is fixed."""
        path = [segment for _, segment in self._explain_path(_segments(url))]
        keys = self.routing.get(_joined(path), frozenset())
        query = (
            Segment(f"{key}={value}", f"{key}={value}", ROUTING, "query")
            if key in keys
            else Segment(f"{key}={value}", "", CONTENT, "query")
            for key, value in _query(url)
        )
        return (*path, *query)

    def _explain_path(self, segments: Iterable[str]) -> Iterator[tuple[str, Segment]]:
        """Each segment with the template of the path before it."""
        before = ""
        part: Part = "path"
        for text in segments:
            part = "route" if text == "#" else part
            verdict, reason = self._judge(before, text)
            shown = "*" if verdict == "varies" else text
            yield before, Segment(text, shown, reason, part, self.n_texts.get(before, 0))
            before = f"{before}/{shown}"

    def _judge(self, before: str, text: str) -> tuple[Verdict, str]:
        matching = [p for p in self.patterns if p.matches(before, text)]
        if matching and matching[0].verdict == "fixed":
            return "fixed", matching[0].reason
        for name, form in FORMS:
            if form.fullmatch(text):
                return "varies", name
        if matching:
            return "varies", matching[0].reason
        if before in self.numbered and _NUMBERED_SLUG.fullmatch(text):
            return "varies", NUMBERED
        if before in self.slugs:
            is_other = text in self.slugs[before]
            return ("fixed", NO_VALUE) if is_other else ("varies", EVIDENCE)
        return "fixed", FIXED

    @cached_property
    def _known(self) -> dict[str, str]:
        return {}

    def to_json(self) -> dict[str, Any]:
        """The evidence and patterns as plain lists and mappings."""
        return {
            "slugs": {key: sorted(found) for key, found in self.slugs.items()},
            "numbered": sorted(self.numbered),
            "routing": {key: sorted(found) for key, found in self.routing.items()},
            "patterns": [[p.reason, p.before, p.segment, p.verdict] for p in self.patterns],
            "n_texts": dict(self.n_texts),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> UrlTemplates:
        """Templates from what `to_json` gave.

        Raises:
            KeyError: A part is missing.
        """
        return cls(
            {key: frozenset(found) for key, found in data["slugs"].items()},
            frozenset(data["numbered"]),
            {key: frozenset(found) for key, found in data["routing"].items()},
            tuple(UrlPattern(*parts) for parts in data["patterns"]),
            data["n_texts"],
        )


@dataclass(frozen=True)
class _Places:
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


def _places(url: str, known: frozenset[str]) -> _Places:
    path = tuple(_segments(url))
    query = tuple(_query(url))
    return _Places(
        path,
        tuple(_bare(text) in known for text in path),
        query,
        frozenset(key for key, value in query if _bare(value) in known),
    )


def _routing_keys(queries: set[tuple[tuple[str, str], ...]]) -> set[str]:
    """Keys that every address has and whose values, words all, are each seen in several."""
    found: set[str] = set()
    for key in set.intersection(*({k for k, _ in query} for query in queries)):
        values = [next(v for k, v in query if k == key) for query in queries]
        several = all(values.count(value) > 1 for value in set(values))
        if len(set(values)) > 1 and several and all(map(_WORD.fullmatch, values)):
            found.add(key)
    return found


def _joined(segments: Iterable[Segment]) -> str:
    return "/" + "/".join(s.template for s in segments)


def _value_forms(values: Iterable[str]) -> frozenset[str]:
    return frozenset({f for value in values for f in (value.lower(), slugify(value))} - {""})


def _bare(segment: str) -> str:
    """A segment without the number that tells slugs of equal titles apart."""
    return re.sub(r"(?<=\w)[_-]\d+$", "", unquote(segment).lower())


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


def _query(url: str) -> list[tuple[str, str]]:
    """Keys and values of the query and of that of a route, empty values left out."""
    parts = urlsplit(url)
    route = parts.fragment.partition("?")[2] if parts.fragment.startswith(("/", "!")) else ""
    return [*parse_qsl(parts.query), *parse_qsl(route)]
