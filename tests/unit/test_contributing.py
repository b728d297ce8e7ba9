"""What CONTRIBUTING.md says about files and task files is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from odokit.evaluate import body_difference
from odokit.tasks import bind, read_tasks

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(set(re.findall(r"`((?:odokit|tests|notebooks|data|scripts)/[\w./]+)`", TEXT)))


def test_the_example_task_file_is_read_and_bound(tmp_path: Path) -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    path = tmp_path / "tasks.yaml"
    path.write_text(example, encoding="utf-8")
    ((template, instance),) = read_tasks(path).iter_instances("execute")
    bound = bind(template, instance, lambda sql, values: [("f1",)])
    assert bound.writes[0].body["full_name"] == "Ben Oh"
    assert bound.database[0].equals == "Ben Oh"


def test_the_table_of_matchers_is_whole() -> None:
    table = {"$any": 1, "$absent": 1, "$length": 1, "$contains": "x", "$starts_with": "x"}
    table["$regex"] = "x"
    assert set(re.findall(r"^\| `\{(\$\w+):", TEXT, re.MULTILINE)) == set(table)
    for matcher, argument in table.items():
        observed = {"value": "x"} if matcher != "$absent" else {}
        assert body_difference({"value": {matcher: argument}}, observed) is None


@pytest.mark.parametrize("path", PATHS)
def test_the_files_it_names_exist(path: str) -> None:
    assert (ROOT / path).exists()
