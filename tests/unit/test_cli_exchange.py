"""`odokit import` and `odokit export` from the command line, over a workspace of their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from builders import Story
from logui_samples import to_logui, write_log
from store_samples import write_recordings
from typer.testing import CliRunner

from odokit.cli import app
from odokit.config import Settings
from odokit.errors import StoreError
from odokit.navmodel import discover_model
from odokit.navmodel.persist import save_model
from odokit.store import EventStore

RUNNER = CliRunner()


def said(*arguments: str) -> str:
    result = RUNNER.invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def workspace(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """A project folder that is the current one, with two recordings ingested."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "odokit.toml").write_text("")
    found = Settings.load()
    write_recordings(tmp_path / "raw", ["t1", "t2"])
    with EventStore.open(found.store) as store:
        store.ingest_folder(tmp_path / "raw")
    return found


def test_a_log_becomes_a_recording_that_can_be_ingested(
    workspace: Settings, tmp_path: Path
) -> None:
    story = Story("f1").at("/a").click("Go", xpath="/html/body/button").trajectory()
    log = write_log(tmp_path / "logui-f1.log", to_logui(story))
    unknown = json.loads(log.read_text())[0] | {"eventDetails": {"name": "HOVER"}}
    log.write_text(json.dumps([*json.loads(log.read_text()), unknown]))
    output = said("import", "logui", str(log), "--out", "new", "--app", "demo", "--task", "Go")
    assert "2 events" in output
    assert "not taken over: unknown event interactionEvent/HOVER" in " ".join(output.split())
    assert "1 new and 0 known" in said("ingest", "new")
    with EventStore.open(workspace.store, read_only=True) as store:
        header = store.get_trajectory("f1").header
    assert (header.app, header.task) == ("demo", "Go")


def test_exports_write_what_they_say(workspace: Settings, tmp_path: Path) -> None:
    assert "2 recordings in out" in said("export", "jsonl", "out")
    assert "0 new and 2 known" in said("ingest", "out")
    said("export", "ocel", "log.json", "--trajectory", "t2")
    log = json.loads((tmp_path / "log.json").read_text())
    assert {o["id"] for o in log["objects"] if o["type"] == "trajectory"} == {"trajectory:t2"}
    assert "events in log.xes" in said("export", "xes", "log.xes")
    assert "script: do.py" in said("export", "playwright", "t1", "do.py")
    compile((tmp_path / "do.py").read_text(), "do.py", "exec")


def test_a_model_labels_the_activities_of_its_trajectories(
    workspace: Settings, tmp_path: Path
) -> None:
    with EventStore.open(workspace.store) as store:
        model = discover_model(store.trajectories(["t1"]), get_snapshot=store.get_snapshot)
        save_model(store, model)
    said("export", "ocel", "log.json", "--model", model.model_id)
    log = json.loads((tmp_path / "log.json").read_text())
    assert {t["name"] for t in log["eventTypes"]} <= {v.label for v in model.vertices}
    assert {e["id"].split("#")[0] for e in log["events"]} == {"t1"}


def test_an_unknown_trajectory_is_named(workspace: Settings) -> None:
    with pytest.raises(StoreError, match="no trajectory nobody"):
        said("export", "playwright", "nobody", "do.py")
