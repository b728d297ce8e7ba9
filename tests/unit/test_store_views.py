"""Runs and episodes in the store, the views over everything, merging of shards, and the check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from store_samples import (
    ORIGIN,
    call_row,
    decision_row,
    episode_row,
    page,
    recording,
    run_row,
    step_row,
    write_recordings,
)

from odokit.errors import SchemaError, StoreError
from odokit.record.snapshots import SnapshotFolder
from odokit.store import (
    DescriptionRow,
    EdgeRow,
    EventStore,
    ModelRow,
    VertexEventRow,
    VertexRow,
)

# What notebooks, reports and the study rely on: names and order of the columns.
COLUMNS = {
    "v_trajectory": "trajectory_id task app start_url started_at n_events n_interactions n_writes "
    "n_snapshots n_gaps is_sound health",
    "v_event": "trajectory_id idx kind gesture t_ms tab url role name xpath value checked drop "
    "drop_at files dialogs download method request_url operation initiator status snapshot",
    "v_snapshot": "hash page bytes stored_bytes is_keyframe n_events",
    "v_model": "model_id identity level n_vertices n_edges n_trajectories created_at",
    "v_vertex": "model_id vertex number kind label fixed n_instances n_trajectories "
    "has_free_target n_lists",
    "v_edge": "model_id source target source_label target_label count ms",
    "v_dynamic_xpath": "model_id vertex label prefix tag suffix n_instances",
    "v_description": "model_id subject text source",
    "v_run": "run_id notebook started_at seconds status agent policy model_id n_tasks n_success "
    "n_abstained n_failure n_error tokens_prompt tokens_completion",
    "v_episode": "run_id episode_id template_id instance_id role agent policy model_id task "
    "trajectory_id outcome reason is_success network_ok database_ok verdict n_steps n_replans "
    "n_decisions n_llm_calls tokens_prompt tokens_completion tokens seconds started_at",
    "v_repair": "model_id vertex label run_id episode_id number rung confidence is_success element",
    "v_step": "run_id episode_id number label vertex rung confidence value seconds result",
    "v_decision": "run_id episode_id decision_id point subject answer means confidence tokens "
    "reason",
    "v_llm_call": "run_id episode_id call_id at purpose model prompt_hash tokens_prompt "
    "tokens_cached tokens_completion tokens_reasoning is_counted seconds usd outcome",
}


@pytest.fixture
def store() -> Iterator[EventStore]:
    with EventStore.memory() as opened:
        yield opened


# ----------------------------------------------------------------------------------------- views


def test_views_have_the_agreed_columns_and_each_says_what_it_means(store: EventStore) -> None:
    described = store.describe_views()
    assert described.columns == ["view", "column", "meaning"]
    found: dict[str, list[str]] = {}
    for view, column, meaning in described.iter_rows():
        assert meaning, f"{view}.{column} has no COMMENT"
        found.setdefault(view, []).append(column)
    assert found == {view: ["", *names.split()] for view, names in COLUMNS.items()}
    for view, names in COLUMNS.items():
        assert store.frame(view).columns == names.split()


def test_views_can_be_described_first_thing_after_opening(tmp_path: Path) -> None:
    # Opening reads the schema's number, and that result must not be left unfinished.
    EventStore.open(tmp_path / "ws.duckdb").close()
    with EventStore.open(tmp_path / "ws.duckdb", read_only=True) as opened:
        assert opened.describe_views().height > len(COLUMNS)


def test_trajectories_and_events_are_shown(store: EventStore, tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path)
    key = snapshots.put(page("a"))
    store.ingest(recording("t1", [("/a", key), ("/a", key)]), snapshots)
    store.ingest(recording("t2"), None)
    first, second = store.frame("v_trajectory").rows(named=True)
    counts = ["n_events", "n_interactions", "n_writes", "n_snapshots", "n_gaps"]
    assert [first[name] for name in counts] == [4, 2, 1, 1, 1]
    assert [second[name] for name in counts] == [2, 0, 1, 0, 1]
    click, _, write, _ = store.frame("v_event", trajectory_id="t1").rows(named=True)
    assert (click["idx"], click["role"], click["name"], click["snapshot"]) == (
        0,
        "button",
        "Save",
        key,
    )
    assert (write["method"], write["request_url"], write["status"], write["role"]) == (
        "POST",
        f"{ORIGIN}/api/things/",
        201,
        None,
    )
    assert store.frame("v_snapshot")["n_events"].to_list() == [2]


def test_a_model_is_shown_by_names(store: EventStore) -> None:
    _save_small_model(store)
    assert store.frame("v_model").select("n_vertices", "n_edges", "n_trajectories").rows() == [
        (2, 2, 2)
    ]
    a, b = store.frame("v_vertex").rows(named=True)
    assert (a["n_instances"], a["n_trajectories"], a["has_free_target"], a["n_lists"]) == (
        4,
        2,
        True,
        1,
    )
    assert (b["n_instances"], b["has_free_target"], b["n_lists"]) == (3, False, 1)
    edges = store.frame("v_edge").select("source", "target", "target_label", "count").rows()
    assert edges == [("bb", "aa", "pick", 1), ("aa", "bb", "save", 3)]
    lists = store.frame("v_dynamic_xpath").select("vertex", "tag", "n_instances").rows()
    assert lists == [("aa", "li", 1), ("bb", "tr", 1)]


def _save_small_model(store: EventStore) -> None:
    """Vertex 0 has free targets in 2 of 4 instances, one with a list; vertex 1 in 1 of 3."""
    model = ModelRow("m1", "fingerprint", 1, ("t1", "t2"), "{}", "2026-01-01T00:00:00+00:00")
    vertices = [
        VertexRow("m1", 0, "aa", "click", "pick", "{}"),
        VertexRow("m1", 1, "bb", "click", "save", "{}"),
    ]
    free = {"slot": "thing", "by": "item"}
    listed = {"prefix": "/html/ul", "suffix": ""}
    instances = [
        VertexEventRow("m1", 0, "t1", 0, **free, **listed, tag="li"),
        VertexEventRow("m1", 1, "t1", 1, **free, **listed, tag="tr"),
        VertexEventRow("m1", 0, "t1", 2, **free),
        VertexEventRow("m1", 1, "t1", 3),
        VertexEventRow("m1", 0, "t1", 4),
        VertexEventRow("m1", 0, "t2", 0),
        VertexEventRow("m1", 1, "t2", 1),
    ]
    edges = [EdgeRow("m1", 0, 1, 0, 1, 5.0), EdgeRow("m1", 1, 0, 1, 3, 7.5)]
    store.save_model(model, vertices, instances, edges)


def test_a_frame_is_filtered_by_bound_values(store: EventStore) -> None:
    hostile = "x' OR 1=1; DROP TABLE run; --"
    for trajectory_id in ("t1", hostile):
        store.ingest(recording(trajectory_id), None)
    assert store.frame("v_event", trajectory_id=hostile)["trajectory_id"].unique().item() == hostile
    assert store.frame("v_event", status=None).height == 2
    assert store.frame("v_event", trajectory_id="t1", kind="location").height == 1
    assert store.frame("v_run").height == 0


def test_unknown_views_and_columns_are_answered_with_the_known(store: EventStore) -> None:
    with pytest.raises(StoreError, match=r"no view 'event'; the views are v_decision, v_desc"):
        store.frame("event")
    with pytest.raises(StoreError, match="v_model has no column color; it has model_id"):
        store.frame("v_model", color="red")


def test_a_query_of_ones_own_reads_and_cannot_write(store: EventStore) -> None:
    store.ingest(recording("t1"), None)
    by_place = store.sql("SELECT idx FROM v_event WHERE kind = ? ORDER BY idx", ["location"])
    by_name = store.sql("SELECT count(*) AS n FROM v_event WHERE idx < $top", {"top": 1})
    assert (by_place["idx"].to_list(), by_name["n"].item()) == ([1], 1)
    for query, complaint in [
        ("DELETE FROM event", "one SELECT statement"),
        ("SELECT 1; DELETE FROM event", "one SELECT statement"),
        ("COPY event TO 'out.csv'", "one SELECT statement"),
        ("WITH d AS (DELETE FROM event RETURNING *) SELECT * FROM d", "read-only"),
        ("SELECT nothing FROM event", "could not run the query: Binder Error"),
        ("SELEKT 1", "could not run the query: Parser Error"),
    ]:
        with pytest.raises(StoreError, match=complaint):
            store.sql(query)
    assert store.trajectories() == [recording("t1")]
    assert store.ingest(recording("t2"), None)


# ---------------------------------------------------------------------------- runs and episodes


def test_a_run_is_replaced_and_keeps_its_episodes(store: EventStore) -> None:
    store.save_run(run_row())
    for episode_id, outcome in [
        ("e1", "success"),
        ("e2", "success"),
        ("e3", "abstained"),
        ("e4", "failure"),
        ("e5", "error"),
    ]:
        store.save_episode(episode_row(episode_id, outcome))
    store.save_run(run_row(status="done", seconds=12.5))
    store.save_run(run_row("r0"))
    rows = {row["run_id"]: row for row in store.frame("v_run").iter_rows(named=True)}
    done = rows["r1"]
    assert (done["status"], done["seconds"], rows["r0"]["seconds"]) == ("done", 12.5, None)
    counts = ["n_tasks", "n_success", "n_abstained", "n_failure", "n_error"]
    assert [done[name] for name in counts] == [5, 2, 1, 1, 1]
    assert (done["tokens_prompt"], done["tokens_completion"]) == (500, 100)
    assert [rows["r0"][name] for name in [*counts, "tokens_prompt"]] == [0] * 6


def test_a_repair_is_proposed_beside_the_model_by_steps_that_went_through(
    store: EventStore,
) -> None:
    seen = '{"tag": "button", "xpath": "/html/body/button", "name": "Keep"}'
    failed = replace(step_row("e1", 1), repair=seen, result="the click did not go through")
    done = replace(step_row("e1", 2), repair=seen, rung="alike name")
    store.save_run(run_row())
    store.save_episode(episode_row("e1"), [step_row("e1", 0), failed, done], [], [])
    (proposal,) = store.frame("v_repair").iter_rows(named=True)
    assert (proposal["number"], proposal["rung"], proposal["element"]) == (2, "alike name", seen)
    assert proposal["model_id"] == store.frame("v_episode")["model_id"][0]


def test_an_episode_comes_with_its_parts_in_order(store: EventStore) -> None:
    store.save_run(run_row())
    store.save_episode(
        episode_row("e1"),
        [step_row("e1", 1), step_row("e1", 0)],
        [decision_row("e1", n) for n in (2, 0, 1)],
        [call_row("e1")],
    )
    episode = store.frame("v_episode").row(0, named=True)
    assert [episode[n] for n in ("n_steps", "n_decisions", "n_llm_calls", "tokens")] == [
        2,
        3,
        1,
        120,
    ]
    assert (episode["is_success"], episode["database_ok"]) == (True, None)
    assert store.frame("v_step")["number"].to_list() == [0, 1]
    assert store.frame("v_decision")["decision_id"].to_list() == ["d9", "d8", "d7"]
    call = store.frame("v_llm_call", episode_id="e1").row(0, named=True)
    assert (call["usd"], call["is_counted"], call["outcome"]) == (None, False, "ok")
    asked = store.sql("SELECT unnest(decision_ids) AS d, blocked FROM llm_call JOIN episode "
                      "USING (run_id, episode_id)")  # fmt: skip
    assert asked.rows() == [("d9", ["DELETE /api/things/1"]), ("d8", ["DELETE /api/things/1"])]
    assert store.check() == []


def test_a_rerun_replaces_an_episode_with_all_its_parts(store: EventStore) -> None:
    store.save_run(run_row())
    store.save_episode(episode_row("e1", "error"), [step_row("e1", n) for n in range(3)])
    store.save_episode(episode_row("e2"), [step_row("e2")])
    store.save_episode(episode_row("e1"), [step_row("e1")], [decision_row("e1")])
    shown = store.frame("v_episode").select("episode_id", "outcome", "n_steps", "n_decisions")
    assert shown.rows() == [("e1", "success", 1, 1), ("e2", "success", 1, 0)]


def test_a_refused_episode_changes_nothing(store: EventStore) -> None:
    store.save_run(run_row())
    store.save_episode(episode_row("e1"), [step_row("e1")])
    with pytest.raises(StoreError, match="could not save episode e1 of run r1: Constraint"):
        store.save_episode(episode_row("e1", "error"), [step_row("e1"), step_row("e1")])
    with pytest.raises(StoreError, match="belongs to another"):
        store.save_episode(episode_row("e1", "error"), [], [decision_row("e2")])
    assert store.frame("v_episode").select("outcome", "n_steps").rows() == [("success", 1)]


def test_descriptions_are_kept_by_source_and_outlive_the_model(store: EventStore) -> None:
    _save_small_model(store)
    rule = DescriptionRow("m1", "vertex:aa", "pick", "rule")
    store.save_descriptions([rule, replace(rule, source="human", text="pick a thing")])
    store.save_descriptions([replace(rule, text="choose")])
    _save_small_model(store)
    shown = store.frame("v_description", model_id="m1").select("source", "text").rows()
    assert shown == [("human", "pick a thing"), ("rule", "choose")]


# ----------------------------------------------------------------------------------------- merge


def _shard(folder: Path, name: str, ids: list[str]) -> Path:
    """A store with some trajectories and an episode of the common run."""
    write_recordings(folder / name, ids)
    path = folder / f"{name}.duckdb"
    with EventStore.open(path) as store:
        store.ingest_folder(folder / name)
        store.save_run(run_row())
        store.save_episode(
            episode_row(name), [step_row(name)], [decision_row(name)], [call_row(name)]
        )
    return path


def test_shards_become_one_store(tmp_path: Path) -> None:
    one, two = _shard(tmp_path, "one", ["a", "b"]), _shard(tmp_path, "two", ["b", "c"])
    with EventStore.open(two) as store:
        _save_small_model(store)
        store.save_descriptions([DescriptionRow("m1", "vertex:aa", "pick", "rule")])
    with EventStore.open(tmp_path / "all it's.duckdb") as store:
        for shard in (one, two, one):
            store.merge(shard)
        assert [t.id for t in store.trajectories()] == ["a", "b", "c"]
        for shard in (one, two):
            with EventStore.open(shard, read_only=True) as part:
                for key in part.frame("v_snapshot")["hash"]:
                    assert store.get_snapshot(key) == part.get_snapshot(key)
                for view in ("v_model", "v_vertex", "v_edge", "v_dynamic_xpath", "v_description"):
                    assert set(part.frame(view).rows()) <= set(store.frame(view).rows())
        shown = store.frame("v_episode").select("episode_id", "n_steps", "n_decisions")
        assert shown.rows() == [("one", 1, 1), ("two", 1, 1)]
        assert store.frame("v_run")["n_tasks"].to_list() == [2]
        broken = store.check()
    assert broken == ["model m1 was built from a trajectory that is not stored"]


def test_a_keyframe_that_is_a_difference_elsewhere_is_followed(tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path / "snapshots")
    first, second, third = (snapshots.put(page("a", note)) for note in "123")
    shard, path = tmp_path / "shard.duckdb", tmp_path / "all.duckdb"
    with EventStore.open(shard) as store:
        store.ingest(recording("t2", [("/a", second), ("/a", third)]), snapshots)
    with EventStore.open(path) as store:
        store.ingest(recording("t1", [("/a", first), ("/a", second)]), snapshots)
        store.merge(shard)
    with EventStore.open(path, read_only=True) as store:
        frame = store.frame("v_snapshot")
        assert frame.filter(frame["is_keyframe"])["hash"].to_list() == [first]
        assert store.get_snapshot(third) == page("a", "3")
        assert store.check() == []


def test_what_cannot_be_merged_changes_nothing(tmp_path: Path) -> None:
    shard = _shard(tmp_path, "one", ["a", "b"])
    with EventStore.memory() as store:
        with pytest.raises(StoreError, match=r"none\.duckdb does not exist"):
            store.merge(tmp_path / "none.duckdb")
        (tmp_path / "junk.duckdb").write_bytes(b"junk" * 5000)
        with pytest.raises(SchemaError, match=r"junk\.duckdb is no workspace"):
            store.merge(tmp_path / "junk.duckdb")
        store.ingest(recording("b"), None)
        with pytest.raises(StoreError, match=r"one\.duckdb was not merged: it holds trajectory b "):
            store.merge(shard)
        assert store.trajectories() == [recording("b")]
    with duckdb.connect(str(shard)) as raw:
        raw.execute("INSERT INTO migration VALUES (99, '099_later', '')")
    with EventStore.memory() as store, pytest.raises(SchemaError, match="has schema 99"):
        store.merge(shard)


# ----------------------------------------------------------------------------------------- check


def test_the_check_finds_what_was_broken_behind_its_back(tmp_path: Path) -> None:
    path = _shard(tmp_path, "one", ["a", "b", "c"])
    with EventStore.open(path) as store:
        assert store.check() == []
        _save_small_model(store)
        store.save_episode(episode_row("e9", run_id="r9"))
    with duckdb.connect(str(path)) as raw:
        raw.execute("DELETE FROM event WHERE trajectory_id = 'a' AND idx = 1")
        raw.execute("DELETE FROM event WHERE trajectory_id = 'b' AND idx = 3")
        raw.execute("DELETE FROM episode WHERE episode_id = 'one'")
        raw.execute("DELETE FROM vertex WHERE number = 1")
        raw.execute("UPDATE snapshot SET keyframe = 'gone' WHERE keyframe IS NOT NULL")
    with EventStore.open(path, read_only=True) as store:
        lines = store.check()
        lost = [line for line in lines if "keyframe that is not stored" in line]
        assert len(lost) == 5
        assert sum("snapshot gone is not in the store" in line for line in lines) == 5
        assert [line for line in lines if "snapshot" not in line] == [
            "the events of trajectory a have gaps or are fewer than it says",
            "the events of trajectory b have gaps or are fewer than it says",
            "model m1 was built from a trajectory that is not stored",
            "an edge or step of model m1 refers to a vertex that is not stored",
            "an episode belongs to run r9, which is not stored",
            "a step, decision or model call belongs to episode r1/one, which is not stored",
        ]


def test_the_statistics_count_rows_and_bytes(tmp_path: Path) -> None:
    path = _shard(tmp_path, "one", ["a", "b"])
    with EventStore.open(path, read_only=True) as store:
        stats = store.stats()
    counted = {name: stats[name] for name in ("trajectory", "event", "snapshot", "step")}
    assert counted == {"trajectory": 2, "event": 8, "snapshot": 4, "step": 1}
    assert stats["file_bytes"] == path.stat().st_size
    assert 0 < stats["snapshot_stored_bytes"] < stats["snapshot_bytes"] / 4


def test_no_reading_call_leaves_the_connection_busy(tmp_path: Path) -> None:
    # DuckDB refuses the next query while rows of the last one are unread; `stats` once left some.
    with EventStore.open(tmp_path / "ws.duckdb") as store:
        for _ in range(2):
            store.stats()
            store.check()
            store.frame("v_event")
            assert store.describe_views().height > 0
