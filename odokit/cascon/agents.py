"""Read the network logs of the agents that the data set compares, as our events.

A log is a JSON array. The formats are those that the data set's own evaluator reads:

- `odobot`: saved events; those with `eventDetails.name` = `NETWORK_EVENT` are requests, their
  `requestBody` is JSON in a text, a form being `{"formData": {name: [values]}}`;
- `webvoyager`: messages of the browser's debugging protocol (`Network.requestWillBeSent`):
  `params.request` with `method`, `url`, `headers`, `postData`;
- `agent_e`: objects with `method`, `url`, and `postDataJson` or `postData`.

None of them is specified beyond that, so other spellings of the same things are read in all three
(`request` for the nesting, `body` for the data, `status` or `response.status` for the answer).
Two requests that the published loaders drop are kept, because an unexpected write must not be
overlooked: bodies that are neither JSON nor form, and those without a content type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from odokit.cascon.readers import AGENT_FILES
from odokit.errors import RecordError
from odokit.evaluate.requests import method_of
from odokit.events import Event, EventKind, Request, Response
from odokit.record.network import READ_METHODS, graphql_operation, parse_body
from odokit.record.redact import redact, redact_url

AGENTS = tuple(AGENT_FILES)
FORM = "application/x-www-form-urlencoded"
_FORM_TEXT = re.compile(r"[^\s=&]+=")
_BODY_NAMES = ("postDataJson", "postDataJSON", "postData", "requestBody", "body")


def read_network_log(path: Path, agent: str) -> list[Event]:
    """Read the writes of an agent's network log.

    Reads (`GET` and the like, GraphQL queries) are left out; secrets are redacted by name; times
    are not read, `t_ms` is the position in the log.

    Args:
        path: The log of one task.
        agent: `odobot`, `webvoyager` or `agent_e`.

    Raises:
        RecordError: The file is missing or malformed, or the agent is unknown; the message names
            file, item and field.
    """
    if agent not in AGENTS:
        raise RecordError(f"agent {agent!r} is unknown; choose {', '.join(AGENTS)}.")
    events: list[Event] = []
    for n, item in enumerate(_items(path)):
        raw = _request_of(item, agent)
        if raw is None:
            continue
        for name in ("method", "url"):
            if not isinstance(raw.get(name), str):
                raise RecordError(
                    f"{path}, item {n}, field {name}: found {raw.get(name)!r}, not a text. "
                    f"Is it a log of {agent}?"
                )
        event = _event(raw, len(events))
        if event is not None:
            events.append(event)
    return events


def _items(path: Path) -> list[Any]:
    try:
        items = json.loads(path.read_text(encoding="utf-8", errors="replace"))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    except ValueError as error:
        raise RecordError(f"{path} is not JSON ({error}). Restore the file.") from error
    if not isinstance(items, list):
        raise RecordError(f"{path} holds no list of events. Is it a network log?")
    for n, item in enumerate(items):
        if not isinstance(item, dict):
            raise RecordError(f"{path}, item {n}: is no object. Is it a network log?")
    return items


def _request_of(item: Mapping[str, Any], agent: str) -> Mapping[str, Any] | None:
    """The part of a log entry that describes a request; None when it is about something else."""
    details = item.get("eventDetails")
    if agent == "odobot" and isinstance(details, dict):
        return details if details.get("name") == "NETWORK_EVENT" else None
    inner = item.get("params", item)
    request = inner.get("request") if isinstance(inner, dict) else None
    if isinstance(request, dict):
        return {**inner, **request}
    return None if inner is not item else item


def _event(raw: Mapping[str, Any], n: int) -> Event | None:
    if raw["method"].upper() in READ_METHODS:
        return None
    body, content_type = _body(raw)
    operation = graphql_operation(body)
    if operation == "":
        return None
    if operation is None:
        operation = _named_operation(raw["url"], body)
    request = Request(
        method=raw["method"].upper(),
        url=_clean_url(raw["url"]),
        content_type=content_type,
        body=redact(body),
        operation=operation,
    )
    return Event(
        kind=EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL,
        idx=n,
        t_ms=n,
        url=str(raw.get("documentUrl") or raw["url"]),
        request=request.model_copy(update={"method": method_of(request)}),
        response=_response(raw),
    )


def _named_operation(url: str, body: Any) -> str:
    """Operation of a GraphQL request that refers to its query by name only."""
    if isinstance(body, dict) and urlsplit(url).path.endswith("/graphql"):
        return str(body.get("operationName") or "")
    return ""


def _body(raw: Mapping[str, Any]) -> tuple[Any, str]:
    """Body and media type; both empty when nothing was sent."""
    headers = raw.get("headers")
    found = headers.items() if isinstance(headers, dict) else ()
    declared = next((str(v) for k, v in found if k.lower() == "content-type"), "")
    sent = next(
        (raw[name] for name in _BODY_NAMES if raw.get(name) not in (None, "", "null")), None
    )
    if isinstance(sent, str):
        sent, declared = _from_text(sent, declared)
    if isinstance(sent, dict) and isinstance(sent.get("formData"), dict):
        return _single(sent["formData"]), FORM
    return sent, declared.split(";")[0].strip()


def _from_text(text: str, declared: str) -> tuple[Any, str]:
    parsed = parse_body(text.encode(), declared)
    if declared or not isinstance(parsed, str):
        return parsed, declared
    if _FORM_TEXT.match(text) is None:
        return text, ""
    return _single(parse_qs(text, keep_blank_values=True)), FORM


def _single(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Form fields as the recorder keeps them: a field sent once is its value."""
    return {k: v[0] if isinstance(v, list) and len(v) == 1 else v for k, v in fields.items()}


def _clean_url(url: str) -> str:
    """The address as logged, unless a secret must be taken out of its query."""
    clean = redact_url(url)
    same = parse_qsl(urlsplit(clean).query, keep_blank_values=True) == parse_qsl(
        urlsplit(url).query, keep_blank_values=True
    )
    return url if same else clean


def _response(raw: Mapping[str, Any]) -> Response | None:
    inner = raw.get("response")
    status = inner.get("status") if isinstance(inner, dict) else raw.get("status")
    if not isinstance(status, int):
        return None
    sent = raw.get("responseBody")
    body = parse_body(sent.encode(), "application/json") if isinstance(sent, str) else sent
    return Response(status=status, body=redact(body))
