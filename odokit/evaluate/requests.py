"""What makes one observed write meet one expectation, and how near a write came that does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any
from urllib.parse import parse_qs, unquote, unquote_plus, urlsplit

from odokit.evaluate.bodies import FORM_TYPES, as_form, body_difference, short
from odokit.events import Event, Request, Response
from odokit.record.network import graphql_operation
from odokit.tasks import ExpectedWrite
from odokit.timeline import graphql_refused


class Stage(IntEnum):
    """How far a write got: the later the stage at which it fails, the nearer it came."""

    NOTHING = 0
    PATH = 1
    METHOD = 2
    QUERY = 3
    OPERATION = 4
    BODY = 5
    RESPONSE = 6


@dataclass(frozen=True)
class Miss:
    """Where a write falls short of an expectation, and why."""

    stage: Stage
    reason: str


def mismatch(expected: ExpectedWrite, event: Event) -> str | None:
    """Why an observed write does not meet an expectation; None when it does.

    Raises:
        EvaluateError: The expectation holds a faulty body matcher.
    """
    miss = find_miss(expected, event)
    return None if miss is None else miss.reason


def find_miss(expected: ExpectedWrite, event: Event) -> Miss | None:
    """The first respect in which a write falls short of an expectation; None when it meets it."""
    request = event.request
    if request is None:
        return Miss(Stage.NOTHING, "it is not a request")
    same_method = method_of(request) == expected.method.upper()
    if not path_matches(expected.path, request.url):
        stage = Stage.PATH if same_method else Stage.NOTHING
        return Miss(stage, f"path is {urlsplit(request.url).path}")
    if not same_method:
        return Miss(Stage.METHOD, f"method is {method_of(request)}")
    difference = _query_difference(expected.path, request.url)
    if difference:
        return Miss(Stage.QUERY, difference)
    if expected.operation and request.operation != expected.operation:
        return Miss(Stage.OPERATION, f"operation is {request.operation or 'none'}")
    pattern = as_form(expected.body) if request.content_type in FORM_TYPES else expected.body
    difference = body_difference(pattern, request.body)
    if difference:
        return Miss(Stage.BODY, difference)
    difference = _response_difference(expected, request, event.response)
    return Miss(Stage.RESPONSE, difference) if difference else None


def split_batch(event: Event) -> Iterator[Event]:
    """The mutations of a GraphQL batch, each as a write of its own; any other write as it is."""
    request, response = event.request, event.response
    if request is None or not request.operation or not isinstance(request.body, list):
        yield event
        return
    answers = response.body if response is not None else None
    paired = answers if isinstance(answers, list) and len(answers) == len(request.body) else None
    for i, item in enumerate(request.body):
        name = graphql_operation([item])
        if not name:
            continue
        parts: dict[str, Any] = {
            "request": request.model_copy(update={"body": item, "operation": name})
        }
        if response is not None and paired is not None:
            parts["response"] = response.model_copy(update={"body": paired[i]})
        yield event.model_copy(update=parts)


def method_of(request: Request) -> str:
    """The method the application acts on: a POST may say another in the field `_method`."""
    override = request.body.get("_method") if isinstance(request.body, dict) else None
    if request.method == "POST" and isinstance(override, str) and override:
        return override.upper()
    return request.method


def path_matches(pattern: str, url: str) -> bool:
    """Whether the path of an address fits a pattern, segment by segment."""
    ours = pattern.partition("?")[0].split("/")
    theirs = urlsplit(url).path.split("/")
    return len(ours) == len(theirs) and all(
        _fits(want, unquote(have)) for want, have in zip(ours, theirs, strict=True)
    )


def describe_expected(expected: ExpectedWrite) -> str:
    """An expectation in a few words."""
    operation = f" ({expected.operation})" if expected.operation else ""
    label = f" [alternative {expected.alternative}]" if expected.alternative else ""
    return f"{expected.method} {expected.path}{operation}{label}"


def describe_write(event: Event) -> str:
    """An observed write in a line: method, path, operation, status and body."""
    request, response = event.request, event.response
    assert request is not None
    status = response.status if response else "no answer"
    name = f" ({request.operation})" if request.operation else ""
    path = urlsplit(request.url).path
    return f"{method_of(request)} {path}{name} {status} {short(request.body)}"


def _fits(pattern: str, text: str) -> bool:
    expression = ".+".join(re.escape(unquote(part)) for part in pattern.split("*"))
    return re.fullmatch(expression, text, re.DOTALL) is not None


def _query_difference(pattern: str, url: str) -> str | None:
    wanted = [pair for pair in pattern.partition("?")[2].split("&") if pair]
    observed = parse_qs(urlsplit(url).query, keep_blank_values=True)
    for pair in wanted:
        key, _, value = pair.partition("=")
        found = observed.get(unquote_plus(key))
        if found is None:
            return f"query has no {unquote_plus(key)}"
        if not any(_fits(value.replace("+", " "), text) for text in found):
            return f"query {unquote_plus(key)} is {short(found[0])}"
    return None


def _response_difference(
    expected: ExpectedWrite, request: Request, response: Response | None
) -> str | None:
    if response is None:
        return None if expected.status == "not_refused" else "no response was seen"
    if not _status_fits(expected.status, response.status):
        return f"status is {response.status}"
    if request.operation and graphql_refused(response.body):
        return "the mutation was refused in the response body"
    if expected.redirect and not _redirect_fits(expected.redirect, response.location):
        return f"it redirects to {response.location or 'nowhere'}"
    return body_difference(expected.answer, response.body, "answer")


def _status_fits(wanted: int | str, status: int) -> bool:
    if wanted in ("ok", "not_refused"):
        return 200 <= status < 400
    if isinstance(wanted, str):
        return str(status)[0] == wanted[0]
    return status == wanted


def _redirect_fits(pattern: str, location: str) -> bool:
    return path_matches(pattern, location) and _query_difference(pattern, location) is None


def common_start(pattern: str, event: Event) -> int:
    """Number of characters that a path has in common with a pattern from the beginning."""
    path: Any = urlsplit(event.request.url).path if event.request else ""
    pairs = zip(pattern, path, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(pattern), len(path)))
