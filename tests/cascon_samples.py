"""An invented data set of the same shape as CASCON-2026, and requests that meet its answer keys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from odokit.cascon import KeyEntry
from odokit.cascon.matching import read_rule
from odokit.events import Event, EventKind, Request, Response

BASE = "http://localhost:8088"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"

Item = dict[str, Any]


def entry(method: str, path: str, answer_id: int | None = None, **kv: Any) -> Item:
    made: Item = {"method": method, "path": path, "request_kv": kv}
    return made if answer_id is None else {**made, "answer_id": answer_id}


def instance(name: str, mapping: dict[str, str], key: Any, text: str = "") -> Item:
    return {
        "id": name,
        "instance_text": text or f"Task: {name}",
        "instance_username": f"{name}@example.edu",
        "instance_password": f"hidden-{name}",
        "mapping": mapping,
        "answer_key": key,
    }


def template(name: str, text: str, parameters: list[str], instances: list[Item]) -> Item:
    return {
        "id": name,
        "type": "Side-effect",
        "parameterized_text": text,
        "parameters": parameters,
        "instances": instances,
    }


def comment(name: str, course: int, assignment: int, title: str) -> Item:
    path = f"/courses/{course}/assignments/{assignment}/submissions/[[ANY]]"
    kv = {"_type": "form data", "submission[comment]": "[[_includes='Well argued']]"}
    return instance(
        name,
        {"Assignment": title},
        [entry("GET", f"/courses/{course}/assignments/{assignment}"), entry("POST", path, **kv)],
        f"Task: Comment on '{title}' with the words 'Well argued'.",
    )


def subscribe(name: str, course: int, topic: int, title: str) -> Item:
    kv = {"operationName": "subscribeToTopic", "topicId": str(topic), "isOn": True}
    rest = f"/api/v1/courses/{course}/topics/{topic}/subscribed"
    key = [entry("POST", "/api/graphql", 1, **kv), entry("PUT", rest, 2)]
    return instance(name, {"Topic 1": title}, key, f'Task: Subscribe to "{title}".')


def swap(name: str, old: int, new: int, first: str, second: str) -> Item:
    key = [
        entry("POST", f"/api/v1/groups/{old}/memberships/self", _method="DELETE"),
        entry("POST", f"/api/v1/groups/{new}/memberships", _method="POST"),
    ]
    text = f"Task: Leave the group {first} and join the group {second}."
    return instance(name, {"Group 1": first, "Group 2": second}, key, text)


def quiz(name: str, course: int, number: int, title: str) -> Item:
    base = f"/courses/{course}/quizzes/{number}"
    asked = f"?next_question_path=%2Fcourses%2F{course}%2Fquizzes%2F{number}%2Ftake%2Fquestions.+"
    key = [
        entry("POST", f"{base}/submissions/[[ANY]]/record_answer{asked}"),
        entry("POST", f"{base}/submissions", **{f"question_{number}": ["7"]}),
    ]
    return instance(name, {"Quiz": title}, key, f"Task: Take the quiz '{title}'.")


def tasks() -> list[Item]:
    """The items of `tasks.json`."""
    return [
        template(
            "t-comment",
            "Task: Comment on '[[Assignment]]' with the words 'Well argued'.",
            ["Assignment"],
            [comment("comment-1", 1, 12, "Moss"), comment("comment-2", 2, 21, "Fern")],
        ),
        template(
            "t-subscribe",
            'Task: Subscribe to "[[Topic 1]]".',
            ["Topic 1"],
            [subscribe("subscribe-1", 1, 5, "Tides"), subscribe("subscribe-2", 2, 9, "Reefs")],
        ),
        template(
            "t-swap",
            "Task: Leave the group [[Group 1]] and join the group [[Group 2]].",
            ["Group 1", "Group 2"],
            [swap("swap-1", 3, 4, "Owls", "Larks"), swap("swap-2", 7, 8, "Elms", "Oaks")],
        ),
        template(
            "t-quiz",
            "Task: Take the quiz '[[Quiz]]'.",
            ["Quiz"],
            [quiz("quiz-1", 1, 6, "Bones"), quiz("quiz-2", 2, 8, "Cells")],
        ),
        {
            "id": None,
            "type": "Information Seeking",
            "answer_type": "Numeric",
            "parameterized_text": "Task: How many points has '[[Quiz]]'?",
            "parameters": ["Quiz"],
            "instances": [instance("points-1", {"Quiz": "Bones"}, {"Numeric": 10})],
        },
    ]


TRAINING = "row|task_id|instance_id|\n1|t-comment|comment-1|\n2|t-subscribe|subscribe-1|\n"


def write_dataset(folder: Path, items: list[Item] | None = None) -> Path:
    """Write the data set into a folder and return it."""
    secret = "Use the password: hidden-comment-2.\nTask: comment-2"
    (folder / "tasks.json").write_text(json.dumps(tasks() if items is None else items))
    (folder / "training_instances.csv").write_text(TRAINING)
    inner = {"id": "comment-2", "userLocation": f"{BASE}/login/canvas", "task": secret}
    (folder / "odobot_tasks.json").write_text(json.dumps([{"odoBotNL": inner}]))
    web = {"web": BASE, "id": "swap-2", "ques": secret}
    (folder / "webvoyager_tasks.jsonl").write_text(json.dumps(web) + "\n\n")
    shop = {"task_id": "quiz-2", "start_url": BASE, "intent": secret, "sites": None}
    (folder / "agent_e_tasks.json").write_text(json.dumps([shop]))
    return folder


def request_event(
    method: str,
    path: str,
    body: Any = None,
    content_type: str = JSON,
    *,
    operation: str = "",
    status: int | None = None,
) -> Event:
    """A write as a log reader gives it."""
    return Event(
        kind=EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL,
        idx=0,
        t_ms=0,
        url=BASE,
        request=Request(
            method=method,
            url=BASE + path,
            body=body,
            content_type=content_type,
            operation=operation,
        ),
        response=None if status is None else Response(status=status),
    )


def meet(wanted: KeyEntry) -> Event:
    """A write that meets an entry of an answer key, as Canvas would send it."""
    fields = {k: _value(v) for k, v in wanted.fields.items()}
    path = wanted.path.replace("[[ANY]]", "42").replace("questions.+", "questions%2F3")
    operation = fields.pop("operationName", "")
    if operation:
        query = f"mutation {operation} {{ run {{ id }} }}"
        body = {"operationName": operation, "query": query, "variables": fields}
        return request_event("POST", path, body, operation=operation)
    method = wanted.request_kv.get("_method")
    body = {**fields, **({"_method": method} if method else {})}
    if "_type" in wanted.request_kv or any("question" in name for name in fields):
        body = {k: v[0] if isinstance(v, list) and len(v) == 1 else v for k, v in body.items()}
        return request_event(method or wanted.method, path, body, FORM)
    return request_event(method or wanted.method, path, body)


def _value(expected: Any) -> Any:
    if expected == "[[ANY]]":
        return "anything"
    rule = read_rule(expected) if isinstance(expected, str) else None
    if rule is None:
        return expected
    name, argument = rule
    return {
        "includes": f"<p>{argument} indeed</p>",
        "starts_with": f"{argument} indeed",
        "array_contains": ["another", argument],
        "array_not_contains": ["another"],
    }[name]
