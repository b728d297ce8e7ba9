"""URL templates: the part of an address that says *which page*, with what varies starred out.

The template of an address is its path, its fragment when that is a route (`#/...`), and those
query keys that say which page it is; scheme, host and the rest of the query are left out. A segment
varies for one of these reasons, which `explain` names:

- its form: digits, UUID, long hexadecimal or mixed token, date, numbered path parameter;
- a pattern declared for the application, such as "what follows pages/ is the slug of a wiki page";
- evidence of values: a value of the task it was recorded under stood in its place, as text or as a
  slug (a number may follow), or the first word of the slug that follows; then what stands there
  varies, but for what was seen to be no value;
- evidence of numbers: two different slugs ending in a number, such as `oak-table_2`, stood there.

`v1` and `h1` stay as they are: a segment is judged whole, never by runs of digits inside it. A
query key says which page it is when every address of a path has it, with a few words for values,
each seen with different values of other keys (`?action=edit&id=1`, `?action=edit&id=2`, ...).

Source: paper, section III-A ("base path"); the reference's digit-run wildcard is its defect 9.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from odokit.urls.addresses import Places, observe, query_of, segments_of
from odokit.urls.patterns import UrlPattern, Verdict, form_of

Part = Literal["path", "route", "query"]

FIXED = "a word"
EVIDENCE = "value of a task"
NUMBERED = "numbered like others in its place"
NO_VALUE = "stands beside values, never was one"
ROUTING = "says which page, with every address of the path"
CONTENT = "what the page shows, not which page it is"
_NUMBERED_SLUG = re.compile(r"(?=.*[A-Za-z])\w+(-\w+)*[_-]\d+")
_WORD = re.compile(r"[A-Za-z][A-Za-z_.-]*")


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
        seen = (places for url, values in observed for places in observe([url], values))
        return cls.learn_places(seen, patterns)

    @classmethod
    def learn_places(
        cls, observed: Iterable[Places], patterns: tuple[UrlPattern, ...] = ()
    ) -> UrlTemplates:
        """Learn what varies from what `observe` took from the addresses of all trajectories."""
        seen = frozenset(observed)
        learned = cls(patterns=patterns)
        # A value early in an address hides those behind it until it is starred out.
        for _ in range(max((len(places.path) for places in seen), default=0)):
            found = learned._with_evidence(seen)
            is_settled = (found.slugs, found.numbered) == (learned.slugs, learned.numbered)
            learned = found
            if is_settled:
                break
        return learned._with_routing(seen)

    def _with_evidence(self, seen: Iterable[Places]) -> UrlTemplates:
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

    def _with_routing(self, seen: Iterable[Places]) -> UrlTemplates:
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
        path = [segment for _, segment in self._explain_path(segments_of(url))]
        keys = self.routing.get(_joined(path), frozenset())
        query = (
            Segment(f"{key}={value}", f"{key}={value}", ROUTING, "query")
            if key in keys
            else Segment(f"{key}={value}", "", CONTENT, "query")
            for key, value in query_of(url)
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
        form = form_of(text)
        if form:
            return "varies", form
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
