"""Task files are checked line by line, and answer keys are filled from values and queries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from odokit.errors import TaskError
from odokit.tasks import TaskFile, bind, fill, query_parameters, read_tasks

GOOD = """\
app: school
noise:
  - {method: PUT, path: /heartbeat/}
templates:
  - id: rename
    role: admin
    text: Rename the class "{old}" to "{new}".
    ids:
      class_id: SELECT id FROM class WHERE name = :old
      n_classes: SELECT count(*) FROM class
    expect:
      writes:
        - method: PATCH
          path: /class/{class_id}/
          body: {name: "{new}", tags: ["was {old}", "{n_classes}"]}
      also_allowed:
        - {method: POST, path: "/log/{class_id}/"}
      database:
        - query: SELECT count(*) FROM class WHERE name = :new
          equals: "{n_classes}"
    instances:
      - {id: rename_1, use: demonstrate, values: {old: Botany, new: Biology}}
      - {id: rename_2, use: execute, values: {old: Latin, new: Greek}}
"""


def fake_query(sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    if "count" in sql:
        return [(3,)]
    return [(f"id-of-{params['old']}",)] if params["old"] != "Nowhere" else []


def load(tmp_path: Path, text: str = GOOD) -> TaskFile:
    path = tmp_path / "tasks.yaml"
    path.write_text(text, encoding="utf-8")
    return read_tasks(path)


def test_a_good_file_gives_templates_instances_and_texts(tmp_path: Path) -> None:
    tasks = load(tmp_path)
    assert [i.id for _, i in tasks.iter_instances()] == ["rename_1", "rename_2"]
    assert [i.id for _, i in tasks.iter_instances("execute")] == ["rename_2"]
    template, instance = tasks.find("rename_2")
    assert template.parameters == ("old", "new")
    assert template.instance_text(instance) == 'Rename the class "Latin" to "Greek".'
    with pytest.raises(TaskError, match="school has no task instance 'rename_3'"):
        tasks.find("rename_3")


@pytest.mark.parametrize(
    ("old", "new", "line", "parts"),
    [
        ("app: school", "app: [school", 2, ["not valid YAML"]),
        ("role: admin", "role: admin\n    rule: x", 7, ["templates.0.rule", "Extra inputs"]),
        ("role: admin", "role: 7", 6, ["templates.0.role", "valid string"]),
        ("use: execute", "use: exercise", 23, ["instances.1.use", "'demonstrate' or 'execute'"]),
        (
            "values: {old: Latin, new: Greek}",
            "values: {old: Latin}",
            23,
            ["instances.1.values", "new"],
        ),
        ("id: rename_2", "id: rename_1", 23, ["instances.1.id", "'rename_1' is used twice"]),
        ("id: rename_2", "id: rename", 23, ["instances.1.id", "'rename' is used twice"]),
        ('body: {name: "{new}"', 'body: {name: "{nwe}"', 15, ["writes.0.body.name", "'{nwe}'"]),
        ("WHERE name = :new", "WHERE name = :nwe", 19, ["database.0.query", "':nwe'"]),
        ("WHERE name = :old", "WHERE name = :odl", 9, ["ids.class_id", "':odl'"]),
        ('equals: "{n_classes}"', 'equals: "{n_class}"', 20, ["database.0.equals", "'{n_class}'"]),
        ("- method: PATCH", "- methode: PATCH", 13, ["expect.writes.0.method", "Field required"]),
    ],
)
def test_a_fault_is_named_by_file_line_and_field(
    tmp_path: Path, old: str, new: str, line: int, parts: list[str]
) -> None:
    assert GOOD.count(old) == 1
    with pytest.raises(TaskError) as caught:
        load(tmp_path, GOOD.replace(old, new))
    message = str(caught.value)
    assert message.startswith(
        (f"{tmp_path}/tasks.yaml, line {line}, ", f"{tmp_path}/tasks.yaml, line {line}: ")
    )
    for part in parts:
        assert part in message


def test_a_file_without_writes_templates_or_content_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="field templates"):
        load(tmp_path, "app: school\ntemplates: []\n")
    with pytest.raises(TaskError, match=r"line 1, field \(file\)"):
        load(tmp_path, "")
    with pytest.raises(TaskError, match="cannot be read: No such file"):
        read_tasks(tmp_path / "absent.yaml")


def test_a_double_colon_in_sql_is_no_parameter(tmp_path: Path) -> None:
    text = GOOD.replace("SELECT count(*) FROM class\n", "SELECT count(*)::int FROM class\n")
    assert text != GOOD
    assert load(tmp_path, text).templates[0].ids["n_classes"].endswith("::int FROM class")


def test_binding_fills_paths_bodies_and_checks(tmp_path: Path) -> None:
    key = bind(*load(tmp_path).find("rename_2"), fake_query)
    assert key.writes[0].path == "/class/id-of-Latin/"
    assert key.writes[0].body == {"name": "Greek", "tags": ["was Latin", 3]}
    assert key.also_allowed[0].path == "/log/id-of-Latin/"
    assert key.database[0].equals == 3
    assert key.database[0].query == "SELECT count(*) FROM class WHERE name = :new"


def test_binding_an_absent_entity_says_which_and_what_to_do(tmp_path: Path) -> None:
    tasks = load(tmp_path, GOOD.replace("old: Latin", "old: Nowhere"))
    with pytest.raises(
        TaskError, match=r"tasks.yaml, line 5, field ids.class_id: for task 'rename_2'.*reset"
    ):
        bind(*tasks.find("rename_2"), fake_query)


def test_query_parameters_are_values_and_ids(tmp_path: Path) -> None:
    found = query_parameters(*load(tmp_path).find("rename_1"), fake_query)
    assert found == {
        "old": "Botany",
        "new": "Biology",
        "class_id": "id-of-Botany",
        "n_classes": 3,
    }


def test_a_slot_alone_keeps_its_type_and_an_unknown_one_stays() -> None:
    assert fill("{n}", {"n": 3}) == 3
    assert fill("{n} of {m}", {"n": 3}) == "3 of {m}"
    assert fill({"a": ["{n}", True, None]}, {"n": 3}) == {"a": [3, True, None]}
