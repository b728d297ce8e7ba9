"""`odokit model`: what the commands print."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Story
from typer.testing import CliRunner

from odokit.cli.model import model_app
from odokit.config import Settings
from odokit.navmodel import NavModel, discover_model
from odokit.navmodel.persist import save_model
from odokit.store import EventStore
from odokit.testbeds import get_testbed

ROOT = Path(__file__).parents[2]
RUNNER = CliRunner()


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[NavModel, NavModel]:
    """Two saved models; the second has one demonstration more."""
    path = tmp_path / "workspace.duckdb"
    monkeypatch.setenv("ODOKIT_ROOT", str(ROOT))
    monkeypatch.setenv("ODOKIT_STORE", str(path))
    trajectories = [
        Story("a").at("/groups/7").click("Edit").write("PATCH", "/api/groups/7").trajectory(),
        Story("b").at("/groups/8").click("Delete").write("DELETE", "/api/groups/8").trajectory(),
    ]
    found = discover_model(trajectories[:1]), discover_model(trajectories)
    with EventStore.open(path) as store:
        for trajectory in trajectories:
            store.ingest(trajectory, None)
        for model in found:
            save_model(store, model)
    return found


def run(*arguments: str) -> str:
    done = RUNNER.invoke(model_app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_diff_says_what_came_and_what_was_seen_more_often(
    models: tuple[NavModel, NavModel],
) -> None:
    output = run("diff", models[0].model_id, models[1].model_id)
    lines = [line.split() for line in output.splitlines()]
    assert ["vertices", "2", "0", "1", "2"] in lines
    assert ["added", "rest_call", "DELETE", "/api/groups/*", "0", "1"] in lines
    assert "Edit" not in output, "what stayed is not listed"
    assert "1 more" in run("diff", models[0].model_id, models[1].model_id, "--limit", "2")


def test_coverage_counts_what_rests_on_one_demonstration_and_proposes(
    models: tuple[NavModel, NavModel],
) -> None:
    output = run("coverage", "--app", "kolibri", "--limit", "3")
    lines = [line.split() for line in output.splitlines()]
    assert ["writes", "2", "2"] in lines
    assert ["branches", "2", "2"] in lines
    ids = {template.id for template in get_testbed("kolibri", Settings.load()).tasks().templates}
    proposed = [line for line in lines if line and line[0] in ids]
    assert len(proposed) == 3
    # Nothing of them was demonstrated: each makes its own tasks possible, in all their wordings.
    assert all(int(line[1]) >= 90 for line in proposed)
