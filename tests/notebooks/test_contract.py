"""The contract of all notebooks: thin, parameterised, cleared, each widget with its twins."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import papermill
import pytest
from nbformat import NotebookNode

ROOT = Path(__file__).parents[2]
NAMES = (
    "00_tour 01_record 02_store 03_navmodel 04_dynamic_xpath 05_annotate 06_plan 07_execute "
    "08_report"
).split()
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MAX_LINES = 10
EXTRA_KEYS = "metadata.language_info metadata.papermill metadata.widgets cell.metadata.papermill"
TYPES = ("str", "int", "float", "bool")
SQL = re.compile(r"\b(SELECT\s.+\sFROM|INSERT INTO|DELETE FROM|CREATE (TABLE|VIEW))\b", re.I | re.S)
PATH = re.compile(r"^[~./\\]|[/\\]|\.(html|json|duckdb|ipynb|yaml|zst|csv|parquet)$")
FORBIDDEN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.Try)

each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def code_of(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def parse(source: str) -> ast.Module:
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    tree = compile(source, "cell", "exec", flags=flags)
    assert isinstance(tree, ast.Module)
    return tree


def faults(source: str) -> Iterator[str]:
    """What a code cell holds that belongs into the package."""
    n_lines = len(source.splitlines())
    if n_lines > MAX_LINES:
        yield f"{n_lines} lines"
    for node in ast.walk(parse(source)):
        if isinstance(node, FORBIDDEN):
            yield type(node).__name__
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if SQL.search(node.value):
                yield f"SQL: {node.value!r}"
            elif PATH.search(node.value) and not node.value.startswith("data:"):
                yield f"path: {node.value!r}"
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            yield f"private: {node.attr}"
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [getattr(node, "module", None) or "", *(a.name for a in node.names)]
            yield from (f"private: {n}" for n in names if re.search(r"(^|\.)_", n))


def parameter_faults(source: str) -> Iterator[str]:
    """What in a parameters cell is no annotated literal with a comment."""
    for line, node in zip(source.splitlines(), parse(source).body, strict=True):
        if not isinstance(node, ast.AnnAssign) or node.value is None:
            yield f"no annotated assignment: {line}"
        elif not isinstance(node.annotation, ast.Name) or node.annotation.id not in TYPES:
            yield f"no plain type: {line}"
        elif type(ast.literal_eval(node.value)).__name__ != node.annotation.id:
            yield f"value of another type: {line}"
        elif not re.search(r"  # \w", line):
            yield f"no comment: {line}"


def widget_faults(cells: list[str], parameters: set[str]) -> Iterator[str]:
    """Views without a static figure, or whose state is no parameter."""
    for i, source in enumerate(cells):
        for node in ast.walk(parse(source)):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if not re.fullmatch(r"[A-Z]\w*View", node.func.id):
                continue
            states = [k.value.id if isinstance(k.value, ast.Name) else "" for k in node.keywords]
            if not states or not set(states) <= parameters:
                yield f"{node.func.id}: its state is no parameter"
            if not any(".figure()" in later for later in cells[i : i + 2]):
                yield f"{node.func.id}: no static figure beside it"


# --------------------------------------------------------------------------------- all of them


def test_the_notebooks_are_these_in_this_order() -> None:
    assert [path.stem for path in PATHS] == NAMES


def test_the_notebooks_are_stripped() -> None:
    command = [sys.executable, "-m", "nbstripout", "--verify", "--extra-keys", EXTRA_KEYS]
    done = subprocess.run([*command, *map(str, PATHS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"run `make notebooks-clear`: {done.stdout}"


def test_the_notebooks_use_what_they_import_and_define_what_they_use() -> None:
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F,I,E501"]
    options = ["--line-length", "100", "--target-version", "py311"]
    done = subprocess.run(
        [*command, *options, *map(str, PATHS)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


# --------------------------------------------------------------------------------- each of them


@each_notebook
def test_it_begins_with_question_reads_writes_and_time(path: Path) -> None:
    first = read(path).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith(f"# {path.stem[:2]} · ")
    for word in ("**Question.**", "**Reads**", "**Writes**", "**Time**"):
        assert word in first.source, word


@each_notebook
def test_parameters_come_second_as_annotated_literals_with_comments(path: Path) -> None:
    cells = read(path).cells
    tagged = [i for i, c in enumerate(cells) if "parameters" in c.metadata.get("tags", ())]
    assert tagged == [1]
    assert list(parameter_faults(cells[1].source)) == []


@each_notebook
def test_papermill_reads_every_parameter_with_type_and_help(path: Path) -> None:
    found = papermill.inspect_notebook(str(path))
    assert len(found) == len(read(path).cells[1].source.splitlines())
    for name, parameter in found.items():
        assert parameter["inferred_type_name"] in TYPES, name
        assert parameter["help"], name


@each_notebook
def test_it_is_cleared(path: Path) -> None:
    notebook = read(path)
    assert set(notebook.metadata) == {"kernelspec"}
    assert notebook.metadata.kernelspec.name == "python3"
    for cell in code_of(notebook):
        assert cell.outputs == []
        assert cell.execution_count is None
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


@each_notebook
def test_its_cells_are_thin(path: Path) -> None:
    found = [fault for cell in code_of(read(path)) for fault in faults(cell.source)]
    assert found == []


@each_notebook
def test_third_it_imports_and_nowhere_else(path: Path) -> None:
    cells = code_of(read(path))
    where = {
        i
        for i, cell in enumerate(cells)
        for node in ast.walk(parse(cell.source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert where == {1}


@each_notebook
def test_every_section_tells_and_shows(path: Path) -> None:
    cells = read(path).cells[3:]
    sections = [i for i, c in enumerate(cells) if c.source.startswith("## ")]
    assert sections[0] == 0
    for start, end in zip(sections, [*sections[1:], len(cells)], strict=True):
        assert len(cells[start].source.split("\n", 2)) == 3, "a heading needs prose below it"
        assert any(c.cell_type == "code" for c in cells[start:end]), cells[start].source


@each_notebook
def test_it_ends_with_what_was_written(path: Path) -> None:
    last = read(path).cells[-2:]
    assert [cell.cell_type for cell in last] == ["markdown", "code"]
    assert last[0].source.startswith("## What was written")


@each_notebook
def test_every_widget_has_its_twins(path: Path) -> None:
    parameters = set(papermill.inspect_notebook(str(path)))
    sources = [cell.source for cell in code_of(read(path))]
    assert list(widget_faults(sources, parameters)) == []


# ----------------------------------------------------------------------- the rules catch faults


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("\n".join("x = 1" for _ in range(11)), "11 lines"),
        ("def f():\n    return 1", "FunctionDef"),
        ("class A:\n    pass", "ClassDef"),
        ("try:\n    x\nexcept ValueError:\n    pass", "Try"),
        ("store.sql('select a from b')", "SQL"),
        ("open('data/x')", "path"),
        ("read('run.json')", "path"),
        ("model._graph", "private"),
        ("from odokit.report._x import y", "private"),
    ],
)
def test_a_thick_cell_is_caught(source: str, fault: str) -> None:
    assert any(found.startswith(fault) for found in faults(source))


def test_a_thin_cell_passes() -> None:
    assert list(faults('x = await f(settings)\nx.filter(pl.col("a") == "one, two").head(3)')) == []


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("x = 1  # a", "no annotated"),
        ("x: list = []  # a", "no plain type"),
        ("x: str = 1  # a", "value of another type"),
        ("x: int = 1", "no comment"),
    ],
)
def test_a_bad_parameter_is_caught(source: str, fault: str) -> None:
    assert [found[: len(fault)] for found in parameter_faults(source)] == [fault]


@pytest.mark.parametrize(
    ("cells", "fault"),
    [
        (["v = GraphView(model, selected=vertex)", "1"], "no static figure"),
        (["v = GraphView(model)", "v.figure()"], "no parameter"),
        (["v = GraphView(model, selected=other)", "v.figure()"], "no parameter"),
    ],
)
def test_a_widget_without_a_twin_is_caught(cells: list[str], fault: str) -> None:
    assert any(fault in found for found in widget_faults(cells, {"vertex"}))


def test_a_widget_with_its_twins_passes() -> None:
    cells = ["v = GraphView(model, selected=vertex)\nv", "v.figure()"]
    assert list(widget_faults(cells, {"vertex"})) == []
