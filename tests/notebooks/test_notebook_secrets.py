"""A secret planted in a recording is in no executed notebook, in no page of it and in no run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from odokit.config import Settings
from odokit.events import Header, write_recording
from odokit.record import Assembler, Redactor, SnapshotFolder
from odokit.record.spellings import spellings
from odokit.run import run_notebooks

pytestmark = [pytest.mark.notebook, pytest.mark.slow]

PROJECT = Path(__file__).parents[2]
SECRET = "Blue <Heron> & 7"


def plant(folder: Path) -> None:
    """Make a recording of someone who uses the secret everywhere."""
    redactor = Redactor({"bird": SECRET})
    header = Header(
        trajectory_id="planted", task=redactor.text(f'Say "{SECRET}"'), app="kolibri", start_url=""
    )
    snapshots = SnapshotFolder(folder / "snapshots")
    book = Assembler(header, snapshots=snapshots, redactor=redactor)
    html = f"<html><body><p title='{SECRET}'>{SECRET}</p></body></html>"
    book.take("frame", {"kind": "page", "id": "d", "n": 1, "at": 0, "end": 0, "html": html})
    element = {"tag": "button", "xpath": "/html/body/p", "role": "button", "name": SECRET}
    for at in range(4):
        book.take(
            "frame",
            {
                "kind": "data_entry" if at % 2 else "click",
                "at": 1000.0 * at,
                "url": f"http://app.test/say?word={SECRET}",
                "element": element | {"text": SECRET, "html": html},
                "value": SECRET if at % 2 else None,
                "page": "d:1",
            },
        )
    book.close()
    write_recording(folder / "planted.jsonl.zst", book.trajectory())


def test_no_executed_notebook_shows_it(tmp_path: Path) -> None:
    (tmp_path / "notebooks").mkdir()
    shutil.copy(PROJECT / "notebooks" / "02_store.ipynb", tmp_path / "notebooks")
    kolibri = tmp_path / "data" / "testbeds" / "kolibri"
    kolibri.mkdir(parents=True)
    for name in ("tasks.yaml", "seed.yaml", "paraphrases.yaml"):
        shutil.copy(PROJECT / "data" / "testbeds" / "kolibri" / name, kolibri)
    plant(kolibri / "demonstrations")
    (tmp_path / "odokit.toml").write_text("", encoding="utf-8")
    settings = Settings.load(tmp_path, env={})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ODOKIT_ROOT", str(tmp_path))
        folder = run_notebooks(settings, ["02_store"], {"trajectory_id": "planted"})
    pages = [p.read_text(encoding="utf-8") for p in folder.rglob("*") if p.is_file()]
    assert len(pages) >= 3, "the notebook, its page and the run"
    assert any("{{secret:bird}}" in page for page in pages)
    assert [form for page in pages for form in spellings(SECRET) if form in page] == []
