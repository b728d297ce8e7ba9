"""The real data set: read whole, aligned without a model, judged in both modes.

The data may not be redistributed. `ODOKIT_CASCON` names the folder that holds them; without it
these tests are skipped.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest
from cascon_samples import meet, request_event

from odokit.cascon import (
    MODES,
    CasconDataset,
    CasconInstance,
    judge,
    read_dataset,
    strict_expectation,
    to_task_file,
)
from odokit.cascon.taskfile import task_text
from odokit.decide import DemonstrationCard, make_decider
from odokit.events import Event, Request
from odokit.tasks import TaskFile, TaskInstance, TaskTemplate, bind

FOLDER = os.environ.get("ODOKIT_CASCON", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="ODOKIT_CASCON names no data set")


@pytest.fixture(scope="module")
def data() -> CasconDataset:
    return read_dataset(Path(FOLDER))


@pytest.fixture(scope="module")
def file(data: CasconDataset) -> TaskFile:
    return to_task_file(data)


def test_all_of_it_is_read(data: CasconDataset) -> None:
    assert [len(t.instances) for t in data.templates] == [10] * 46
    assert [len(q.instances) for q in data.questions] == [10] * 24
    assert len(data.training) == 46
    for tasks in data.agent_tasks.values():
        assert len(tasks) == 46
        assert not {t.instance_id for t in tasks} & set(data.training.values())


def test_every_key_has_a_template_in_our_terms(data: CasconDataset, file: TaskFile) -> None:
    for template, instance in file.iter_instances():
        original = data.find(instance.id)[1]
        # A number that differs between instances becomes a text, which stands for it.
        bound = bind(template, instance, lambda sql, values: []).model_dump()
        assert _as_text(bound) == _as_text(strict_expectation(original).model_dump())
        assert template.instance_text(instance) == task_text(original.text)
    uses = Counter(instance.use for _, instance in file.iter_instances())
    assert uses == {"demonstrate": 46, "execute": 414}


def _as_text(value: object) -> object:
    if isinstance(value, dict):
        return {k: _as_text(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_text(v) for v in value]
    return str(value)


def worded(template: TaskTemplate, instance: TaskInstance) -> dict[str, str]:
    """The values that the task's words give."""
    return {name: instance.values[name] for name in template.parameters}


async def test_all_other_instances_are_aligned_with_the_demonstrated_one(file: TaskFile) -> None:
    cards = [
        DemonstrationCard(
            trajectory_id=template.id,
            task=template.instance_text(instance),
            values=worded(template, instance),
            writes=[f"{w.method} {w.path} {w.operation}" for w in template.expect.writes],
            description="",
        )
        for template, instance in file.iter_instances("demonstrate")
    ]
    n_right = n_values = n_exact = 0
    for template, instance in file.iter_instances("execute"):
        wanted = worded(template, instance)
        choice = await make_decider("offline").choose_plan(template.instance_text(instance), cards)
        n_right += choice.trajectory_id == template.id
        n_values += len(wanted)
        n_exact += sum(choice.values.get(name) == value for name, value in wanted.items())
    assert (n_right, n_exact) == (414, n_values)
    assert n_values == 1026


def writes(instance: CasconInstance, alternative: int = 0) -> list[Event]:
    return [meet(e) for e in instance.alternatives[alternative] if e.method != "GET"]


def test_what_meets_a_key_passes_in_both_modes_and_what_falls_short_in_neither(
    data: CasconDataset,
) -> None:
    for _, instance in data.iter_instances():
        for mode in MODES:
            for n in range(len(instance.alternatives)):
                good = judge(instance, writes(instance, n), mode)
                assert good.is_success, (instance.id, mode, good.explain())
            seen = writes(instance)
            for n in range(len(seen)):
                assert not judge(instance, seen[:n] + seen[n + 1 :], mode).is_success
                elsewhere = _at(seen[n], "/elsewhere")
                assert not judge(instance, [*seen[:n], elsewhere, *seen[n + 1 :]], mode).is_success


def test_strict_refuses_what_the_published_rules_let_pass(data: CasconDataset) -> None:
    let_pass: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for _, instance in data.iter_instances():
        seen = writes(instance)
        spoilt = {
            "unexpected write": [*seen, request_event("POST", "/api/v1/elsewhere")],
            "written twice": [*seen, seen[-1]],
            "override ignored": [_without_override(e) for e in seen],
            "part of a text": [_with_part(e) for e in seen],
        }
        for what, events in spoilt.items():
            if events != seen and judge(instance, events, "cascon").is_success:
                let_pass[what] += 1
                refused[what] += not judge(instance, events).is_success
    assert let_pass["unexpected write"] == let_pass["written twice"] == 460
    assert let_pass["override ignored"] > 0
    assert let_pass["part of a text"] > 0
    # Of two templates the last write is one that Canvas repeats while a quiz is taken.
    assert let_pass - refused == {"written twice": 20}


def _request(event: Event) -> Request:
    assert event.request is not None
    return event.request


def _at(event: Event, path: str) -> Event:
    url = _request(event).url
    moved = url.replace("/api/v1/", f"{path}/").replace("/courses/", f"{path}/", 1)
    moved = moved.replace("/dashboard/", f"{path}/").replace("/api/graphql", path)
    return event.model_copy(update={"request": _request(event).model_copy(update={"url": moved})})


def _without_override(event: Event) -> Event:
    request = _request(event)
    if not isinstance(request.body, dict) or request.body.get("_method") in (None, "POST"):
        return event
    body = {k: v for k, v in request.body.items() if k != "_method"}
    plain = request.model_copy(update={"method": "POST", "body": body})
    return event.model_copy(update={"request": plain})


def _with_part(event: Event) -> Event:
    """A JSON request in which the first text of more than a letter is not typed to its end."""
    request = _request(event)
    if not isinstance(request.body, dict) or request.operation or "form" in request.content_type:
        return event
    for key, value in request.body.items():
        if not key.startswith("_") and isinstance(value, str) and len(value) > 1:
            body = {**request.body, key: value[:1]}
            return event.model_copy(update={"request": request.model_copy(update={"body": body})})
    return event
