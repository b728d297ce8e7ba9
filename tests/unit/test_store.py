"""The store keeps what it is given, whole or not at all, and says what is wrong otherwise."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
import zstandard
from store_samples import page, recording, write_recordings

from odokit.errors import SchemaError, StoreError, StoreLockedError
from odokit.events import read_recording, write_recording
from odokit.navmodel import discover_model
from odokit.navmodel.persist import save_model
from odokit.record.snapshots import SnapshotFolder, page_key, snapshot_hash
from odokit.store import EventStore, connect
from odokit.store.connect import Migration, read_migrations


@pytest.fixture
def snapshots(tmp_path: Path) -> SnapshotFolder:
    return SnapshotFolder(tmp_path / "snapshots")


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore.memory() as opened:
        yield opened


# ---------------------------------------------------------------------------------------- ingest


def test_a_trajectory_is_taken_in_once(store: EventStore, snapshots: SnapshotFolder) -> None:
    trajectory = recording("t1", [("/a", snapshots.put(page("a")))])
    assert store.ingest(trajectory, snapshots) is True
    assert store.ingest(trajectory, None) is False
    assert store.trajectories() == [trajectory]


def test_an_id_is_never_used_for_other_content(
    store: EventStore, snapshots: SnapshotFolder
) -> None:
    store.ingest(recording("t1"), None)
    with pytest.raises(StoreError, match=r"t1 is stored already with other content.*another id"):
        store.ingest(recording("t1", task="Another"), None)
    assert store.trajectories() == [recording("t1")]


def test_snapshots_stored_before_need_no_folder(
    store: EventStore, snapshots: SnapshotFolder
) -> None:
    key = snapshots.put(page("a"))
    store.ingest(recording("t1", [("/a", key)]), snapshots)
    assert store.ingest(recording("t2", [("/a", key)]), None) is True


def test_a_missing_snapshot_leaves_nothing_behind(
    store: EventStore, snapshots: SnapshotFolder
) -> None:
    before = store.stats()
    first, second = snapshots.put(page("a", "1")), snapshots.put(page("a", "2"))
    lost = recording("t1", [("/a", first), ("/a", snapshot_hash("never stored"))])
    with pytest.raises(StoreError, match=r"t1, event 1, field snapshot: .*snapshot .* is missing"):
        store.ingest(lost, snapshots)
    with pytest.raises(StoreError, match="no snapshot folder was given"):
        store.ingest(lost, None)
    assert store.stats() == before
    # The keyframe of the page went with it: the next visit must not refer to it.
    store.ingest(recording("t2", [("/a", second)]), snapshots)
    assert store.get_snapshot(second) == page("a", "2")
    assert store.check() == []


def test_trajectories_come_by_id_or_in_the_order_asked_for(store: EventStore) -> None:
    for trajectory_id in "cab":
        store.ingest(recording(trajectory_id), None)
    assert [t.id for t in store.trajectories()] == ["a", "b", "c"]
    assert [t.id for t in store.trajectories(["c", "a"])] == ["c", "a"]
    assert store.trajectories([]) == []
    assert store.get_trajectory("b") == recording("b")
    with pytest.raises(StoreError, match="no trajectory x, y; ingest"):
        store.trajectories(["a", "x", "y"])


def test_a_folder_is_taken_in_by_name_order_and_once(store: EventStore, tmp_path: Path) -> None:
    write_recordings(tmp_path, ["b", "a", "c"])
    seen: list[str] = []
    report = store.ingest_folder(tmp_path, advance=lambda name, _: seen.append(name))
    assert seen == ["a.jsonl.zst", "b.jsonl.zst", "c.jsonl.zst"]
    assert (report.n_new, report.n_known, report.n_events, report.n_snapshots) == (3, 0, 12, 6)
    again = store.ingest_folder(tmp_path)
    assert (again.n_new, again.n_known, again.n_events, again.n_snapshots) == (0, 3, 0, 0)


def test_bad_recordings_are_all_named_and_the_good_ones_stay(
    store: EventStore, tmp_path: Path
) -> None:
    write_recordings(tmp_path, ["a", "b", "c", "d"])
    (tmp_path / "b.jsonl.zst").write_bytes(b"junk")
    (tmp_path / "e.jsonl").write_bytes(b"")
    key = read_recording(tmp_path / "c.jsonl.zst").events[0].snapshot
    assert key is not None
    next((tmp_path / "snapshots").glob(f"*/{key}.*")).unlink()
    with pytest.raises(StoreError) as caught:
        store.ingest_folder(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"3 of the 5 recordings in {tmp_path} were refused")
    assert all(name in message for name in ("b.jsonl.zst", "c.jsonl.zst", "e.jsonl", key))
    assert [t.id for t in store.trajectories()] == ["a", "d"]
    assert store.check() == []


def test_a_folder_without_recordings_is_an_error(store: EventStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="holds no recordings"):
        store.ingest_folder(tmp_path)


# ------------------------------------------------------------------------------------ kill -9

KILLED_BETWEEN = """
import os, signal, sys
from pathlib import Path
from odokit.store import EventStore

