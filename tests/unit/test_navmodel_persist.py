"""A behaviour model comes back from the store as it was saved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from odokit.errors import NavModelError, StoreError
from odokit.events import Effect, Element, Event, EventKind, Header, Request, Response, Trajectory
from odokit.navmodel import ModelBuilder, NavModel, discover_model
from odokit.navmodel.persist import load_model, save_model
from odokit.record.snapshots import SnapshotFolder
from odokit.store import EventStore
from odokit.urls import UrlPattern

ORIGIN = "http://127.0.0.1:8080"
NAMES = ("Biology", "Chemistry", "Physics", "Botany")


def page() -> str:
    items = "".join(f"<li><span>{name}</span><button>Open</button></li>" for name in NAMES)
    return f"<html><body><main><ul>{items}</ul></main></body></html>"


def demonstration(trajectory_id: str, name: str, snapshot: str | None) -> Trajectory:
    """Pick a class from the list by name, rename it, and see the page change."""
    place = NAMES.index(name) + 1
    target = Element(
        tag="button", xpath=f"/html/body/main/ul/li[{place}]/button", role="button", name="Open"
    )
    box = Element(tag="input", xpath="/html/body/main/input", role="textbox", name="Name")
    slug = f"{ORIGIN}/classes/{name.lower()}"
    effect = Effect(action="added", xpath="/html/body/main/p", tag="p", text="Saved")
    made: list[dict[str, object]] = [
        {"kind": "location", "url": ORIGIN, "to_url": f"{ORIGIN}/classes"},
        {"kind": "click", "url": f"{ORIGIN}/classes", "element": target, "snapshot": snapshot},
        {"kind": "location", "url": slug, "from_url": f"{ORIGIN}/classes", "to_url": slug},
        {"kind": "data_entry", "url": slug, "element": box, "value": name},
        {"kind": "dom_effect", "url": slug, "effects": (effect,)},
        {
            "kind": "rest_call",
            "url": slug,
            "request": Request(method="PATCH", url=f"{slug}/", body={"name": name}),
            "response": Response(status=200),
        },
    ]
    events = [Event.model_validate({"idx": i, "t_ms": 700.0 * i} | e) for i, e in enumerate(made)]
    header = Header(trajectory_id=trajectory_id, task=f"Rename {name}", values={"class_name": name})
    return Trajectory(header, tuple(events))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EventStore]:
    snapshots = SnapshotFolder(tmp_path / "snapshots")
    key = snapshots.put(page())
    with EventStore.open(tmp_path / "workspace.duckdb") as opened:
        for i, name in enumerate(NAMES):
            # One id holds the mark that joins id and index.
            opened.ingest(demonstration(f"t#{i}", name, key), snapshots)
        yield opened


def discover(store: EventStore, **options: object) -> NavModel:
    return discover_model(
        store.trajectories(),
        get_snapshot=store.get_snapshot,
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize("identity", ["fingerprint", "paper"])
def test_a_model_comes_back_as_it_was(store: EventStore, identity: str) -> None:
    model = discover(store, identity=identity, level=2)
    save_model(store, model)
    loaded = load_model(store)
    assert loaded == model
    for field in ("edges", "walks", "timelines"):
        assert list(getattr(loaded, field)) == list(getattr(model, field))
    assert loaded.graph.get_edgelist() == model.graph.get_edgelist()
    assert loaded.graph.vs["name"] == model.graph.vs["name"]
    assert loaded.graph.es["ms"] == model.graph.es["ms"]
    for vertex in range(len(model.vertices)):
        np.testing.assert_array_equal(loaded.distances_to(vertex), model.distances_to(vertex))
        assert loaded.is_noise(vertex) == model.is_noise(vertex)
    slug = f"{ORIGIN}/classes/biology"
    assert loaded.find_location(slug) == model.find_location(slug) is not None
    assert [loaded.target_writes(t) for t in loaded.walks] == [
        model.target_writes(t) for t in model.walks
    ]


def test_a_loaded_model_grows_without_reading_its_pages_again(store: EventStore) -> None:
    *first, last = store.trajectories()
    save_model(store, discover_model(first, get_snapshot=store.get_snapshot))
    asked: list[str] = []

    def get_snapshot(key: str) -> str:
        asked.append(key)
        return store.get_snapshot(key)

    grown = ModelBuilder.of(load_model(store), get_snapshot=get_snapshot).add([last]).build()
    assert grown == discover(store)
    assert len(asked) == 1, "the new trajectory's one page"


def test_declared_patterns_merge_pages_and_are_kept(store: EventStore) -> None:
    own = UrlPattern("name of a class", "/classes", ".+")
    names = ["astronomy", "zoology"]
    trajectories = [
        Trajectory(
            Header(trajectory_id=name),
            (
                Event(
                    kind=EventKind.LOCATION,
                    idx=0,
                    t_ms=0,
                    url=ORIGIN,
                    to_url=f"{ORIGIN}/classes/{name}",
                ),
            ),
        )
        for name in names
    ]
    assert len(discover_model(trajectories).vertices) == 2
    model = discover_model(trajectories, patterns=[own])
    assert [v.label for v in model.vertices] == ["at /classes/*"]
    for trajectory in trajectories:
        store.ingest(trajectory, None)
    save_model(store, model)
    grown = ModelBuilder.of(load_model(store)).build()
    assert grown == model
    assert grown.urls.explain(f"{ORIGIN}/classes/x")[1].reason == "name of a class"


def test_a_model_of_an_older_odokit_is_refused(store: EventStore) -> None:
    model = discover(store)
    save_model(store, model)
    stored = store.read_model()
    assert stored is not None
    old = replace(stored.model, slugs='{"/wiki": []}')
    store.save_model(old, stored.vertices, stored.instances, stored.edges)
    with pytest.raises(NavModelError, match=r"older odokit.*odokit model build"):
        load_model(store)


def test_the_sample_holds_what_is_hard_to_keep(store: EventStore) -> None:
    model = discover(store)
    assert model.urls.slugs
    assert any(v.has_free_target and v.dynamic_xpaths for v in model.vertices)
    assert any(v.kind is EventKind.DOM_EFFECT for v in model.vertices)


def test_models_are_found_by_id_and_the_last_saved_is_the_default(store: EventStore) -> None:
    first, second = discover(store), discover(store, identity="paper")
    save_model(store, first)
    save_model(store, second)
    assert load_model(store) == second
    assert load_model(store, first.model_id) == first
    save_model(store, first)
    assert load_model(store) == first
    assert store.frame("v_model").height == 2
    assert store.check() == []


def test_only_the_model_s_own_trajectories_are_loaded(store: EventStore) -> None:
    model = discover_model(store.trajectories(["t#2", "t#0"]))
    save_model(store, model)
    assert list(load_model(store).walks) == ["t#0", "t#2"]


def test_the_store_says_of_a_vertex_what_the_model_says(store: EventStore) -> None:
    model = discover(store)
    save_model(store, model)
    shown = store.frame("v_vertex").select("vertex", "has_free_target", "n_instances", "n_lists")
    assert shown.rows() == [
        (v.name, v.has_free_target, len(v.instances), len(v.dynamic_xpaths)) for v in model.vertices
    ]


def test_a_missing_model_is_named(store: EventStore) -> None:
    with pytest.raises(NavModelError, match="no model yet; discover one"):
        load_model(store)
    save_model(store, discover(store))
    with pytest.raises(NavModelError, match="no model 123456;"):
        load_model(store, "123456")


def test_a_model_whose_trajectories_are_elsewhere_is_refused(store: EventStore) -> None:
    model = discover(store)
    with EventStore.memory() as other:
        save_model(other, model)
        with pytest.raises(StoreError, match="no trajectory t#0"):
            load_model(other)
