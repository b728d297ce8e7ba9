"""What CONTRIBUTING.md says about files and task files is so."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer

from odokit.cli import app
from odokit.errors import EvaluateError
from odokit.evaluate import body_difference
from odokit.record.script import PARTS
from odokit.tasks import bind, read_tasks

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PATHS = sorted(
    set(re.findall(r"((?:odokit|tests|notebooks|data|docs|benchmarks)/[\w./]+\w)", TEXT))
)
COMMANDS = sorted(set(re.findall(r"`odokit ([a-z]+(?: [a-z]+)*)", TEXT)))
MADE = re.findall(r"(?:^|`)make ([a-z][a-z -]*?)(?:`|  )", TEXT, re.MULTILINE)
TARGETS = sorted({target for made in MADE for target in made.split()})
CONSTANTS = sorted(set(re.findall(r"`([A-Z][A-Z_]+)`", TEXT)) - {"POST"})


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


def test_the_scripts_of_the_page_are_all_named() -> None:
    assert [part for part in PARTS if f"`{part}`" not in TEXT] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_it_names_exist(command: str) -> None:
    found = typer.main.get_command(app)
    for word in command.split():
        if isinstance(found, typer.core.TyperGroup):  # else the word is an argument
            found = found.commands[word]
    assert not isinstance(found, typer.core.TyperGroup)


@pytest.mark.parametrize("target", TARGETS)
def test_the_targets_it_names_exist(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^{target}:", makefile, re.MULTILINE)


@pytest.mark.parametrize("name", CONSTANTS)
def test_the_constants_it_names_exist(name: str) -> None:
    files = [*(ROOT / "odokit").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    set_to = re.compile(rf"^{name}(: .+)? = ", re.MULTILINE)
    assert any(set_to.search(file.read_text(encoding="utf-8")) for file in files)
