"""Both modes on invented instances: what they share, and where `strict` is stricter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cascon_samples import BASE, FORM, meet, request_event, write_dataset

from odokit.cascon import (
    MODES,
    CasconDataset,
    CasconInstance,
    judge,
    judge_logs,
    read_dataset,
    strict_expectation,
)
from odokit.errors import EvaluateError, RecordError
from odokit.events import Event


@pytest.fixture
def data(tmp_path: Path) -> CasconDataset:
    return read_dataset(write_dataset(tmp_path))


def find(data: CasconDataset, name: str) -> CasconInstance:
    return data.find(name)[1]


def writes(instance: CasconInstance, alternative: int = 0) -> list[Event]:
    return [meet(e) for e in instance.alternatives[alternative] if e.method != "GET"]


def test_writes_that_meet_the_key_pass_in_both_modes_and_none_in_neither(
    data: CasconDataset,
) -> None:
    for _, instance in data.iter_instances():
        for mode in MODES:
            for n in range(len(instance.alternatives)):
                seen = writes(instance, n)
                good = judge(instance, seen, mode)
                assert good.is_success, (mode, good.explain())
                assert len(good.matched) == len(seen)
            idle = judge(instance, [], mode)
            assert not idle.is_success
            assert "none of the 0" in idle.missing[0]


def test_writes_of_another_instance_pass_in_no_mode(data: CasconDataset) -> None:
    for mode in MODES:
        for a, b in [
            ("comment-1", "comment-2"),
            ("subscribe-2", "subscribe-1"),
            ("swap-1", "swap-2"),
        ]:
            assert not judge(find(data, a), writes(find(data, b)), mode).is_success


def test_half_of_a_key_passes_in_no_mode(data: CasconDataset) -> None:
    for mode in MODES:
        verdict = judge(find(data, "swap-1"), writes(find(data, "swap-1"))[:1], mode)
        assert not verdict.is_success
        assert len(verdict.matched) == len(verdict.missing) == 1


def comment(text: str, path: str = "/courses/1/assignments/12/submissions/42") -> Event:
    return request_event("POST", path, {"submission[comment]": text}, FORM)


def take(method: str, group: int, path: str, body: Any = None) -> Event:
    return request_event(method, f"/api/v1/groups/{group}/memberships{path}", body)


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        # An unexpected write.
        ("comment-1", [comment("Well argued"), request_event("POST", "/api/v1/courses")]),
        # A path that only begins like the key's.
        ("comment-1", [comment("Well argued", "/x/courses/1/assignments/12/submissions/4/undo")]),
        # `_method` is not what the key says.
        ("swap-1", [take("POST", 3, "/self", {}), take("POST", 4, "", {})]),
        # Asked for and refused.
        (
            "comment-1",
            [
                request_event(
                    "POST",
                    "/courses/1/assignments/12/submissions/42",
                    {"submission[comment]": "Well argued"},
                    FORM,
                    status=422,
                )
            ],
        ),
        # Twice.
        ("comment-1", [comment("Well argued"), comment("Well argued")]),
    ],
)
def test_what_only_the_published_rules_let_pass(
    data: CasconDataset, name: str, seen: list[Event]
) -> None:
    instance = find(data, name)
    assert judge(instance, seen, "cascon").is_success
    strict = judge(instance, seen)
    assert not strict.is_success
    assert strict.missing or strict.extra


def test_a_text_typed_so_far_passes_only_by_the_published_rules(data: CasconDataset) -> None:
    instance = find(data, "subscribe-1")
    (whole,) = writes(instance)
    assert whole.request is not None
    variables = {"topicId": "5", "isOn": True}
    body = {**whole.request.body, "variables": variables}
    for topic, in_cascon in (("5", True), ("", False), ("6", False)):
        changed = {**body, "variables": {**variables, "topicId": topic}}
        event = whole.model_copy(
            update={"request": whole.request.model_copy(update={"body": changed})}
        )
        assert judge(instance, [event], "cascon").is_success is in_cascon
        assert judge(instance, [event]).is_success is (topic == "5")
    path = "/courses/1/assignments/12/submissions/42"
    part = request_event("POST", path, {"submission[comment]": "Well arg"})
    assert judge(find(data, "comment-1"), [part], "cascon").is_success
    assert not judge(find(data, "comment-1"), [part]).is_success
    assert not judge(find(data, "comment-1"), [comment("Well arg")], "cascon").is_success


def test_noise_of_canvas_and_taking_the_same_quiz_are_no_extra_writes(data: CasconDataset) -> None:
    instance = find(data, "quiz-1")
    around = [
        request_event("POST", "/login/canvas", {"pseudonym[password]": "{{secret:x}}"}, FORM),
        request_event("PUT", "/page_views/2fb1c2de-93e4-4a0e-9f0f-53a1a8d0a001"),
        request_event("POST", "/courses/1/quizzes/6/take?user_id=3", status=302),
        request_event("POST", "/courses/1/quizzes/6/submissions/backup", {"question_6": "7"}, FORM),
        request_event("POST", "/api/v1/courses/1/quizzes/6/submissions/42/events", {}),
    ]
    asked, handed_in = writes(instance)
    assert judge(instance, [*around, asked, asked, handed_in]).is_success
    assert not judge(instance, [*around, asked, handed_in], noise=()).is_success
    twice = judge(instance, [*around, asked, handed_in, handed_in])
    assert len(twice.extra) == 1
    other = request_event("POST", "/courses/1/quizzes/7/take")
    assert judge(instance, [asked, handed_in, other]).extra


def test_the_strict_key_is_anchored_and_knows_the_override(data: CasconDataset) -> None:
    leave, join = strict_expectation(find(data, "swap-1")).writes
    assert (leave.method, join.method) == ("DELETE", "POST")
    (said,) = strict_expectation(find(data, "comment-1")).writes
    assert said.path == "/courses/1/assignments/12/submissions/*"
    assert said.body == {"$deep": {"submission[comment]": {"$contains": "Well argued"}}}
    sent, _ = strict_expectation(find(data, "subscribe-1")).writes
    assert (sent.operation, sent.alternative) == ("subscribeToTopic", "1")
    assert sent.body == {"variables": {"$deep": {"topicId": "5", "isOn": True}}}
    asked, _ = strict_expectation(find(data, "quiz-1")).writes
    assert asked.path == (
        "/courses/1/quizzes/6/submissions/*/record_answer"
        "?next_question_path=/courses/1/quizzes/6/take/questions*"
    )


def test_the_nearest_miss_is_named(data: CasconDataset) -> None:
    verdict = judge(find(data, "comment-1"), [comment("Thanks")], "cascon")
    assert verdict.missing == (
        "POST /courses/1/assignments/12/submissions/[[ANY]]: nearest was POST "
        "/courses/1/assignments/12/submissions/42, but nothing in the body satisfies "
        "submission[comment] = \"[[_includes='Well argued']]\"",
    )


def test_an_unknown_mode_is_refused(data: CasconDataset) -> None:
    with pytest.raises(EvaluateError, match="mode 'lax' is unknown; choose strict or cascon"):
        judge(find(data, "swap-1"), [], "lax")


def test_every_log_that_names_an_instance_is_judged(data: CasconDataset, tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    body = "submission[comment]=Well+argued"
    path = "/courses/2/assignments/21/submissions/42"
    good = [{"method": "POST", "url": BASE + path, "postData": body}]
    (logs / "comment-2_network_logs.json").write_text(json.dumps(good))
    (logs / "swap-1_network_logs.json").write_text("[]")
    (logs / "1|comment-1|task-query-construction.json").write_text("{")
    (logs / "unknown.json").write_text("{")
    for mode in MODES:
        found = {name: v.is_success for name, v in judge_logs(data, logs, "agent_e", mode)}
        assert found == {"comment-2": True, "swap-1": False}
    (logs / "swap-2.json").write_text("{")
    with pytest.raises(RecordError, match=r"swap-2\.json is not JSON"):
        list(judge_logs(data, logs, "agent_e"))
