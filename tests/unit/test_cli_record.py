"""The commands around recording by hand and by the extension."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from test_extension_export import click, page, write_export
from typer.testing import CliRunner

from odokit.cli import app
from odokit.cli.record import show_progress
from odokit.errors import ConfigError, RecordError
from odokit.events import Element, Event, EventKind, read_recording


def run(*words: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, words)
    if result.exception is not None:
        raise result.exception
    return result.output


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own."""
    monkeypatch.setenv("ODOKIT_ROOT", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("browser", "where"), [("chromium", "chrome://extensions"), ("firefox", "about:debugging")]
)
def test_the_extension_is_built_with_the_rules_of_the_project(
    root: Path, browser: str, where: str
) -> None:
    (root / "odokit.toml").write_text('redaction_rules = "email"\n')
    said = run("extension", "build", str(root / "built"), "--browser", browser)
    assert where in said
    manifest = json.loads((root / "built" / "manifest.json").read_text(encoding="utf-8"))
    assert ("browser_specific_settings" in manifest) == (browser == "firefox")
    assert '"email"' in (root / "built" / "rules.js").read_text(encoding="utf-8")


def test_an_exported_file_is_ingested(root: Path) -> None:
    path = write_export(root, page(click()))
    assert "1 new and 0 known trajectories, 1 events" in run("ingest", str(path))
    assert "0 new and 1 known" in run("ingest", str(root / "data" / "raw"))


def test_exports_in_a_folder_are_ingested(root: Path) -> None:
    folder = root / "downloads"
    folder.mkdir()
    write_export(folder, page(click()))
    assert "1 new and 0 known" in run("ingest", str(folder))
    assert "0 new and 1 known" in run("ingest", str(folder))


def test_exports_are_imported(root: Path) -> None:
    path = write_export(root, page(click()))
    said = run("import", "extension", str(path), "--out", str(root / "out"))
    assert [e.kind for e in read_recording(Path(said.strip())).events] == [EventKind.CLICK]


def test_record_needs_an_address_and_recovers_journals_only(root: Path) -> None:
    with pytest.raises(ConfigError, match="say where to begin"):
        run("record")
    with pytest.raises(RecordError, match="is no journal"):
        run("record", "--recover", str(root / "x.jsonl.zst"))


def test_progress_shows_counts_gaps_and_the_last_act_as_text() -> None:
    button = Element(tag="button", xpath="/html/body/button", role="button", name="[red]Save")
    events = [
        Event(kind=EventKind.CLICK, idx=i, t_ms=i, url="http://a.test/", element=button)
        for i in range(2)
    ]
    console = Console(width=60, file=StringIO())
    with console.capture() as printed:
        console.print(show_progress(events, ["a canvas was used"]))
    shown = [line.split() for line in printed.get().splitlines()]
    assert shown == [["click", "2"], ["not", "recorded", "1"], ["last", "button", "[red]Save"]]
