"""Requests and answers become what an event keeps of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import pytest
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request, Response

from odokit.events import EventKind
from odokit.record.network import (
    graphql_operation,
    is_recorded,
    parse_body,
    read_request,
    read_response,
    sent_strings,
)
from odokit.record.redact import Redactor

FORM = "application/x-www-form-urlencoded"
RENAME = "mutation Rename($n: String) { renameCourse(name: $n) { id } }"
LIST = "query List { courses { id } }"


@dataclass
class FakeRequest:
    """As much of Playwright's request as is read."""

    method: str = "POST"
    url: str = "http://h/api/x?key=k1"
    headers: dict[str, str] = field(default_factory=dict)
    post_data_buffer: bytes | None = None
    resource_type: str = "fetch"


@dataclass
class FakeResponse:
    """As much of Playwright's response as is read."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = b""

    async def body(self) -> bytes:
        if self.raw is None:
            raise PlaywrightError("No resource with given identifier found")
        return self.raw


def multipart(*parts: tuple[str, str]) -> bytes:
    lines = [
        f"--X\r\nContent-Disposition: form-data; {head}\r\n\r\n{text}\r\n" for head, text in parts
    ]
    return "".join([*lines, "--X--\r\n"]).encode()


@pytest.mark.parametrize(
    ("raw", "kind", "body"),
    [
        (b"", "application/json", None),
        (b'{"a": [1, null]}', "application/json; charset=utf-8", {"a": [1, None]}),
        (b'{"a": 1}', "text/plain", {"a": 1}),
        (b'[{"a": 1}]', "", [{"a": 1}]),
        (b'{"a": ', "application/json", '{"a": '),
        (b"plain", "text/plain", "plain"),
        (b"a=1&b=x+y&a=2&c=", FORM, {"a": ["1", "2"], "b": "x y", "c": ""}),
        (
            multipart(
                ('name="t"', "Ada"), ('name="f"; filename="a.txt"', "12345"), ('name="t"', "B")
            ),
            "multipart/form-data; boundary=X",
            {"t": ["Ada", "B"], "f": {"file": "a.txt", "bytes": 5}},
        ),
        (b"\xff", "text/plain", "�"),
    ],
)
def test_bodies_are_parsed_by_their_media_type(raw: bytes, kind: str, body: Any) -> None:
    assert parse_body(raw, kind) == body


@pytest.mark.parametrize(
    "text",
    ['{"a": NaN}', '{"a": "\\ud800"}', "[" * 5_000 + "]" * 5_000, '{"a":' * 150 + "1" + "}" * 150],
)
def test_what_could_not_be_written_again_stays_text(text: str) -> None:
    assert parse_body(text.encode(), "application/json") == text


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ({"query": RENAME, "operationName": "Rename"}, "Rename"),
        ({"query": RENAME}, "Rename"),
        ({"query": "mutation { deleteAll }"}, "deleteAll"),
        ({"query": LIST}, ""),
        ({"query": RENAME + LIST, "operationName": "List"}, ""),
        ({"query": RENAME + LIST, "operationName": "Rename"}, "Rename"),
        ([{"query": RENAME}, {"query": LIST}], "Rename"),
        ([{"query": RENAME}, {"query": "mutation B { b }"}], "Rename+B"),
        ([{"query": LIST}, {"query": LIST}], ""),
        ({"query": "cats and dogs"}, None),
        ({"query": 7}, None),
        ({"title": "mutation"}, None),
        ([], None),
        ("query List { courses }", None),
        (None, None),
    ],
)
def test_the_mutations_of_a_body(body: Any, operation: str | None) -> None:
    assert graphql_operation(body) == operation


@pytest.mark.parametrize(
    ("method", "url", "is_kept"),
    [
        ("POST", "http://h/x", True),
        ("DELETE", "https://h/x", True),
        ("GET", "http://h/x", False),
        ("HEAD", "http://h/x", False),
        ("OPTIONS", "http://h/x", False),
        ("POST", "chrome-extension://x/y", False),
    ],
)
def test_reads_are_not_recorded(method: str, url: str, is_kept: bool) -> None:
    assert is_recorded(cast(Request, FakeRequest(method=method, url=url))) is is_kept


def test_a_request_is_kept_without_its_secrets() -> None:
    raw = b'{"password": "x", "note": "my hunter22"}'
    fake = FakeRequest(headers={"content-type": "application/json"}, post_data_buffer=raw)
    read = read_request(cast(Request, fake), Redactor(("hunter22",)))
    assert read is not None
    kind, request = read
    assert kind is EventKind.REST_CALL
    assert request.body == {"password": "{{secret:password}}", "note": "my {{secret:known}}"}
    assert (request.method, request.content_type) == ("POST", "application/json")


@pytest.mark.parametrize("override", ["put", "DELETE"])
def test_a_method_override_counts(override: str) -> None:
    fake = FakeRequest(
        headers={"content-type": FORM}, post_data_buffer=f"_method={override}".encode()
    )
    read = read_request(cast(Request, fake), Redactor())
    assert read is not None and read[1].method == override.upper()


def test_graphql_queries_are_no_writes() -> None:
    fake = FakeRequest(post_data_buffer=b'{"query": "{ courses { id } }"}')
    assert read_request(cast(Request, fake), Redactor()) is None


def test_every_string_sent_can_be_looked_at() -> None:
    raw = b'{"a": ["x", {"b": "y"}], "n": 1}'
    fake = FakeRequest(headers={"content-type": "application/json"}, post_data_buffer=raw)
    assert sorted(sent_strings(cast(Request, fake))) == ["k1", "x", "y"]


@pytest.mark.parametrize(
    ("fake", "body"),
    [
        (FakeResponse(200, {"content-type": "application/json"}, b'{"id": 4, "token": "t"}'), "id"),
        (FakeResponse(200, {"content-type": "text/html"}, b"{}"), None),
        (FakeResponse(204, {"content-type": "application/json"}, b"{}"), None),
        (FakeResponse(200, {"content-type": "application/json"}, None), None),
        (
            FakeResponse(200, {"content-type": "application/json"}, b'"' + b"x" * 70_000 + b'"'),
            None,
        ),
    ],
)
async def test_answers(fake: FakeResponse, body: str | None) -> None:
    response = await read_response(cast(Response, fake), Redactor())
    assert response.status == fake.status
    assert response.body == ({"id": 4, "token": "{{secret:token}}"} if body else None)


async def test_an_answer_that_never_ends_is_kept_without_its_body(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import asyncio

    class Endless(FakeResponse):
        async def body(self) -> bytes:
            await asyncio.Event().wait()
            raise AssertionError

    monkeypatch.setattr("odokit.record.network.BODY_TIMEOUT_S", 0.01)
    endless = Endless(201, {"content-type": "application/json", "location": "/x?token=1"})
    response = await read_response(cast(Response, endless), Redactor())
    assert (response.status, response.body) == (201, None)
    assert response.location == "/x?token={{secret:token}}"


UPLOAD = "mutation Upload($file: Upload!) { upload(file: $file) { id } }"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"operations": f'{{"query": "{UPLOAD}"}}', "map": "{}"}, "Upload"),
        ({"operations": '[{"query": "{ a }"}]', "map": "{}"}, ""),
        ({"operations": "no JSON", "map": "{}"}, None),
        ({"operations": [1], "map": "{}"}, None),
        ({"operationName": "P", "extensions": {"persistedQuery": {"sha256Hash": "c0"}}}, "P"),
        ({"extensions": {"persistedQuery": {"sha256Hash": "c0"}}}, "persisted c0"),
        ({"operationName": "P", "extensions": {"persistedQuery": {}}}, None),
        ({"operationName": "P", "extensions": []}, None),
    ],
)
def test_operations_in_a_form_or_by_their_hash(body: Any, name: str | None) -> None:
    assert graphql_operation(body) == name
