"""Network logs of the three agents give the same writes, whatever the form they are kept in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from cascon_samples import BASE, FORM, JSON

from odokit.cascon import AGENTS, read_network_log
from odokit.errors import RecordError
from odokit.events import Event, EventKind

MUTATION = {
    "operationName": "Like",
    "query": "mutation Like($id: ID!) { like(id: $id) { id } }",
    "variables": {"id": "7"},
}
QUERY = {"operationName": "Me", "query": "query Me { me { id } }", "variables": {}}

Sent = tuple[str, str, Any, str]
SENT: list[Sent] = [
    ("GET", "/courses/1", None, ""),
    ("POST", "/courses/1/groups", {"name": "Owls", "invitees": ["2", "3"]}, JSON),
    ("POST", "/groups/4/self?x=%2Fa%2Fb", {"_method": "DELETE", "why": "moved on"}, FORM),
    ("POST", "/api/graphql", MUTATION, JSON),
    ("POST", "/api/graphql", QUERY, JSON),
    ("DELETE", "/pages/plan", None, ""),
]


def odobot(sent: list[Sent]) -> list[Any]:
    def event(method: str, path: str, body: Any, kind: str) -> Any:
        if kind == FORM:
            body = {"formData": {k: v if isinstance(v, list) else [v] for k, v in body.items()}}
        details = {
            "name": "NETWORK_EVENT",
            "method": method,
            "url": BASE + path,
            "documentUrl": f"{BASE}/page",
            "requestBody": json.dumps(body),
        }
        return {"eventType": "customEvent", "eventDetails": details}

    click = {
        "eventType": "interactionEvent",
        "eventDetails": {"type": "click", "name": "BTN_CLICK"},
    }
    return [click, *(event(*one) for one in sent), {"eventType": "statusEvent", "eventDetails": {}}]


def webvoyager(sent: list[Sent]) -> list[Any]:
    def message(method: str, path: str, body: Any, kind: str) -> Any:
        request: dict[str, Any] = {"method": method, "url": BASE + path, "headers": {}}
        if body is not None:
            request["postData"] = urlencode(body) if kind == FORM else json.dumps(body)
            name = "Content-Type" if kind == FORM else "content-type"
            request["headers"] = {"Accept": "*/*", name: f"{kind}; charset=UTF-8"}
        return {"method": "Network.requestWillBeSent", "params": {"request": request}}

    received = {"method": "Network.responseReceived", "params": {"response": {"status": 200}}}
    return [received, *(message(*one) for one in sent)]


def agent_e(sent: list[Sent]) -> list[Any]:
    def request(method: str, path: str, body: Any, kind: str) -> Any:
        data = None if body is None else urlencode(body) if kind == FORM else json.dumps(body)
        return {"method": method, "url": BASE + path, "postData": data}

    return [request(*one) for one in sent]


WRITERS = {"odobot": odobot, "webvoyager": webvoyager, "agent_e": agent_e}


def read(tmp_path: Path, agent: str, items: Any) -> list[Event]:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(items), encoding="utf-8")
    return read_network_log(path, agent)


@pytest.mark.parametrize("agent", AGENTS)
def test_the_writes_of_a_log_are_read(tmp_path: Path, agent: str) -> None:
    events = read(tmp_path, agent, WRITERS[agent](SENT))
    requests = [e.request for e in events]
    assert [(r.method, r.url.removeprefix(BASE), r.operation) for r in requests if r] == [
        ("POST", "/courses/1/groups", ""),
        ("DELETE", "/groups/4/self?x=%2Fa%2Fb", ""),
        ("POST", "/api/graphql", "Like"),
        ("DELETE", "/pages/plan", ""),
    ]
    assert [r.body for r in requests if r] == [
        {"name": "Owls", "invitees": ["2", "3"]},
        {"_method": "DELETE", "why": "moved on"},
        MUTATION,
        None,
    ]
    assert requests[1] is not None
    assert requests[1].content_type == FORM
    assert [e.idx for e in events] == [0, 1, 2, 3]
    assert events[2].kind is EventKind.GRAPHQL_MUTATION
    assert all(e.response is None for e in events)
    assert events[0].url == (f"{BASE}/page" if agent == "odobot" else f"{BASE}/courses/1/groups")


@pytest.mark.parametrize(
    ("item", "body", "status"),
    [
        ({"postDataJson": {"a": 1}, "postData": "ignored"}, {"a": 1}, None),
        ({"body": {"a": 1}, "status": 404}, {"a": 1}, 404),
        ({"body": "a=1&a=2&b="}, {"a": ["1", "2"], "b": ""}, None),
        ({"postData": "plain words"}, "plain words", None),
        ({"postData": ""}, None, None),
        ({"response": {"status": 201}}, None, 201),
    ],
)
@pytest.mark.parametrize("nested", [False, True])
def test_other_spellings_are_read(
    tmp_path: Path, item: dict[str, Any], body: Any, status: int | None, nested: bool
) -> None:
    request = {"method": "post", "url": f"{BASE}/a"}
    whole = {**item, "request": request} if nested else {**item, **request}
    (event,) = read(tmp_path, "agent_e", [whole])
    assert event.request is not None
    assert event.request.method == "POST"
    assert event.request.body == body
    assert (event.response.status if event.response else None) == status


def test_a_body_neither_json_nor_form_is_kept_as_a_write(tmp_path: Path) -> None:
    part = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nOwls\r\n--b--\r\n'
    headers = {"content-type": "multipart/form-data; boundary=b"}
    request = {"method": "POST", "url": f"{BASE}/a", "headers": headers, "postData": part}
    text = {**request, "headers": {"content-type": "text/plain"}, "postData": "x"}
    events = read(tmp_path, "webvoyager", [{"params": {"request": r}} for r in (request, text)])
    assert [e.request.body for e in events if e.request] == [{"name": "Owls"}, "x"]


def test_a_mutation_known_by_name_only_is_a_mutation(tmp_path: Path) -> None:
    body = {"operationName": "Like", "variables": {"id": "7"}}
    (event,) = read(tmp_path, "agent_e", agent_e([("POST", "/api/graphql", body, JSON)]))
    assert event.request is not None
    assert event.request.operation == "Like"


def test_the_answer_of_a_log_that_has_one_is_read(tmp_path: Path) -> None:
    (item,) = odobot([("POST", "/api/graphql", MUTATION, JSON)])[1:2]
    item["eventDetails"] |= {"status": 200, "responseBody": '{"errors": [{"message": "no"}]}'}
    (event,) = read(tmp_path, "odobot", [item])
    assert event.response is not None
    assert event.response.body == {"errors": [{"message": "no"}]}


@pytest.mark.parametrize("agent", AGENTS)
def test_passwords_in_a_log_are_redacted(tmp_path: Path, agent: str) -> None:
    body = {"pseudonym[unique_id]": "ann", "pseudonym[password]": "hidden-word"}
    sent: list[Sent] = [("POST", "/login/canvas?access_token=hidden-word", body, FORM)]
    (event,) = read(tmp_path, agent, WRITERS[agent](sent))
    assert "hidden-word" not in event.model_copy(update={"url": ""}).model_dump_json()
    assert event.request is not None
    assert event.request.body["pseudonym[unique_id]"] == "ann"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"log\.json is not JSON"),
        ("{}", "holds no list of events"),
        ("[1]", "item 0: is no object"),
        ('[{"url": "x"}]', "item 0, field method: found None, not a text"),
        ('[{"method": "POST", "url": 7}]', "item 0, field url: found 7"),
    ],
)
def test_a_malformed_log_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(RecordError, match=message):
        read_network_log(path, "agent_e")


def test_a_missing_log_and_an_unknown_agent_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be read: No such file"):
        read_network_log(tmp_path / "log.json", "odobot")
    with pytest.raises(RecordError, match="agent 'walt' is unknown; choose odobot"):
        read_network_log(tmp_path / "log.json", "walt")