def advance(name, _):
    if name == "b.jsonl.zst":
        os.kill(os.getpid(), signal.SIGKILL)

EventStore.open(Path(sys.argv[2])).ingest_folder(Path(sys.argv[1]), advance=advance)
"""
KILLED_WITHIN = """
import os, signal, sys
from pathlib import Path
import odokit.store.ingest as ingest
from odokit.store import EventStore

insert, tables = ingest.insert_rows, []

def insert_then_die(connection, rows):
    insert(connection, rows)
    tables.append(rows[0].table)
    if tables.count("event") == 3:  # trajectory, snapshots and events of c are written
        os.kill(os.getpid(), signal.SIGKILL)

ingest.insert_rows = insert_then_die
EventStore.open(Path(sys.argv[2])).ingest_folder(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("script", [KILLED_BETWEEN, KILLED_WITHIN], ids=["between", "within"])
def test_a_killed_ingest_leaves_whole_trajectories(tmp_path: Path, script: str) -> None:
    write_recordings(tmp_path, ["a", "b", "c", "d"])
    path = tmp_path / "workspace.duckdb"
    done = subprocess.run([sys.executable, "-c", script, tmp_path, path], check=False)
    assert done.returncode == -signal.SIGKILL
    with EventStore.open(path, read_only=True) as store:
        assert [t.id for t in store.trajectories()] == ["a", "b"]
        assert store.check() == []
    with EventStore.open(path) as store:
        assert store.ingest_folder(tmp_path).n_new == 2
        assert store.check() == []


# ----------------------------------------------------------------------------------- snapshots


def test_visits_of_a_page_are_kept_as_differences(
    store: EventStore, snapshots: SnapshotFolder, tmp_path: Path
) -> None:
    pages = [page("a", str(i)) for i in range(5)] + [page("b")]
    keys = [snapshots.put(html) for html in pages]
    store.ingest(recording("t1", [*(("/a", k) for k in keys[:5]), ("/b", keys[5])]), snapshots)
    frame = store.frame("v_snapshot")
    assert frame.filter(frame["is_keyframe"])["page"].to_list() == ["/a", "/b"]
    whole = frame.filter(frame["is_keyframe"] & (frame["page"] == "/a"))["stored_bytes"].item()
    assert frame.filter(~frame["is_keyframe"])["stored_bytes"].max() < whole / 4  # type: ignore[operator]
    assert frame["bytes"].sum() == sum(len(html.encode()) for html in pages)
    assert [store.get_snapshot(key) for key in keys] == pages


def test_a_page_that_became_another_starts_a_new_keyframe(
    store: EventStore, snapshots: SnapshotFolder
) -> None:
    keys = [snapshots.put(page(title, note)) for title in ("old", "new") for note in "12"]
    store.ingest(recording("t1", [("/a", key) for key in keys]), snapshots)
    kinds = dict(store.frame("v_snapshot").select("hash", "is_keyframe").iter_rows())
    assert [kinds[key] for key in keys] == [True, False, True, False]


def test_more_pages_than_memory_holds_are_read_back(tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path / "snapshots")
    visits = [
        (f"/page-{n}", snapshots.put(page(f"title {n}", note))) for note in "123" for n in range(90)
    ]
    path = tmp_path / "workspace.duckdb"
    with EventStore.open(path) as store:
        store.ingest(recording("t1", visits[:200]), snapshots)
        store.ingest(recording("t2", visits), snapshots)
        assert store.frame("v_snapshot", is_keyframe=True).height == 90
    with EventStore.open(path, read_only=True) as store:
        assert store.check() == []
        assert all(store.get_snapshot(key) == snapshots.get(key) for _, key in visits)


def test_the_keyframe_of_an_earlier_session_is_used(tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path / "snapshots")
    for note in "12":
        with EventStore.open(tmp_path / "workspace.duckdb") as store:
            store.ingest(recording(note, [("/a", snapshots.put(page("a", note)))]), snapshots)
    with EventStore.open(tmp_path / "workspace.duckdb") as store:
        assert sorted(store.frame("v_snapshot")["is_keyframe"]) == [False, True]


def test_unknown_and_damaged_snapshots_are_refused(tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path / "snapshots")
    keys = [snapshots.put(page(title)) for title in ("a", "b")]
    path = tmp_path / "workspace.duckdb"
    with EventStore.open(path) as store:
        store.ingest(recording("t1", [("/a", keys[0]), ("/b", keys[1])]), snapshots)
    with duckdb.connect(str(path)) as raw:
        query = "UPDATE snapshot SET data = ?::BLOB WHERE hash = ?"
        raw.execute(query, [b"junk", keys[0]])
        raw.execute(query, [zstandard.compress(b"another page"), keys[1]])
    with EventStore.open(path, read_only=True) as store:
        with pytest.raises(StoreError, match="is not in the store; ingest"):
            store.get_snapshot("0" * 32)
        with pytest.raises(StoreError, match=f"{keys[0]} is damaged"):
            store.get_snapshot(keys[0])
        with pytest.raises(StoreError, match=f"{keys[1]} is damaged .*does not fit its hash"):
            store.get_snapshot(keys[1])
        assert len(store.check()) == 2


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://127.0.0.1:8080/en/coach/?next=1#/classes", "/en/coach/#/classes"),
        ("https://example.org/en/coach/#/classes/42?page=2", "/en/coach/#/classes/*"),
        ("http://x/c/3f2a9b1c77d04e5f8a1b2c3d4e5f6071/view#top", "/c/*/view"),
        ("http://x/c/3f2a9b1c-77d0-4e5f-8a1b-2c3d4e5f6071", "/c/*"),
        ("http://x/api/v1/facade", "/api/v1/facade"),
        ("http://x", "/"),
    ],
)
def test_page_keys_star_ids_and_leave_words(url: str, key: str) -> None:
    assert page_key(url) == key


