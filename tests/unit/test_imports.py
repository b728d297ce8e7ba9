"""The layout rules that no linter knows: who may import whom, and how long things may grow."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "odokit"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The order of architecture: a module or sub-package may import only from those before it.
# fmt: off
ORDER = [
    "errors", "config", "log", "secrets", "events", "dom", "browser", "record", "store", "urls",
    "timeline", "substructure", "navmodel", "export", "llm", "retrieve", "annotate", "tasks",
    "paraphrases", "coverage", "evaluate", "stats", "cascon", "decide", "plan", "execute", "drift",
    "agents", "report", "widgets", "doctor", "testbeds", "run", "study", "cli", "__main__",
]
# fmt: on
# Foreign packages that only some layers may touch, so that each can be replaced in one place.
ONLY_IN = {
    "igraph": {"navmodel"},
    "duckdb": {"store", "doctor"},
    "keyring": {"secrets"},
    "playwright": {"browser", "record", "execute", "drift", "agents", "testbeds", "study", "cli"},
}
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60


def layer_of(path: Path) -> str:
    """Name of the top-level module or sub-package a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(tree: ast.Module, package: tuple[str, ...]) -> Iterator[str]:
    """Absolute dotted names of everything a module imports, at any depth of its code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*parents, *(node.module.split(".") if node.module else [])])
            # `from odokit import dom` imports a module, not a name of odokit's.
            yield from (f"{base}.{alias.name}" for alias in node.names)


def violations(layer: str, names: Iterator[str]) -> Iterator[str]:
    """What a module of a layer imports against the rules."""
    for name in names:
        top, *rest = name.split(".")
        if top == "odokit" and rest and rest[0] in ORDER:
            if ORDER.index(rest[0]) > ORDER.index(layer):
                yield f"{layer} imports {rest[0]}, which lies above it"
        elif layer not in ONLY_IN.get(top, {layer}):
            yield f"{layer} imports {top}, which only {', '.join(sorted(ONLY_IN[top]))} may"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_module_keeps_to_the_layout(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    layer = layer_of(path)
    if layer != "__init__":
        assert layer in ORDER, (
            f"odokit/{layer} is not in ORDER of tests/unit/test_imports.py: add it after "
            "everything it imports and before everything that imports it"
        )
        package = ("odokit", *path.relative_to(PACKAGE).parent.parts)
        assert list(violations(layer, imported(tree, package))) == []
    n_lines = len(source.splitlines())
    assert n_lines <= MAX_MODULE_LINES, f"{n_lines} lines: make it a package of separable parts"
    long = [
        f"{node.name}: {length} lines"
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := (node.end_lineno or 0) - node.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert long == []


@pytest.mark.parametrize(
    ("layer", "source", "complaint"),
    [
        ("dom", "from odokit.store import EventStore", "dom imports store, which lies above it"),
        ("dom", "from odokit import store", "dom imports store, which lies above it"),
        ("dom", "from .store import EventStore", "dom imports store, which lies above it"),
        ("dom", "def f():\n    import odokit.store", "dom imports store, which lies above it"),
        ("plan", "import igraph as ig", "plan imports igraph, which only navmodel may"),
        ("tasks", "import duckdb.typing", "tasks imports duckdb, which only doctor, store may"),
        ("report", "from odokit.testbeds import kolibri", "report imports testbeds, which lies"),
    ],
)
def test_the_rules_catch_a_wrong_import(layer: str, source: str, complaint: str) -> None:
    (found,) = violations(layer, imported(ast.parse(source), ("odokit",)))
    assert found.startswith(complaint)


def test_relative_imports_of_a_sub_package_are_resolved() -> None:
    tree = ast.parse("from ..store import x\nfrom .session import y")
    assert list(imported(tree, ("odokit", "record"))) == [
        "odokit.store.x",
        "odokit.record.session.y",
    ]


def test_allowed_imports_pass() -> None:
    tree = ast.parse("from odokit.dom import parse\nimport odokit\nimport duckdb, ast")
    assert list(violations("store", imported(tree, ("odokit",)))) == []
