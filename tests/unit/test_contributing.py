"""What CONTRIBUTING.md says about files and task files is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from odokit.errors import EvaluateError
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
    met: dict[str, tuple[Any, Any]] = {
        "$any": (True, {"value": "x"}),
        "$absent": (True, {}),
        "$length": (1, {"value": "x"}),
        "$contains": ("x", {"value": "x"}),
        "$starts_with": ("x", {"value": "x"}),
        "$regex": ("x", {"value": "x"}),
        "$json": ('["x"]', {"value": ["x"]}),
        "$items": (["x"], {"value": "x"}),
        "$has": ("x", {"value": ["y", "x"]}),
        "$lacks": ("x", {"value": ["y"]}),
        "$deep": ({"key": "x"}, {"value": [{"key": "x"}]}),
    }
    assert set(re.findall(r"^\| `\{(\$\w+):", TEXT, re.MULTILINE)) == set(met)
    for matcher, (argument, observed) in met.items():
        assert body_difference({"value": {matcher: argument}}, observed) is None
    with pytest.raises(EvaluateError) as caught:
        body_difference({"$none": 1}, {})
    assert set(re.findall(r"\$\w+", str(caught.value).partition("known are")[2])) == set(met)


@pytest.mark.parametrize("path", PATHS)
def test_the_files_it_names_exist(path: str) -> None:
    assert (ROOT / path).exists()
