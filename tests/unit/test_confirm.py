"""A write must say for this task what the demonstrated one said for its own."""

from __future__ import annotations

from typing import Any

import pytest
from builders import Story

from odokit.events import Event
from odokit.execute.confirm import wrong_values

OLD = {"name": "Ada Byron", "n": "36", "note": "likes maths"}
NEW = {"name": "Bo Li", "n": "41", "note": "sings"}


def sent(body: Any) -> Event:
    return Story().write("POST", "/api/x", body).trajectory().events[0]


@pytest.mark.parametrize(
    ("demonstrated", "observed", "wrong"),
    [
        ({"name": "Ada Byron"}, {"name": "Bo Li"}, []),
        ({"name": "Ada Byron"}, {"name": " bo  LI "}, []),
        ({"name": "Ada Byron"}, {"name": "Bo L"}, ["name is 'Bo L', not 'Bo Li'"]),
        ({"name": "Ada Byron"}, {}, ["name is 'missing', not 'Bo Li'"]),
        ({"a": [{"b": "x: likes maths"}]}, {"a": [{"b": "x: sings"}]}, []),
        ({"a": [{"b": "x: likes maths"}]}, {"a": []}, ["a[0].b is 'missing', not 'x: sings'"]),
        ({"user": "ada-byron"}, {"user": "bo-li"}, []),
        ({"age": 36}, {"age": 41}, []),
        ({"age": 36}, {"age": 36}, ["age is 36, not '41'"]),
        ({"age": 36.0}, {"age": "41"}, []),
        # The shop's number is that of the age by chance.
        ({"age": 36, "shop": 36}, {"age": 41, "shop": 36}, []),
        ({"age": "36", "shop": 36}, {"age": "41", "shop": 36}, []),
        ({"ok": True, "kind": "member"}, {"ok": False, "kind": "guest"}, []),
        # All that was on offer is sent, and which of it was chosen.
        (
            {"offer": ["Cy", "Ada Byron"], "is_chosen": [False, True]},
            {"offer": ["Bo Li", "Cy", "Di"], "is_chosen": [True, False, False]},
            [],
        ),
        (
            {"offer": [{"a": "Cy"}, {"a": "Ada Byron"}], "is_chosen": [False, True]},
            {"offer": [{"a": "Cy"}, {"a": "Bo Li"}], "is_chosen": [True, False]},
            ["offer[0].a is 'Cy', not 'Bo Li'"],
        ),
        # An order that nothing marks is part of what is said.
        (
            {"order": ["Ada Byron", "Cy"], "seen": [True, True]},
            {"order": ["Cy", "Bo Li"], "seen": [True, True]},
            ["order[0] is 'Cy', not 'Bo Li'"],
        ),
        ("Ada Byron", "Bo Li", []),
        (None, None, []),
    ],
)
def test_fields_that_follow_from_values(demonstrated: Any, observed: Any, wrong: list[str]) -> None:
    assert wrong_values(sent(demonstrated), sent(observed), OLD, NEW) == wrong


def test_a_secret_s_placeholder_is_not_judged() -> None:
    body = {"login": "{{secret:password}} of Ada Byron"}
    assert wrong_values(sent(body), sent({"login": "s3same"}), OLD, NEW) == []


def test_a_parameter_the_task_does_not_give_is_not_judged() -> None:
    assert wrong_values(sent({"name": "Ada Byron", "n": 36}), sent({}), OLD, {}) == []


def test_only_requests_are_compared() -> None:
    click = Story().click("A").trajectory().events[0]
    assert wrong_values(click, sent({"name": "x"}), OLD, NEW) == []
