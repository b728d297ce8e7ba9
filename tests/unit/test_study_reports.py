"""A run is found, read back whole, and reported on from the store alone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from report_models import make_trajectories
from store_samples import call_row, decision_row, episode_row, run_row, step_row

from odokit.config import Settings
from odokit.errors import StudyError
from odokit.navmodel import discover_model
from odokit.navmodel.persist import save_model
from odokit.study.reports import find_run, read_run, scratch_folder, write_run_report
from odokit.study.workspace import open_workspace


@pytest.fixture
def workspace(settings: Settings) -> Settings:
    """A workspace with two runs of one task, the later one a failure, and one without tasks."""
    model = discover_model(make_trajectories())
    with open_workspace(settings, read_only=False) as store:
        for trajectory in make_trajectories():
            store.ingest(trajectory, None)
        save_model(store, model)
        for run_id, day, outcome in (("r1", 1, "success"), ("r2", 2, "failure")):
            row = run_row(run_id, "done", 3.0)
            started = f"2026-01-0{day}T00:00:00+00:00"
            store.save_run(replace(row, started_at=started, model_id=model.model_id))
            parts = [step_row("e", run_id=run_id)], [decision_row("e", run_id=run_id)]
            store.save_episode(
                episode_row("e", outcome, run_id), *parts, [call_row("e", run_id=run_id)]
            )
        store.save_run(replace(run_row("r3"), started_at="2026-01-03T00:00:00+00:00"))
    return settings


def test_the_latest_run_with_tasks_is_found(workspace: Settings) -> None:
    assert find_run(workspace) == "r2"
    assert find_run(workspace, "r1") == "r1"


def test_a_run_of_notebooks_that_executed_nothing_means_the_latest(workspace: Settings) -> None:
    (workspace.reports / "only-notebooks").mkdir(parents=True)
    assert find_run(workspace, "only-notebooks") == "r2"


def test_an_unknown_run_is_refused(workspace: Settings) -> None:
    with pytest.raises(StudyError, match=r"no run 'r9'; the runs with tasks are r1, r2\."):
        find_run(workspace, "r9")


def test_without_any_executed_task_the_cure_is_named(settings: Settings) -> None:
    open_workspace(settings, read_only=False).close()
    with pytest.raises(StudyError, match="run 07_execute"):
        find_run(settings)


def test_a_run_is_read_back_with_all_its_parts(workspace: Settings) -> None:
    frames = read_run(workspace, "r1")
    assert frames.run_id == "r1"
    parts = (frames.episodes, frames.steps, frames.decisions, frames.calls)
    assert [part.height for part in parts] == [1, 1, 1, 1]
    assert {part["run_id"][0] for part in parts} == {"r1"}


def test_provenance_joins_the_file_and_the_newer_row(workspace: Settings) -> None:
    folder = workspace.reports / "r1"
    folder.mkdir(parents=True)
    written = {"run_id": "r1", "commit": "abc", "status": "running", "n_tasks": 0}
    (folder / "run.json").write_text(json.dumps(written), encoding="utf-8")
    (folder / "facts.json").write_text(json.dumps({"browser": "chromium 1"}), encoding="utf-8")
    facts = read_run(workspace, "r1").facts
    assert (facts["commit"], facts["browser"]) == ("abc", "chromium 1")
    assert (facts["status"], facts["n_tasks"]) == ("done", 1)


def test_the_report_lies_in_the_folder_of_the_run(workspace: Settings) -> None:
    path = write_run_report(workspace, "r1")
    assert path == workspace.reports / "r1" / "report.html"
    text = path.read_text(encoding="utf-8")
    assert "Run r1" in text
    assert "1 of 1" in text
    assert "120" in text  # its tokens
    assert "What the agent knew" in text


def test_a_run_without_tasks_gets_the_report_of_the_latest(workspace: Settings) -> None:
    (workspace.reports / "only-notebooks").mkdir(parents=True)
    path = write_run_report(workspace, "only-notebooks")
    assert path.parent.name == "only-notebooks"
    assert "Run r2" in path.read_text(encoding="utf-8")


def test_scratch_recordings_stay_out_of_raw_data(settings: Settings) -> None:
    assert scratch_folder(settings).is_relative_to(settings.data / "interim")
