"""Compacting drops what nothing refers to, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from store_samples import page, recording
from typer.testing import CliRunner

from odokit.cli import app
from odokit.errors import StoreError, StoreLockedError
from odokit.events import write_recording
from odokit.navmodel import discover_model
from odokit.navmodel.persist import save_model
from odokit.record.snapshots import SnapshotFolder
from odokit.store import EventStore

N_PAGES = 150


def large_page(title: str) -> str:
    """A page that does not compress well: the file's size goes by blocks of 256 KiB."""
    return "".join(page(f"{title} {part}") for part in range(8))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store of `wasteful` and its recordings, made once."""
    made = tmp_path_factory.mktemp("wasteful")
    path = made / "workspace.duckdb"
    with EventStore.open(path) as store:
        for note in ("old", "new"):
            folder = made / note
            snapshots = SnapshotFolder(folder / "snapshots")
            visits = [(f"/p{n}", snapshots.put(large_page(f"{note} {n}"))) for n in range(N_PAGES)]
            write_recording(folder / "t1.jsonl.zst", recording("t1", visits))
            store.ingest_folder(folder, replace=True)
        save_model(store, discover_model(store.trajectories()))
    return made


@pytest.fixture
def wasteful(built: Path, tmp_path: Path) -> Path:
    """A store whose recording was made anew, so that it still holds the pages of the old one."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return tmp_path / "workspace.duckdb"


def contents(path: Path) -> list[object]:
    """The trajectories, the model, and the pages they name."""
    with EventStore.open(path, read_only=True) as store:
        (trajectory,) = store.trajectories()
        named = {e.snapshot for e in trajectory.events if e.snapshot is not None}
        return [trajectory, store.read_model(), {key: store.get_snapshot(key) for key in named}]


def test_what_nothing_refers_to_is_dropped(wasteful: Path) -> None:
    before, size = contents(wasteful), wasteful.stat().st_size
    shares: list[float] = []
    report = EventStore.compact(wasteful, advance=lambda _, share: shares.append(share))
    assert contents(wasteful) == before
    assert report.n_dropped == N_PAGES
    assert (report.bytes_before, report.bytes_after) == (size, wasteful.stat().st_size)
    assert report.bytes_after < size
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with EventStore.open(wasteful) as store:
        assert store.check() == []
        assert store.stats()["snapshot"] == N_PAGES
        assert store.ingest_folder(wasteful.parent / "new").n_known == 1
    assert not list(wasteful.parent.glob("*.compacting*"))


def test_a_store_without_waste_is_left_as_it_is(wasteful: Path) -> None:
    EventStore.compact(wasteful)
    before = wasteful.read_bytes()
    report = EventStore.compact(wasteful)
    assert (report.n_dropped, report.bytes_after) == (0, len(before))
    assert wasteful.read_bytes() == before
    assert not list(wasteful.parent.glob("*.compacting*"))


def test_what_a_killed_attempt_left_is_no_hindrance(wasteful: Path) -> None:
    wasteful.with_name("workspace.duckdb.compacting").write_bytes(b"half a file")
    wasteful.with_name("workspace.duckdb.compacting.wal").write_bytes(b"half a log")
    assert EventStore.compact(wasteful).n_dropped == N_PAGES


def test_a_damaged_store_is_left_as_it_is(wasteful: Path) -> None:
    with duckdb.connect(str(wasteful)) as raw:
        raw.execute("UPDATE snapshot SET data = 'junk'::BLOB WHERE page = '/p7'")
    before = wasteful.read_bytes()
    with pytest.raises(StoreError, match=r"snapshot .* is damaged"):
        EventStore.compact(wasteful)
    assert wasteful.read_bytes() == before
    assert not list(wasteful.parent.glob("*.compacting*"))


def test_a_store_in_use_and_one_that_is_not_there_are_refused(wasteful: Path) -> None:
    with EventStore.open(wasteful, read_only=True), pytest.raises(StoreLockedError):
        EventStore.compact(wasteful)
    with pytest.raises(StoreError, match=r"none\.duckdb does not exist"):
        EventStore.compact(wasteful.with_name("none.duckdb"))
    assert not wasteful.with_name("none.duckdb").exists()


def test_table_sizes_are_of_the_file(wasteful: Path) -> None:
    with EventStore.open(wasteful, read_only=True) as store:
        sizes, stats = store.table_sizes(), store.stats()
    assert 0 < sizes["event"] < sizes["snapshot"] < stats["file_bytes"]
    assert sizes["run"] == 0
    # Each new page is named by one event; the old pages by none.
    assert stats["event_page_bytes"] == stats["snapshot_bytes"] / 2


def test_the_commands_tell_what_they_did(wasteful: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ODOKIT_ROOT", str(wasteful.parent))
    monkeypatch.setenv("ODOKIT_STORE", str(wasteful))

    def said(command: str, exit_code: int = 0) -> str:
        result = CliRunner().invoke(app, ["store", command])
        assert result.exit_code == exit_code, result.output
        return result.stdout

    assert f"snapshot      {2 * N_PAGES}" in said("stats")
    assert said("check") == "the store is sound\n"
    assert f"{N_PAGES} snapshots that no event refers to were dropped" in said("compact")
    assert f"snapshot      {N_PAGES}" in said("stats")
    with duckdb.connect(str(wasteful)) as raw:
        raw.execute("UPDATE snapshot SET data = 'junk'::BLOB WHERE page = '/p7'")
    assert "is damaged" in said("check", exit_code=1)
