"""The data set's answer keys as our own: mode `strict`.

Paths are matched whole, `_method` counts, texts must be equal where the key gives a text, and what
is written besides must be noise of Canvas or belong to taking the same quiz. Of what the keys leave
open, nothing can be added: wrong quiz answers pass, as the keys do not give the right ones, and a
search or a view (`GET`) leaves no write to judge.
"""

from __future__ import annotations

import re
from typing import Any

from odokit.cascon.matching import ANY, read_rule
from odokit.cascon.readers import CasconInstance, KeyEntry
from odokit.tasks import Expectation, ExpectedWrite

_MATCHERS = {
    "includes": "$contains",
    "starts_with": "$starts_with",
    "array_contains": "$has",
    "array_not_contains": "$lacks",
}
_QUIZ = re.compile(r"/courses/\d+/quizzes/\d+(?=/)")


def _pattern(method: str, path: str, operation: str = "") -> ExpectedWrite:
    return ExpectedWrite(method=method, path=path, operation=operation, status="not_refused")


CANVAS_NOISE: tuple[ExpectedWrite, ...] = (
    _pattern("POST", "/login/canvas"),
    _pattern("PUT", "/page_views/*"),
    _pattern("POST", "/api/v1/courses/*/ping"),
    _pattern("POST", "/api/v1/groups/*/ping"),
    _pattern("POST", "/api/v1/courses/*/quizzes/*/submissions/*/events"),
    _pattern("PUT", "/api/v1/courses/*/discussion_topics/*/read"),
    _pattern("PUT", "/api/v1/groups/*/discussion_topics/*/read"),
    _pattern("PUT", "/api/v1/courses/*/discussion_topics/*/entries/*/read"),
    _pattern("PUT", "/api/v1/groups/*/discussion_topics/*/entries/*/read"),
    _pattern("POST", "/api/graphql", "UpdateDiscussionReadState"),
    _pattern("POST", "/api/graphql", "UpdateDiscussionEntriesReadState"),
)
"""Writes Canvas sends by itself: sign-in, usage, presence, quiz log, marking as read what is shown.

Source: the routes and API pages of Canvas LMS; not measured, as we have no Canvas. Extend it by
what your Canvas sends on a visit during which nothing is done.
"""


def strict_expectation(instance: CasconInstance) -> Expectation:
    """The answer key of an instance in our terms.

    Raises:
        EvaluateError: The key holds an unknown rule.
    """
    writes = [_strict_write(entry) for entry in instance.answer_key if entry.method != "GET"]
    quizzes = dict.fromkeys(q[0] for w in writes if (q := _QUIZ.match(w.path)))
    return Expectation(
        writes=tuple(writes), also_allowed=tuple(w for q in quizzes for w in _taking(q))
    )


def _strict_write(entry: KeyEntry) -> ExpectedWrite:
    operation = str(entry.fields.get("operationName", ""))
    fields = {k: _strict_value(v) for k, v in entry.fields.items() if k != "operationName"}
    inside: Any = {"$deep": fields} if fields else None
    if operation and inside:
        inside = {"variables": inside}
    return ExpectedWrite(
        method=str(entry.request_kv.get("_method", entry.method)),
        path=_strict_path(entry.path),
        body=inside,
        operation=operation,
        status="not_refused",
        alternative="" if entry.answer_id is None else str(entry.answer_id),
    )


def _strict_path(path: str) -> str:
    base, asks, query = path.replace(ANY, "*").partition("?")
    # Where it has a wild card the key's query is an expression; `.+` is all that occurs.
    return base + asks + query.replace("%2F", "/").replace(".+", "*")


def _strict_value(value: Any) -> Any:
    if value == ANY:
        return {"$any": True}
    if isinstance(value, list):
        return {"$items": value}
    rule = read_rule(value) if isinstance(value, str) else None
    return value if rule is None else {_MATCHERS[rule[0]]: rule[1]}


def _taking(quiz: str) -> list[ExpectedWrite]:
    """What Canvas sends while somebody takes a quiz, save handing it in."""
    saved = f"{quiz}/submissions/backup"
    return [
        _pattern("POST", f"{quiz}/take"),
        _pattern("POST", saved),
        _pattern("PUT", saved),
        _pattern("POST", f"{quiz}/submissions/*/record_answer"),
    ]
