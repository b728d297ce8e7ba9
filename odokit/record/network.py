"""Turn Playwright requests and responses into the `Request` and `Response` of an event."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from email import message_from_bytes
from email.message import Message
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

import orjson
from graphql import GraphQLError, OperationDefinitionNode, parse
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as PageRequest
from playwright.async_api import Response as PageResponse

from odokit.events import EventKind, Request, Response, is_shallow
from odokit.record.redact import Redactor

READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
MAX_BODY_BYTES = 64 * 1024
# Long enough for a busy machine: what a mutation was answered decides over its success.
BODY_TIMEOUT_S = 2.0


def is_recorded(request: PageRequest) -> bool:
    """Whether a request may change data: http(s) and not a read method."""
    scheme = urlsplit(request.url).scheme
    return request.method not in READ_METHODS and scheme in ("http", "https")


def read_request(
    request: PageRequest, redactor: Redactor, note: Mapping[str, Any] | None = None
) -> tuple[EventKind, Request] | None:
    """Parse a request; None for GraphQL queries, which read only.

    Args:
        request: As the browser tells it.
        redactor: Knows what must never be kept.
        note: What the page told of it: its initiator, and its body where that holds files.
    """
    content_type = request.headers.get("content-type", "")
    body = parse_body(request.post_data_buffer or b"", content_type)
    told = note or {}
    parsed = Request(
        method=request.method,
        url=request.url,
        content_type=content_type.split(";")[0].strip(),
        body=told.get("body") if body is None else body,
        resource_type=request.resource_type,
        initiator=redactor.url(told.get("initiator", "")),
    )
    return classify_request(parsed, redactor)


def classify_request(request: Request, redactor: Redactor) -> tuple[EventKind, Request] | None:
    """Tell a call from a mutation, and redact it.

    Args:
        request: As it was sent, with its body parsed.
        redactor: Knows what must never be kept; learns what is sent under a secret key.

    Returns:
        Its kind and what is kept of it; None for GraphQL queries, which read only.
    """
    operation = graphql_operation(request.body)
    if operation == "":
        return None
    redactor.learn_keyed(request.body)
    kept = {
        "method": _method(request.method, request.body),
        "url": redactor.url(request.url),
        "body": redactor.value(request.body),
        "operation": operation or "",
    }
    kind = EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL
    return kind, request.model_copy(update=kept)


async def read_response(response: PageResponse, redactor: Redactor) -> Response:
    """Read status and JSON body; a body the page dropped, or never reads, is None."""
    answer = read_status(response, redactor)
    body: Any = None
    kind = response.headers.get("content-type", "")
    if "json" in kind and response.status not in (204, 304):
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                raw = await response.body()
        except (PlaywrightError, TimeoutError):
            raw = b""  # the page navigated away, or looks at the status only
        if 0 < len(raw) <= MAX_BODY_BYTES:
            body = parse_body(raw, "application/json")
    redactor.learn_keyed(body)
    return answer.model_copy(update={"body": redactor.value(body)})


def read_status(response: PageResponse, redactor: Redactor) -> Response:
    """Read what an answer's head tells: status and redirect target."""
    location = redactor.url(response.headers.get("location", ""))
    return Response(status=response.status, location=location)


def sent_strings(request: PageRequest) -> Iterator[str]:
    """Every string a request sends, in its query and in its body."""
    body = parse_body(request.post_data_buffer or b"", request.headers.get("content-type", ""))
    yield from query_strings(request.url)
    yield from _strings(body)


def query_strings(url: str) -> Iterator[str]:
    """Every value in the query of a URL."""
    yield from (value for _, value in parse_qsl(urlsplit(url).query))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else ():
        yield from _strings(inner)
    for inner in value if isinstance(value, list) else ():
        yield from _strings(inner)


def parse_body(raw: bytes, content_type: str) -> Any:
    """Parse a body by its media type: JSON, form fields, multipart fields, else text."""
    if not raw:
        return None
    kind = content_type.split(";")[0].strip()
    if kind == "multipart/form-data":
        return _multipart(raw, content_type)
    text = raw.decode("utf-8", "replace")
    if kind == "application/x-www-form-urlencoded":
        return _flat(parse_qs(text, keep_blank_values=True))
    if text[:1] in "[{" or "json" in kind:
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:  # nor is what orjson could not write again: NaN, half pairs
            return text
        return value if is_shallow(value) else text
    return text


def graphql_operation(body: Any) -> str | None:
    """Name of the mutation(s) a body carries.

    Returns:
        None when the body is not GraphQL, `""` when it only queries, else the operation name
        (names of a batch joined by `+`; an unnamed mutation goes by its first field).
    """
    body = _operations_of(body)
    items = body if isinstance(body, list) else [body]
    if not items or not all(isinstance(i, dict) and _is_operation(i) for i in items):
        return None
    names = [name for item in items if (name := _mutation_name(item)) is not None]
    if all(name is _NOT_GRAPHQL for name in names) and names:
        return None
    return "+".join(n for n in names if n and n is not _NOT_GRAPHQL)


_NOT_GRAPHQL = "\0"


def _operations_of(body: Any) -> Any:
    """The operations in a multipart body (GraphQL multipart request specification), else itself."""
    if not isinstance(body, dict) or not {"operations", "map"} <= body.keys():
        return body
    try:
        return json.loads(body["operations"])
    except (TypeError, ValueError):
        return body


def _is_operation(item: dict[str, Any]) -> bool:
    return isinstance(item.get("query"), str) or _persisted_hash(item) is not None


def _persisted_hash(item: dict[str, Any]) -> str | None:
    extensions = item.get("extensions")
    persisted = extensions.get("persistedQuery") if isinstance(extensions, dict) else None
    found = persisted.get("sha256Hash") if isinstance(persisted, dict) else None
    return found if isinstance(found, str) else None


def _mutation_name(item: dict[str, Any]) -> str | None:
    if not isinstance(item.get("query"), str):
        # Only a hash of its text was sent. It may write, so it counts as a mutation.
        name = item.get("operationName")
        return name if isinstance(name, str) and name else f"persisted {_persisted_hash(item)}"
    try:
        document = parse(item["query"], no_location=True)
    except GraphQLError:
        return _NOT_GRAPHQL
    operations = [d for d in document.definitions if isinstance(d, OperationDefinitionNode)]
    wanted = item.get("operationName")
    for operation in operations:
        name = operation.name.value if operation.name else None
        if operation.operation.value == "mutation" and wanted in (None, "", name):
            field = operation.selection_set.selections[0]
            return name or getattr(getattr(field, "name", None), "value", "mutation")
    return None


def _method(method: str, body: Any) -> str:
    override = body.get("_method") if isinstance(body, dict) else None
    return str(override).upper() if isinstance(override, str) and override else method


def _multipart(raw: bytes, content_type: str) -> dict[str, Any]:
    message = message_from_bytes(b"Content-Type: " + content_type.encode() + b"\r\n\r\n" + raw)
    fields: dict[str, list[Any]] = {}
    for part in message.walk():
        name = part.get_param("name", header="content-disposition")
        if isinstance(name, str):
            fields.setdefault(name, []).append(_part_value(part))
    return _flat(fields)


def _part_value(part: Message) -> Any:
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    filename = part.get_filename()
    if filename:
        return {"file": filename, "bytes": len(data)}
    return data.decode("utf-8", "replace")


def _flat(fields: dict[str, list[Any]]) -> dict[str, Any]:
    return {key: values[0] if len(values) == 1 else values for key, values in fields.items()}
