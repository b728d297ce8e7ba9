"""The data set is read whole or refused with file, item and field; passwords are never shown."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cascon_samples import Item, instance, tasks, template, write_dataset

from odokit.cascon import read_dataset, strict_expectation, to_task_file
from odokit.errors import TaskError
from odokit.tasks import bind


def test_everything_is_read(tmp_path: Path) -> None:
    data = read_dataset(write_dataset(tmp_path))
    assert [t.id for t in data.templates] == ["t-comment", "t-subscribe", "t-swap", "t-quiz"]
    assert [q.instances[0].answer_key for q in data.questions] == [{"Numeric": 10}]
    assert data.training == {"t-comment": "comment-1", "t-subscribe": "subscribe-1"}
    assert len(list(data.iter_instances())) == 8
    found, subscribed = data.find("subscribe-2")
    assert found.id == "t-subscribe"
    assert subscribed.mapping == {"Topic 1": "Reefs"}
    assert [[e.method for e in group] for group in subscribed.alternatives] == [["POST"], ["PUT"]]
    assert subscribed.answer_key[0].fields["topicId"] == "9"
    assert [len(data.find("swap-1")[1].alternatives[0])] == [2]
    given = {agent: (t[0].instance_id, t[0].start_url) for agent, t in data.agent_tasks.items()}
    assert given == {
        "odobot": ("comment-2", "http://localhost:8088/login/canvas"),
        "webvoyager": ("swap-2", "http://localhost:8088"),
        "agent_e": ("quiz-2", "http://localhost:8088"),
    }
    with pytest.raises(TaskError, match="no side-effect instance 'points-1'"):
        data.find("points-1")


def test_only_the_task_file_is_needed(tmp_path: Path) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps(tasks()))
    data = read_dataset(tmp_path)
    assert data.training == {}
    assert set(data.agent_tasks.values()) == {()}
    with pytest.raises(TaskError, match=r"tasks\.json cannot be read: No such file"):
        read_dataset(tmp_path / "absent")


def test_passwords_are_not_shown(tmp_path: Path) -> None:
    data = read_dataset(write_dataset(tmp_path))
    assert data.find("comment-2")[1].password.get_secret_value() == "hidden-comment-2"
    assert "hidden-comment-2" in data.agent_tasks["odobot"][0].prompt
    assert "hidden" not in repr(data)
    assert "hidden" not in to_task_file(data).model_dump_json()


def spoil(*steps: str | int, value: Any) -> Callable[[list[Item]], None]:
    def change(items: list[Item]) -> None:
        holder: Any = items
        for step in steps[:-1]:
            holder = holder[step]
        if value is KeyError:
            del holder[steps[-1]]
        else:
            holder[steps[-1]] = value

    return change


FIRST = (0, "instances", 0)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (
            spoil(*FIRST, "answer_key", 1, "method", value=KeyError),
            ["item 0 (t-comment)", "field instances[0].answer_key[1].method", "Field required"],
        ),
        (
            spoil(*FIRST, "answer_key", 1, "request_kv", value=[]),
            ["instances[0].answer_key[1].request_kv", "valid dictionary"],
        ),
        (spoil(*FIRST, "answer_key", value=[]), ["instances[0].answer_key", "at least 1 item"]),
        (spoil(*FIRST, "instance_password", value=7), ["instances[0].instance_password"]),
        (
            spoil(1, "instances", 1, "answer_key", 0, "answer_id", value=KeyError),
            ["item 1 (t-subscribe)", "field instances[1]", "some have none"],
        ),
        (spoil(0, "type", value="Side-Effect"), ["item 0 (t-comment)", "field type"]),
        (spoil(0, "id", value=KeyError), ["item 0,", "field id", "Field required"]),
        (spoil(0, value="x"), ["item 0", "is no object"]),
        (spoil(*FIRST, "mapping", value={}), ["template t-comment", "no value for Assignment"]),
        (spoil(*FIRST, "id", value="swap-2"), ["template t-swap", "swap-2 is used twice"]),
        (
            spoil(4, "instances", 0, "answer_key", value={"Colour": 1}),
            ["item 4,", "answer_key.Colour"],
        ),
        (
            spoil(*FIRST, "id", value="other"),
            ["training_instances.csv, line 2", "'comment-1' is no known instance"],
        ),
    ],
)
def test_a_fault_is_named_by_file_item_and_field(
    tmp_path: Path, change: Callable[[list[Item]], None], parts: list[str]
) -> None:
    items = tasks()
    change(items)
    with pytest.raises(TaskError) as caught:
        read_dataset(write_dataset(tmp_path, items))
    message = str(caught.value)
    assert message.startswith(str(tmp_path))
    for part in parts:
        assert part in message
    assert "hidden" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("tasks.json", "{}", ["holds no list"]),
        ("tasks.json", "[", ["not JSON"]),
        ("training_instances.csv", "row|task_id|instance_id\n1|t-swap|quiz-1", ["line 2", "task"]),
        ("odobot_tasks.json", '[{"odoBotNL": {}}]', ["item 0", "odoBotNL.id"]),
        ("webvoyager_tasks.jsonl", '{"id": 1', ["line 1", "not JSON"]),
        ("webvoyager_tasks.jsonl", "[]", ["line 1", "is no object"]),
        (
            "agent_e_tasks.json",
            '[{"task_id": "x", "start_url": "", "intent": ""}]',
            ["item 0", "'x' is no known instance"],
        ),
    ],
)
def test_a_fault_of_the_other_files_is_named_too(
    tmp_path: Path, name: str, text: str, parts: list[str]
) -> None:
    write_dataset(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(TaskError) as caught:
        read_dataset(tmp_path)
    for part in (f"{tmp_path}/{name}", *parts):
        assert part in str(caught.value)


def test_the_templates_become_a_task_file_that_binds_to_the_same_keys(tmp_path: Path) -> None:
    data = read_dataset(write_dataset(tmp_path))
    file = to_task_file(data)
    assert file.app == "canvas"
    assert [i.id for _, i in file.iter_instances("demonstrate")] == ["comment-1", "subscribe-1"]
    for made, one in file.iter_instances():
        original = data.find(one.id)[1]
        assert bind(made, one, lambda sql, values: []) == strict_expectation(original)
        assert f"Task: {made.instance_text(one)}" == original.text
    swap, _ = file.find("swap-1")
    assert swap.parameters == ("group_1", "group_2")
    assert [w.path for w in swap.expect.writes] == [
        "/api/v1/groups/{key_1}/memberships/self",
        "/api/v1/groups/{key_2}/memberships",
    ]


def test_keys_of_different_shape_have_no_common_template(tmp_path: Path) -> None:
    def data(first: Any, second: Any) -> Any:
        items = [
            instance(f"x-{n}", {}, [{"method": "POST", "path": p, "request_kv": kv}])
            for n, (p, kv) in enumerate((first, second))
        ]
        (tmp_path / "tasks.json").write_text(json.dumps([template("t", "Task: Do", [], items)]))
        return read_dataset(tmp_path)

    with pytest.raises(TaskError, match="template t: its paths differ in length"):
        to_task_file(data(("/a/1", {}), ("/a/1/b", {})))
    with pytest.raises(TaskError, match="template t: its instances' answer keys differ"):
        to_task_file(data(("/a", {"on": True}), ("/a", {"on": False})))
    numbers = to_task_file(data(("/a", {"n": 1}), ("/a", {"n": 2})))
    assert numbers.templates[0].instances[1].values == {"key_1": "2"}
