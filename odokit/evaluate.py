"""Judge an episode: do the observed writes and the database agree with the answer key?

Strict by default: method, path, body subset, response status and redirect, number and order of
writes, and no unexpected write. A body pattern is matched as a subset; a mapping with one `$` key
is a matcher:

    {$any: true}          present and not empty        {$contains: x}   text or list holds x
    {$absent: true}       key missing                  {$starts_with: x}
    {$length: n}          list or text of that length  {$regex: x}      whole text matches
    {$json: x}            equals the JSON text x: nothing less, and nothing more
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from odokit.errors import EvaluateError
from odokit.events import Event
from odokit.tasks import Expectation, ExpectedWrite, Query
from odokit.timeline import graphql_refused

_MISSING = object()


@dataclass(frozen=True)
class Verdict:
    """The judgement on one episode, with its reasons.

    Attributes:
        is_success: Whether network and database both agree with the answer key.
        network_ok: Whether every expected write was seen and no other.
        database_ok: Whether every database check holds; None when there are none.
        matched: `expected <- observed` for each expectation that was met.
        missing: Expectations no request met, each with the nearest miss.
        extra: Writes nobody expected.
        database: One line a failed check.
    """

    is_success: bool
    network_ok: bool
    database_ok: bool | None
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    database: tuple[str, ...]

    def explain(self) -> str:
        """All reasons in a few lines."""
        parts = [("matched", self.matched), ("missing", self.missing), ("extra", self.extra)]
        parts.append(("database", self.database))
        return "\n".join(f"{label}: {line}" for label, lines in parts for line in lines)


def evaluate(
    expectation: Expectation,
    events: Iterable[Event],
    *,
    noise: Sequence[ExpectedWrite] = (),
    query: Query | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Verdict:
    """Judge the writes of an episode against a bound answer key.

    Args:
        expectation: Answer key of the instance, ids bound (`tasks.bind`).
        events: The episode's events; only its writes count.
        noise: Writes the application sends by itself.
        query: Read-only access to the application's database for the cross-check, if any.
        parameters: Values and ids for the database checks.
    """
    writes = [e for e in events if e.kind.is_write and not _is_noise(e, noise)]
    matched, missing, used = _match_all(expectation, writes)
    allowed = expectation.also_allowed
    extra = [
        _show(e)
        for i, e in enumerate(writes)
        if i not in used and not any(mismatch(w, e) is None for w in allowed)
    ]
    failed = _failed_checks(expectation, query, parameters or {})
    network_ok = not missing and not extra
    return Verdict(
        is_success=network_ok and not failed,
        network_ok=network_ok,
        database_ok=None if query is None or not expectation.database else not failed,
        matched=tuple(matched),
        missing=tuple(missing),
        extra=tuple(extra),
        database=tuple(failed),
    )


def mismatch(expected: ExpectedWrite, event: Event) -> str | None:
    """Why an observed write does not meet an expectation; None when it does."""
    request = event.request
    if request is None:
        return "it is not a request"
    if request.method != expected.method.upper():
        return f"method is {request.method}"
    if not _path_matches(expected.path, request.url):
        return f"path is {urlsplit(request.url).path}"
    if expected.operation and request.operation != expected.operation:
        return f"operation is {request.operation or 'none'}"
    difference = body_difference(expected.body, request.body)
    if difference:
        return difference
    return _status_difference(expected, event)


def body_difference(expected: Any, observed: Any, where: str = "body") -> str | None:
    """The first way an observed value falls short of an expected subset; None when it fits."""
    if expected is None:
        return None
    if isinstance(expected, dict) and len(expected) == 1 and next(iter(expected)).startswith("$"):
        return _matcher_difference(*next(iter(expected.items())), observed, where)
    if isinstance(expected, dict):
        if not isinstance(observed, dict):
            return f"{where} is {_short(observed)}, not an object"
        for key, inner in expected.items():
            found = observed.get(key, _MISSING)
            difference = body_difference(inner, found, f"{where}.{key}")
            if difference:
                return difference
        return None
    if isinstance(expected, (list, tuple)):
        if not isinstance(observed, list) or len(observed) != len(expected):
            return f"{where} is {_short(observed)}, not {len(expected)} items"
        pairs = enumerate(zip(expected, observed, strict=True))
        return next(
            (d for i, (e, o) in pairs if (d := body_difference(e, o, f"{where}[{i}]"))), None
        )
    return None if _equal(expected, observed) else f"{where} is {_short(observed)}"


def _matcher_difference(name: str, argument: Any, observed: Any, where: str) -> str | None:
    text = observed if isinstance(observed, str) else ""
    tests: dict[str, Callable[[], bool]] = {
        "$any": lambda: observed is not _MISSING and observed not in (None, "", [], {}),
        "$absent": lambda: observed is _MISSING,
        "$contains": lambda: isinstance(observed, (str, list)) and argument in observed,
        "$starts_with": lambda: text.startswith(str(argument)) and bool(text),
        "$length": lambda: isinstance(observed, (str, list)) and len(observed) == argument,
        "$regex": lambda: re.fullmatch(str(argument), text) is not None,
        "$json": lambda: (
            observed is not _MISSING and _canonical(observed) == _canonical_text(argument)
        ),
    }
    if name not in tests:
        raise EvaluateError(f"unknown body matcher {name}; known are {', '.join(tests)}.")
    return None if tests[name]() else f"{where} is {_short(observed)}, not {name} {argument!r}"


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _canonical_text(text: Any) -> str:
    try:
        return _canonical(json.loads(str(text)))
    except ValueError as error:
        raise EvaluateError(f"the body matcher $json holds no JSON: {_short(text)}.") from error


def _match_all(
    expectation: Expectation, writes: Sequence[Event]
) -> tuple[list[str], list[str], set[int]]:
    """The alternative that is met, else the one that comes nearest."""
    best: tuple[list[str], list[str], set[int]] | None = None
    for group in _alternatives(expectation.writes):
        result = _match_group(group, writes, ordered=expectation.ordered)
        if best is None or len(result[1]) < len(best[1]):
            best = result
    assert best is not None
    return best


def _alternatives(writes: Sequence[ExpectedWrite]) -> list[list[ExpectedWrite]]:
    labels = list(dict.fromkeys(w.alternative for w in writes if w.alternative))
    if not labels:
        return [list(writes)]
    return [[w for w in writes if w.alternative in ("", label)] for label in labels]


def _match_group(
    group: Sequence[ExpectedWrite], writes: Sequence[Event], *, ordered: bool
) -> tuple[list[str], list[str], set[int]]:
    matched: list[str] = []
    missing: list[str] = []
    used: set[int] = set()
    last = -1
    for expected in group:
        start = last + 1 if ordered else 0
        found = next(
            (
                i
                for i in range(start, len(writes))
                if i not in used and mismatch(expected, writes[i]) is None
            ),
            None,
        )
        if found is None:
            missing.append(f"{_wanted(expected)}: {_nearest(expected, writes)}")
        else:
            used.add(found)
            last = found
            matched.append(f"{_wanted(expected)} <- {_show(writes[found])}")
    return matched, missing, used


def _nearest(expected: ExpectedWrite, writes: Sequence[Event]) -> str:
    reasons = [(mismatch(expected, e) or "out of order", e) for e in writes]
    close = [r for r in reasons if not r[0].startswith(("method is", "path is", "it is not"))]
    if close:
        return f"nearest was {_show(close[0][1])}, but {close[0][0]}"
    return f"none of the {len(writes)} observed writes has this method and path"


def _failed_checks(
    expectation: Expectation, query: Query | None, parameters: Mapping[str, Any]
) -> list[str]:
    if query is None:
        return []
    failed = []
    for check in expectation.database:
        rows = query(check.query, parameters)
        cell = rows[0][0] if rows else None
        if not _equal(check.equals, cell):
            failed.append(f"{check.query} gives {cell!r}, not {check.equals!r}")
    return failed


def _equal(expected: Any, observed: Any) -> bool:
    if isinstance(expected, bool) or isinstance(observed, bool):
        return type(expected) is type(observed) and expected == observed
    if isinstance(expected, str) and isinstance(observed, (int, float)):
        return expected == str(observed)  # a form field or a slot is always text
    return bool(expected == observed)


def _is_noise(event: Event, noise: Sequence[ExpectedWrite]) -> bool:
    return any(mismatch(pattern, event) is None for pattern in noise)


def _path_matches(pattern: str, url: str) -> bool:
    path = urlsplit(url).path
    expression = "[^/]+".join(re.escape(part) for part in pattern.split("*"))
    return re.fullmatch(expression, path) is not None


def _status_difference(expected: ExpectedWrite, event: Event) -> str | None:
    if event.response is None:
        return "no response was seen"
    status = event.response.status
    wanted = str(expected.status)
    ok = str(status)[0] == wanted[0] if wanted.endswith("xx") else str(status) == wanted
    if not ok:
        return f"status is {status}"
    location = event.response.location
    if expected.redirect and not _path_matches(expected.redirect, location):
        return f"it redirects to {location or 'nowhere'}"
    body = event.response.body
    if event.request is not None and event.request.operation and graphql_refused(body):
        return "the mutation was refused in the response body"
    return None


def _wanted(expected: ExpectedWrite) -> str:
    return f"{expected.method} {expected.path}" + (
        f" ({expected.operation})" if expected.operation else ""
    )


def _show(event: Event) -> str:
    request, response = event.request, event.response
    assert request is not None
    status = response.status if response else "no answer"
    name = f" ({request.operation})" if request.operation else ""
    return f"{request.method} {urlsplit(request.url).path}{name} {status} {_short(request.body)}"


def _short(value: Any) -> str:
    if value is _MISSING:
        return "missing"
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."
