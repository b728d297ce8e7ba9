"""docs/recording.md speaks of commands, options, names and fields that exist."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import typer

from odokit.cli import app
from odokit.config import SECRET_RULES
from odokit.events import EventKind
from odokit.record.extension.build import MIN_CHROMIUM, MIN_FIREFOX
from odokit.record.extension.exports import EXPORT_VERSION

TEXT = (Path(__file__).parents[2] / "docs" / "recording.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app)


def blocks(language: str) -> list[str]:
    """The code blocks of a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [block for kind, block in fenced if kind == language]


def find_options(words: list[str]) -> set[str]:
    """The options of a command named by its words."""
    command = COMMANDS
    for word in words:
        command = command.commands[word]  # type: ignore[attr-defined]
    return {option for parameter in command.params for option in parameter.opts}


def test_every_command_exists_with_its_options() -> None:
    lines = [line for block in blocks("") for line in block.splitlines()]
    lines += re.findall(r"`(odokit [^`]+)`", TEXT)
    checked = set()
    for line in lines:
        words = line.split("#")[0].split()
        assert words[0] == "odokit"
        n_words = 2 if words[1] in ("extension", "import", "secret") else 1
        name = words[1 : 1 + n_words]
        options = {word for word in words if word.startswith("--")}
        assert options <= find_options(name), line
        checked.add(" ".join(name))
    assert checked >= {"record", "ingest", "extension build", "import extension", "secret set"}


def test_the_table_lists_every_option_of_record() -> None:
    told = set(re.findall(r"^\| `(--[a-z]+)", TEXT, re.MULTILINE))
    assert told == {option for option in find_options(["record"]) if option.startswith("--")}


def test_python_examples_name_what_exists() -> None:
    for block in blocks("python"):
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | ast.PyCF_ONLY_AST
        tree = compile(block, "recording.md", "exec", flags)
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module or "")
                assert all(hasattr(module, alias.name) for alias in node.names)
    from odokit.study.manual import Window, open_recorded_window

    assert "open_recorded_window(" in TEXT and open_recorded_window
    assert "window.closed()" in TEXT and Window.closed


def test_versions_kinds_and_rules_are_the_codes_own() -> None:
    assert f"({MIN_CHROMIUM} or later)" in TEXT
    assert f"({MIN_FIREFOX.split('.')[0]} or later)" in TEXT
    assert f'redaction_rules = "{",".join(SECRET_RULES)}"' in TEXT
    table = TEXT.split("## What is recorded")[1].lower().replace(" ", "_")
    for kind in EventKind:
        assert kind in table or kind in ("radio", "select")
    assert f'{{"odokit_export": {EXPORT_VERSION}, ' in TEXT