# ------------------------------------------------------------------------------ opening the file


def test_the_folder_is_made_and_rows_outlive_the_session(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "workspace.duckdb"
    with EventStore.open(path) as store:
        store.ingest(recording("t1"), None)
    with EventStore.open(path, read_only=True) as one, EventStore.open(path, read_only=True) as two:
        assert one.trajectories() == two.trajectories() == [recording("t1")]
        assert one.stats()["file_bytes"] == path.stat().st_size


def test_reading_a_store_that_is_not_there_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist; ingest recordings first"):
        EventStore.open(tmp_path / "none.duckdb", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not a database" * 2000], ids=["empty", "junk"])
def test_a_file_of_another_kind_is_refused_and_kept(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(SchemaError, match=r"notes\.txt is no workspace.*ingest .* again"):
        EventStore.open(path)
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "x.duckdb")) as raw:
        raw.execute("CREATE TABLE invoices (n INTEGER)")
    with pytest.raises(SchemaError, match="tables of another program"):
        EventStore.open(tmp_path / "x.duckdb")


def test_a_folder_in_the_way_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        EventStore.open(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be made"):
        EventStore.open(tmp_path / "file" / "workspace.duckdb")


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "workspace.duckdb"
    EventStore.open(path).close()
    with duckdb.connect(str(path)) as raw:
        raw.execute("INSERT INTO migration VALUES (99, '099_later', '')")
    with pytest.raises(SchemaError, match=r"has schema 99.*Update odokit"):
        EventStore.open(path)


def test_an_older_store_is_brought_up_to_date_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workspace.duckdb"
    with EventStore.open(path) as store:
        store.ingest(recording("t1"), None)
    number = len(read_migrations()) + 1
    later = Migration(number, f"{number:03d}_later", "ALTER TABLE run ADD COLUMN note VARCHAR")
    both = [*read_migrations(), later]
    monkeypatch.setattr(connect, "read_migrations", lambda: both)
    with pytest.raises(SchemaError, match="Open it once for writing"):
        EventStore.open(path, read_only=True)
    for _ in range(2):
        with EventStore.open(path) as store:
            assert store.trajectories() == [recording("t1")]
            assert store.sql("SELECT note FROM run").columns == ["note"]
            assert store.sql("SELECT max(number) AS n FROM migration")["n"].item() == number


def test_a_migration_that_fails_leaves_the_store_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workspace.duckdb"
    EventStore.open(path).close()
    number = len(read_migrations()) + 1
    broken = Migration(number, "broken", "CREATE TABLE half (n INTEGER); SELECT * FROM nowhere")
    with monkeypatch.context() as patch:
        migrations = [*read_migrations(), broken]
        patch.setattr(connect, "read_migrations", lambda: migrations)
        with pytest.raises(StoreError, match=f"to schema {number}"):
            EventStore.open(path)
    with EventStore.open(path) as store:
        assert "half" not in store.stats()


def test_migrations_are_numbered_without_gaps() -> None:
    migrations = read_migrations()
    assert [m.number for m in migrations] == list(range(1, len(migrations) + 1))


HOLD = """
import sys
from pathlib import Path
from odokit.store import EventStore
store = EventStore.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def test_a_locked_store_names_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "workspace.duckdb"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", HOLD, path], **pipes) as holder:  # type: ignore[call-overload]
        assert holder.stdout.readline() == b"open\n"
        for read_only in (False, True):
            with pytest.raises(StoreLockedError, match=rf"workspace.duckdb .* {holder.pid}\..*end"):
                EventStore.open(path, read_only=read_only)
        with EventStore.memory() as store, pytest.raises(StoreLockedError, match=str(holder.pid)):
            store.merge(path)
        holder.stdin.close()


def test_one_process_cannot_read_and_write_at_once(tmp_path: Path) -> None:
    path = tmp_path / "workspace.duckdb"
    with (
        EventStore.open(path),
        pytest.raises(StoreLockedError, match="in this process in another mode"),
    ):
        EventStore.open(path, read_only=True)


def test_a_store_open_for_reading_refuses_writes(tmp_path: Path) -> None:
    path = tmp_path / "workspace.duckdb"
    EventStore.open(path).close()
    with (
        EventStore.open(path, read_only=True) as store,
        pytest.raises(StoreError, match=r"could not ingest trajectory t1.*open it for writing"),
    ):
        store.ingest(recording("t1"), None)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    store = EventStore.memory()
    store.close()
    with pytest.raises(StoreError, match="Open the store again"):
        store.trajectories()


def test_a_recording_made_anew_replaces_the_old_one_and_what_rests_on_it(
    store: EventStore, tmp_path: Path
) -> None:
    write_recordings(tmp_path, ["a", "b"])
    store.ingest_folder(tmp_path)
    save_model(store, discover_model(store.trajectories()))
    write_recordings(tmp_path, ["a"], n_visits=3)
    with pytest.raises(StoreError, match="stored already with other content"):
        store.ingest_folder(tmp_path)
    report = store.ingest_folder(tmp_path, replace=True)
    assert (report.n_new, report.n_known) == (1, 1)
    assert store.get_trajectory("a") == read_recording(tmp_path / "a.jsonl.zst")
    assert store.read_model() is None
    assert store.ingest_folder(tmp_path, replace=True).n_known == 2
    assert store.check() == []


def test_an_old_recording_stays_when_the_new_one_is_not_whole(
    store: EventStore, tmp_path: Path
) -> None:
    write_recordings(tmp_path, ["a"])
    store.ingest_folder(tmp_path)
    before = store.get_trajectory("a")
    fresh = tmp_path / "fresh"
    again = recording("a", [("/p", "0" * 32)])
    assert again != before
    write_recording(fresh / "a.jsonl.zst", again)  # its snapshots are missing
    with pytest.raises(StoreError, match="snapshot"):
        store.ingest_folder(fresh, replace=True)
    assert store.get_trajectory("a") == before
