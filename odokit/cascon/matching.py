"""The data set's own matching rules, quirks included: mode `cascon`.

Reproduced so that published figures can be compared with. What a reader would not expect:

- a path with `[[ANY]]` is searched for anywhere in the path observed, and is itself an expression;
- a key with query parameters is met by a request that has none at all, and values are compared
  without regard to case;
- keys that begin with `_` are skipped, so `_method` is never checked;
- a key is looked for at any depth of objects, never inside lists;
- what was observed may be a *part* of what is expected: a text typed so far, or one item of a list,
  passes (also where the expected text is a rule such as `[[_includes='...']]`);
- `[[ANY]]` is met by an empty text, though not by an empty list or a list of empty texts;
- `GET` entries are ignored, and so is everything that was written besides.

Where the published code would stop with an error (a flag against a text, a rule against a value of
another type) it is no match here. Source: that data set's `core.py`, commit 996b7c9.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, urlencode, urlsplit

from odokit.cascon.readers import KeyEntry
from odokit.errors import EvaluateError
from odokit.evaluate.bodies import FORM_TYPES, short
from odokit.events import Event

ANY = "[[ANY]]"
RULE = re.compile(
    r"\[\[_(array_contains|array_not_contains|starts_with|includes)='(.*?)'\]\]", re.S
)


@dataclass(frozen=True)
class LoggedRequest:
    """A write as the published evaluator sees it.

    Attributes:
        method: Method on the wire, before a `_method` override.
        path: Path and query.
        body: Fields of the body; those of a form are lists.
    """

    method: str
    path: str
    body: Mapping[str, Any]


def as_logged(event: Event) -> LoggedRequest:
    """A write in the form that the published rules are about.

    Bodies that are no object count as empty. Blank form fields are kept, as in OdoBot's logs.
    """
    request = event.request
    assert request is not None
    body = request.body if isinstance(request.body, dict) else {}
    method = "POST" if body.get("_method") else request.method
    if request.content_type in FORM_TYPES:
        body = {k: v if isinstance(v, list) else [v] for k, v in body.items()}
    parts = urlsplit(request.url)
    return LoggedRequest(method, parts.path + (f"?{parts.query}" if parts.query else ""), body)


def entry_difference(entry: KeyEntry, request: LoggedRequest) -> str | None:
    """Why a request does not meet an entry of an answer key; None when it does."""
    if request.method != entry.method:
        return f"method is {request.method}"
    if not path_passes(entry.path, request.path):
        return f"path is {request.path}"
    for key, expected in entry.fields.items():
        if not _holds(key, expected, request.body):
            return f"nothing in the body satisfies {key} = {short(expected)}"
    return None


def path_passes(expected: str, observed: str) -> bool:
    """Whether a path with its query passes for the one of an answer key."""
    if ANY in expected:
        expression = expected.replace(ANY, ".+").replace("?", r"\?")
        return any(re.search(expression, form) for form in (observed, _encoded(observed)))
    if observed == expected:
        return True
    base, asks, query = expected.partition("?")
    observed_base, _, observed_query = observed.partition("?")
    if base != observed_base:
        return False
    if not asks or not observed_query:
        return True
    found = _lowered(observed_query)
    return all(found.get(key) == values for key, values in _lowered(query).items())


def _encoded(path: str) -> str:
    """A path with its query encoded as browsers do; our recorder keeps slashes readable."""
    base, asks, query = path.partition("?")
    pairs = parse_qsl(query, keep_blank_values=True)
    return base + asks + urlencode(pairs, quote_via=quote, safe="")


def _lowered(query: str) -> dict[str, list[str]]:
    return {key: [value.lower() for value in values] for key, values in parse_qs(query).items()}


def _holds(key: str, expected: Any, body: Mapping[str, Any]) -> bool:
    for name, value in body.items():
        if isinstance(value, dict):
            if _holds(key, expected, value):
                return True
        elif name == key and _passes(expected, value):
            return True
    return False


def _passes(expected: Any, observed: Any) -> bool:
    if expected == observed:
        return True
    is_text = isinstance(observed, str) and observed != ""
    if is_text and isinstance(expected, (str, list)) and observed in expected:
        return True  # part of the text, or one of the items
    if not isinstance(expected, str):
        return False
    if expected == ANY:
        return not isinstance(observed, list) or any(item != "" for item in observed)
    rule = read_rule(expected)
    return rule is not None and _rule_passes(*rule, observed)


def read_rule(expected: str) -> tuple[str, str] | None:
    """Name and argument of a rule in an answer key; None for a plain text.

    Raises:
        EvaluateError: It looks like a rule and is none.
    """
    if not expected.startswith("[[_"):
        return None
    found = RULE.match(expected)
    if found is None:
        raise EvaluateError(f"the answer key holds an unknown rule: {short(expected)}.")
    return found[1], found[2]


def _rule_passes(rule: str, argument: str, observed: Any) -> bool:
    if isinstance(observed, str):
        if rule == "starts_with":
            return observed.startswith(argument)
        return (argument in observed) is (rule != "array_not_contains")
    if not isinstance(observed, list) or rule == "starts_with":
        return False
    if rule == "array_not_contains":
        return not _has_item(argument, observed)
    within = any(isinstance(item, str) and argument in item for item in observed)
    return within or (rule == "array_contains" and _has_item(argument, observed))


def _has_item(argument: str, observed: Sequence[Any]) -> bool:
    """Whether a list has an item; numbers when its first item is one."""
    if observed and isinstance(observed[0], int):
        return argument.lstrip("-").isdigit() and int(argument) in observed
    return argument in observed
