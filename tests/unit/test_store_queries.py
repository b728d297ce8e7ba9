"""The example queries answer their questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_samples import ORIGIN, decision_row, episode_row, page, recording, run_row

from odokit.errors import StoreError
from odokit.record.snapshots import SnapshotFolder
from odokit.store import EventStore
from odokit.store.queries import QUERIES


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    snapshots = SnapshotFolder(tmp_path)
    keys = [snapshots.put(page("a", note)) for note in "123"]
    with EventStore.memory() as opened:
        opened.ingest(recording("t1", [("/a", key) for key in keys]), snapshots)
        opened.ingest(recording("t2", [("/a", keys[0])]), snapshots)
        opened.save_run(run_row())
        opened.save_episode(episode_row("e1"), [], [decision_row("e1")])
        opened.save_episode(episode_row("e2", "failure"), [], [decision_row("e2")])
        yield opened


def test_every_query_is_listed_and_answered_in_an_empty_store() -> None:
    with EventStore.memory() as empty:
        listed = empty.queries()
        assert listed["name"].to_list() == [query.name for query in QUERIES]
        assert all(question.endswith("?") for question in listed["question"])
        assert all(empty.query(name).height == 0 for name in listed["name"])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("controls", [("click", "button", "Save", 4, 2)]),
        ("writes", [("POST", "/api/things/", "", 2, [201])]),
        ("refused", []),
        ("pauses", [("t1", 1, "click", "Save", 1.0), ("t1", 2, "click", "Save", 1.0)]),
        ("unsound", [("t1", "Save it", 1, None), ("t2", "Save it", 1, None)]),
        ("outcomes", [("create_thing", "cascade", 2, 0.5, 120.0, 2.5)]),
        ("decisions", [("value", "rule", 2, 1.0, 0)]),
    ],
)
def test_a_query_answers_its_question(
    store: EventStore, name: str, expected: list[tuple[object, ...]]
) -> None:
    assert store.query(name).rows() == expected


def test_pages_are_summed_up(store: EventStore) -> None:
    (row,) = store.query("pages").iter_rows(named=True)
    assert (row["page"], row["states"], row["events"]) == ("/a", 3, 4)
    assert row["ratio"] > 1


def test_ids_are_starred_and_what_failed_is_found(store: EventStore) -> None:
    trajectory = recording("t3")
    write = trajectory.events[0]
    assert write.request is not None
    request = write.request.model_copy(update={"url": f"{ORIGIN}/api/things/42?x=1"})
    lost = write.model_copy(update={"request": request, "response": None})
    store.ingest(type(trajectory)(trajectory.header, (lost, *trajectory.events[1:])), None)
    paths = dict(store.query("writes").select("path", "statuses").iter_rows())
    assert paths == {"/api/things/": [201], "/api/things/*": [None]}
    assert store.query("refused")["trajectory_id"].to_list() == ["t3"]


def test_an_unknown_query_is_answered_with_the_known(store: EventStore) -> None:
    with pytest.raises(StoreError, match="no query 'x'; the queries are controls, writes"):
        store.query("x")
