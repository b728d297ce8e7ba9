"""A spoilt recording is taken in whole or refused by file, line and field; never half."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutations import Mutation, mutate_recording, victim

from odokit.errors import OdokitError
from odokit.events import (
    Dialog,
    Effect,
    Element,
    Event,
    EventKind,
    FileInfo,
    Header,
    Option,
    Request,
    Response,
    Trajectory,
    read_recording,
    write_recording,
)
from odokit.record import SnapshotFolder
from odokit.store import EventStore

URL = "http://127.0.0.1:8080/en/coach/#/classes"
BUTTON = Element(
    tag="button",
    xpath="/html/body/main/button[2]",
    role="button",
    name="Save",
    landmarks=("main:",),
)
OPTIONS = (Option(value="a", label="A", selected=True), Option(value="b", label="B"))
REQUEST = Request(method="POST", url=URL, body={"name": "Biology", "n": [1, 2.5, None, True]})


def base_recording(folder: Path, trajectory_id: str) -> None:
    """An event of each kind, on three pages two of which differ a little."""
    snapshots = SnapshotFolder(folder / "snapshots")
    rows = "".join(f"<li>row {i}</li>" for i in range(200))
    keys = [
        snapshots.put(f"<html><body>{trajectory_id} {text}{rows}</body></html>", page="/p")
        for text in "abc"
    ]
    fields: list[dict[str, object]] = [
        {"kind": EventKind.LOCATION, "from_url": "about:blank", "to_url": URL},
        {"kind": EventKind.CLICK, "element": BUTTON, "snapshot": keys[0]},
        {"kind": EventKind.DATA_ENTRY, "element": BUTTON, "value": "x", "snapshot": keys[1]},
        {"kind": EventKind.RICH_TEXT, "element": BUTTON, "value": "<b>x</b>", "editor_id": "e"},
        {"kind": EventKind.CHECKBOX, "element": BUTTON, "checked": False, "snapshot": keys[2]},
        {"kind": EventKind.RADIO, "element": BUTTON, "options": OPTIONS, "group": "g"},
        {"kind": EventKind.SELECT, "element": BUTTON, "options": OPTIONS, "value": "A"},
        {"kind": EventKind.REST_CALL, "request": REQUEST, "response": Response(status=201)},
        {"kind": EventKind.GRAPHQL_MUTATION, "request": REQUEST},
        {
            "kind": EventKind.DATA_ENTRY,
            "element": BUTTON,
            "value": "a.txt",
            "files": (FileInfo(name="a.txt", size=3),),
        },
        {
            "kind": EventKind.CLICK,
            "element": BUTTON,
            "dialogs": (Dialog(type="confirm", message="Sure?", accepted=True),),
            "drop": BUTTON,
            "drop_at": (0.5, 0.5),
            "gesture": "drag",
        },
        {
            "kind": EventKind.DOM_EFFECT,
            "effects": (Effect(action="added", xpath="/html/body/p", tag="p"),),
        },
    ]
    events = tuple(
        Event.model_validate({"idx": i, "t_ms": 250.0 * i, "url": URL} | f)
        for i, f in enumerate(fields)
    )
    header = Header(trajectory_id=trajectory_id, task="Save it", values={"a": "b"}, start_url=URL)
    write_recording(victim(folder), Trajectory(header, events, ("a gap",)))


@pytest.fixture(scope="module")
def store() -> Iterator[EventStore]:
    """One store for all, so that what a refused recording left behind would be seen."""
    with EventStore.memory() as opened:
        yield opened


def rows(store: EventStore) -> dict[str, int]:
    return {k: n for k, n in store.stats().items() if not k.endswith("_bytes")}


def ingested_or_refused(store: EventStore, folder: Path, change: Mutation) -> bool:
    """Whether a folder was taken in; holds the refusal against what was spoilt."""
    before = rows(store)
    try:
        report = store.ingest_folder(folder)
    except OdokitError as error:
        said = str(error)
        assert "\n" not in said and len(said) < 2_000
        if change.name == "duplicate":
            assert rows(store)["trajectory"] == before["trajectory"] + 1
            assert "stored already with other content" in said
            return False
        assert rows(store) == before, f"{change}: something was left behind"
        assert "victim.jsonl" in said, f"{change}: {said}"
        if change.line is not None and change.name not in ("lost field", "version"):
            # Whether a snapshot is there is found when the lines are read and numbered already.
            named = (f"line {change.line}", f"event {change.line - 2}, field snapshot")
            assert any(name in said for name in named), f"{change}: {said}"
        return False
    after = rows(store)
    assert after["trajectory"] == before["trajectory"] + report.n_new
    assert after["event"] == before["event"] + report.n_events
    return True


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(100), id="100"),
        pytest.param(range(100, 1_000), id="the other 900", marks=pytest.mark.slow),
    ],
)
def test_no_mutation_leaves_a_traceback_or_half_a_recording(
    store: EventStore, tmp_path: Path, seeds: range
) -> None:
    n_refused = 0
    for seed in seeds:
        folder = tmp_path / f"s{seed}"
        base_recording(folder, f"t{seed}")
        change = mutate_recording(folder, seed)
        if not ingested_or_refused(store, folder, change):
            n_refused += 1
        elif victim(folder).exists():
            told = read_recording(victim(folder))
            assert store.get_trajectory(told.id) == told, f"seed {seed}, {change}"
        shutil.rmtree(folder)
    assert store.check() == []
    assert len(seeds) // 2 < n_refused < len(seeds), "the mutations are neither all fatal nor none"
