"""`odokit testbed APP VERB`: the form of the command, and what `verify` prints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from odokit.cli import app
from odokit.study import workspace
from odokit.testbeds import TESTBED_NAMES
from odokit.testbeds.verify import VerifyRow

GOOD = VerifyRow("rename", "rename_1", True, True, True, 7, (), 1.5, "all seen")
LAX = VerifyRow("rename", "rename_2", True, True, True, 5, ("name expected",), 2.0, "too lax")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `verify_testbed` was asked; put `rows` into it for its answer."""
    seen: dict[str, Any] = {"rows": [GOOD]}

    async def answer(settings: object, **options: Any) -> list[VerifyRow]:
        seen.update(options)
        return list(seen["rows"])

    monkeypatch.setattr(workspace, "verify_testbed", answer)
    return seen


def test_every_test_bed_is_a_command_with_the_same_verbs() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["testbed", "--help"]).stdout
    for name in TESTBED_NAMES:
        assert name in listed
        verbs = runner.invoke(app, ["testbed", name, "--help"]).stdout
        assert all(v in verbs for v in ("up", "reset", "down", "status", "demonstrate", "verify"))
    unknown = runner.invoke(app, ["testbed", "elsewhere", "up"])
    assert unknown.exit_code == 2
    assert "No such command 'elsewhere'" in unknown.output


def test_verify_tells_its_figures_as_json(asked: dict[str, Any]) -> None:
    options = ["--sample", "3", "--seed", "5", "--reset", "run", "--json"]
    done = CliRunner().invoke(app, ["testbed", "oscar", "verify", *options])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {
        "templates": 1,
        "instances": 1,
        "oracle_success": 1,
        "disagreements": 0,
        "mutations": 7,
        "mutations_undetected": 0,
    }
    asked_for = (asked["app"], asked["sample"], asked["seed"], asked["reset"])
    assert asked_for == ("oscar", 3, 5, "run")


def test_verify_prints_a_row_an_instance_and_fails_when_one_is_bad(asked: dict[str, Any]) -> None:
    asked["rows"] = [GOOD, LAX]
    done = CliRunner().invoke(app, ["testbed", "kolibri", "verify"])
    assert done.exit_code == 1
    assert "rename_1" in done.stdout
    assert "BAD" in done.stdout
    assert "mutations: 12, mutations undetected: 1" in done.stdout
