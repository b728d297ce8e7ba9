"""Spoilt episodes and answer keys: each must be judged a failure, whatever the key is made of."""

from __future__ import annotations

import json
from typing import Any

from odokit.evaluate import evaluate
from odokit.events import Event, EventKind, Request, Response
from odokit.tasks import Expectation, ExpectedWrite
from odokit.testbeds.verify import spoilt_cases

SENT = {
    "title": "Week 3: rivers",
    "resources": ["r1", "r2"],
    "public": True,
    "tags": [{"id": 7, "name": "geography"}],
    "order": 3,
    "meta": {"by": "Ana"},
    "owner": {"group": {"code": "B4"}},
}
PATTERN: dict[str, Any] = {
    "title": {"$contains": "rivers"},
    "resources": {"$length": 2},
    "public": True,
    "tags": {"$items": [{"id": 7, "name": "geography"}]},
    "order": 3,
    "meta": {"$json": json.dumps({"by": "Ana"})},
    "owner": {"$deep": {"code": "B4"}},
    "draft": {"$absent": True},
}
KEY = Expectation.model_validate(
    {
        "writes": [
            {
                "method": "POST",
                "path": "/lesson/",
                "body": PATTERN,
                "answer": {"id": {"$any": True}},
            }
        ]
    }
)
EVENT = Event(
    kind=EventKind.REST_CALL,
    idx=0,
    t_ms=0,
    url="http://school.test/",
    request=Request(method="POST", url="http://school.test/lesson/", body=SENT),
    response=Response(status=201, body={"id": 12}),
)


def test_each_value_matcher_and_answer_is_spoilt_and_noticed() -> None:
    assert evaluate(KEY, [EVENT]).is_success
    cases = list(spoilt_cases(KEY, [EVENT]))
    names = [name for name, _, _ in cases]
    assert len(set(names)) == len(names)
    for field in (*PATTERN, "answer.id"):
        assert any(field in name for name in names), field
    for what in ("dropped", "refused", "sent twice", "foreign write", "one item more"):
        assert any(what in name for name in names), what
    undetected = [name for name, key, seen in cases if evaluate(key, seen).is_success]
    assert undetected == []


def test_a_lax_answer_key_is_found_out() -> None:
    foreign = ExpectedWrite(method="POST", path="/api/foreign/")
    lax = KEY.model_copy(update={"also_allowed": (foreign,)})
    undetected = [
        name for name, key, seen in spoilt_cases(lax, [EVENT]) if evaluate(key, seen).is_success
    ]
    assert undetected == ["foreign write added"]
