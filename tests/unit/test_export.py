"""Exports: what is written keeps to the published rules and says what the recording says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import jsonschema
import orjson
import pytest
from builders import Story
from store_samples import page

from odokit.errors import ExportError
from odokit.events import EventKind, Trajectory, read_recording
from odokit.export import make_ocel, make_xes, write_jsonl, write_ocel, write_xes
from odokit.navmodel import discover_model
from odokit.record import SnapshotFolder
from odokit.store import EventStore
from odokit.timeline import build_timeline

SHIPPED = Path(__file__).parents[2] / "data/testbeds"
STORY = (
    Story("t1", task="Rename it to Owls", values={"name": "Owls"})
    .at("/groups/7")
    .enter("Name", "Ow")
    .enter("Name", "Owls \x0b\ud83e\udd89".encode("utf-16", "surrogatepass").decode("utf-16"))
    .check("Public")
    .click("Save")
    .write("PATCH", "/api/groups/7", {"name": "Owls"})
    .trajectory()
)
# What every object of the OCEL 2.0 JSON format must have, by its specification of 2023.
NAMED: dict[str, Any] = {
    "type": "object",
    "required": ["name", "attributes"],
    "properties": {
        "attributes": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "type"],
                "properties": {"type": {"enum": ["string", "time", "integer", "float", "boolean"]}},
            },
        }
    },
}
TEXT = {"type": "string"}
RELATED = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["objectId", "qualifier"],
        "properties": {"objectId": TEXT, "qualifier": TEXT},
    },
}


def valued(*names: str) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {
            "type": "object",
            "required": list(names),
            "properties": dict.fromkeys(names, TEXT),
        },
    }


OCEL_SCHEMA = {
    "type": "object",
    "required": ["eventTypes", "objectTypes", "events", "objects"],
    "properties": {
        "eventTypes": {"type": "array", "items": NAMED},
        "objectTypes": {"type": "array", "items": NAMED},
        "events": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "type", "time"],
                "properties": {
                    "id": TEXT,
                    "type": TEXT,
                    "attributes": valued("name", "value"),
                    "relationships": RELATED,
                },
            },
        },
        "objects": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "type"],
                "properties": {
                    "id": TEXT,
                    "type": TEXT,
                    "attributes": valued("name", "value", "time"),
                    "relationships": RELATED,
                },
            },
        },
    },
}


def shipped(*names: str) -> list[Trajectory]:
    return [read_recording(SHIPPED / f"{name}.jsonl.zst") for name in names]


DEMONSTRATIONS = shipped(
    "kolibri/demonstrations/create_class_0",
    "kolibri/demonstrations/create_learner_0",
    "vendure/demonstrations/create_role_0",
)


def check_ocel(log: dict[str, Any]) -> None:
    """What the schema cannot say: ids are unique, and everything named is declared."""
    jsonschema.validate(log, OCEL_SCHEMA)
    types = {t["name"]: {a["name"] for a in t["attributes"]} for t in log["eventTypes"]}
    kinds = {t["name"]: {a["name"] for a in t["attributes"]} for t in log["objectTypes"]}
    objects = {o["id"]: o for o in log["objects"]}
    assert len(objects) == len(log["objects"])
    assert len({e["id"] for e in log["events"]}) == len(log["events"])
    for event in log["events"]:
        datetime.fromisoformat(event["time"])
        assert {a["name"] for a in event["attributes"]} <= types[event["type"]]
        assert {r["objectId"] for r in event["relationships"]} <= set(objects)
    for thing in objects.values():
        assert {a["name"] for a in thing["attributes"]} <= kinds[thing["type"]]


def test_ocel_keeps_to_the_specification(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.json"
    n = write_ocel(path, [STORY, *DEMONSTRATIONS])
    log = orjson.loads(path.read_bytes())
    check_ocel(log)
    assert (
        n
        == len(log["events"])
        == sum(len(build_timeline(t).steps) for t in [STORY, *DEMONSTRATIONS])
    )
    assert [p.name for p in path.parent.iterdir()] == ["log.json"]


def test_an_ocel_event_tells_what_it_is_about() -> None:
    log = make_ocel([STORY])
    (entry,) = (e for e in log["events"] if e["type"].startswith("enter"))
    assert entry["type"] == "enter textbox “Name”"
    told = {a["name"]: a["value"] for a in entry["attributes"]}
    assert told["kind"] == "data_entry" and told["value"].startswith("Owls")
    (call,) = (e for e in log["events"] if e["type"].startswith("PATCH"))
    assert {r["qualifier"]: r["objectId"] for r in call["relationships"]} == {
        "part of": "trajectory:t1",
        "on": "page:/groups/*",
        "calls": "endpoint:PATCH /api/groups/*",
    }


def labels(model_trajectories: Iterable[Trajectory]) -> tuple[Any, dict[str, list[str]]]:
    model = discover_model(list(model_trajectories))
    walks = {i: [model.vertices[v.vertex].label for v in walk] for i, walk in model.walks.items()}
    return model, walks


def test_a_model_names_the_activities() -> None:
    model, walks = labels(DEMONSTRATIONS)
    log = make_ocel(DEMONSTRATIONS, model)
    check_ocel(log)
    tree = make_xes(DEMONSTRATIONS, model)
    for trajectory, trace in zip(DEMONSTRATIONS, tree.findall("trace"), strict=True):
        assert _values(trace, "event/string[@key='concept:name']") == walks[trajectory.id]
        mine = [e for e in log["events"] if e["id"].startswith(f"{trajectory.id}#")]
        assert [e["type"] for e in mine] == walks[trajectory.id]


def test_a_trajectory_that_the_model_does_not_know_is_refused() -> None:
    model, _ = labels(DEMONSTRATIONS[:1])
    for make in (make_ocel, make_xes):
        with pytest.raises(ExportError, match="was not built from trajectory t1"):
            make([STORY], model)


# Children in the order of IEEE 1849, annex B; attributes may come in any order among themselves.
ATTRIBUTES = {"string", "date", "int", "float", "boolean", "id", "list"}
ORDER = ["extension", "global", "classifier", "attribute", "trace", "event"]
NAME = re.compile(r"[A-Za-z_][\w.:-]*")


def check_xes(log: ET.Element) -> None:
    assert log.tag == "{http://www.xes-standard.org/}log"
    assert float(log.attrib["xes.version"]) > 0
    prefixes = {e.attrib["prefix"] for e in log.findall("{*}extension")}
    for node in (log, *log.findall("{*}trace")):
        tags = [_tag(child) for child in node]
        places = [ORDER.index("attribute" if tag in ATTRIBUTES else tag) for tag in tags]
        assert places == sorted(places)
    for node in log.iter():
        if _tag(node) not in ATTRIBUTES:
            continue
        key, value = node.attrib["key"], node.attrib["value"]
        assert NAME.fullmatch(key)
        assert key.split(":")[0] in prefixes | {"odokit"}
        if _tag(node) == "date":
            assert datetime.fromisoformat(value).tzinfo is not None
        if _tag(node) == "int":
            int(value)
    for event in log.iter("{http://www.xes-standard.org/}event"):
        keys = [child.attrib["key"] for child in event]
        assert len(set(keys)) == len(keys)
        assert {"concept:name", "time:timestamp"} <= set(keys)


def _tag(node: ET.Element) -> str:
    return node.tag.partition("}")[2]


def _values(node: ET.Element, path: str) -> list[str]:
    return [found.attrib["value"] for found in node.findall(path)]


def test_xes_keeps_to_the_standard_and_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "log.xes"
    n = write_xes(path, [STORY, *DEMONSTRATIONS])
    log = ET.parse(path).getroot()
    check_xes(log)
    traces = log.findall("{*}trace")
    assert [_values(t, "{*}string[@key='concept:name']") for t in traces] == [
        [t.id] for t in (STORY, *DEMONSTRATIONS)
    ]
    steps = build_timeline(STORY).steps
    events = traces[0].findall("{*}event")
    assert n == len(log.findall(".//{*}event"))
    kinds = [str(s.event.kind) for s in steps]
    assert _values(traces[0], "{*}event/{*}string[@key='odokit:kind']") == kinds
    times = _values(traces[0], "{*}event/{*}date")
    began = datetime.fromisoformat(times[0])
    assert datetime.fromisoformat(times[1]) - began == timedelta(
        milliseconds=steps[1].event.t_ms - steps[0].event.t_ms
    )
    assert _values(events[1], "{*}string[@key='odokit:value']") == ["Owls �🦉"]
    assert _values(events[2], "{*}boolean[@key='odokit:checked']") == ["true"]


def test_a_start_that_is_no_time_is_named() -> None:
    header = STORY.header.model_copy(update={"started_at": "yesterday"})
    with pytest.raises(ExportError, match=r"t1, field started_at: 'yesterday' is no ISO 8601"):
        make_ocel([Trajectory(header, STORY.events)])


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(ExportError, match=r"taken/log\.json cannot be written"):
        write_ocel(tmp_path / "taken" / "log.json", [STORY])


def test_json_lines_go_back_in_as_they_came_out(tmp_path: Path) -> None:
    snapshots = SnapshotFolder(tmp_path / "in" / "snapshots")
    key = snapshots.put(page("Groups"))
    events = [
        e.model_copy(update={"snapshot": key}) if e.kind is EventKind.CLICK else e
        for e in STORY.events
    ]
    told = Trajectory(STORY.header, tuple(events), ("a gap",))
    with EventStore.memory() as store:
        store.ingest(told, snapshots)
        (path,) = write_jsonl(tmp_path / "out", store.trajectories(), store.get_snapshot)
    assert path.name == "t1.jsonl"
    with EventStore.memory() as store:
        store.ingest_folder(tmp_path / "out")
        assert store.trajectories() == [told]
        assert store.get_snapshot(key) == page("Groups")
