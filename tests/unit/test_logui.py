"""A LogUI flight log becomes the same trajectory as our own recording of the same session."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from builders import Story
from logui_compare import acts_of, check_same
from logui_samples import Entry, flatten, to_logui, write_dump, write_log

from odokit.errors import RecordError
from odokit.events import EventKind, Option, Trajectory, read_recording
from odokit.record import SnapshotFolder
from odokit.record.logui import Imported, import_flights
from odokit.store import EventStore

SHIPPED = Path(__file__).parents[2] / "data/testbeds"
# Three of each application; together they hold all ten kinds.
QUICK = (
    "kolibri/change_sign_in_0",
    "kolibri/change_user_type_0",
    "kolibri/create_learner_0",
    "oscar/create_category_0",
    "oscar/create_page_0",
    "oscar/write_review_0",
    "vendure/create_product_0",
    "vendure/create_role_0",
    "vendure/add_country_0",
)
WRITERS: dict[str, Callable[[Path, list[Entry]], Path]] = {
    "nested": write_log,
    "flattened": write_dump,
}


def imported(
    tmp_path: Path, entries: list[Entry], write: Callable[[Path, list[Entry]], Path] = write_log
) -> tuple[Trajectory, Imported]:
    (made,) = import_flights([write(tmp_path / "logui-t.log", entries)], tmp_path / "out")
    return read_recording(made.path), made


def demonstrations() -> list[Any]:
    paths = sorted(SHIPPED.glob("*/demonstrations/*.jsonl.zst"))
    names = [f"{p.parts[-3]}/{p.name.split('.')[0]}" for p in paths]
    return [
        pytest.param(path, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for path, name in zip(paths, names, strict=True)
    ]


@pytest.mark.parametrize("variant", WRITERS)
@pytest.mark.parametrize("path", demonstrations())
def test_a_demonstration_comes_back_field_by_field(
    tmp_path: Path, path: Path, variant: str
) -> None:
    ours = read_recording(path)
    snapshots = SnapshotFolder(path.parent / "snapshots")
    theirs, made = imported(tmp_path, to_logui(ours, snapshots.get), WRITERS[variant])
    kept = SnapshotFolder(tmp_path / "out" / "snapshots")

    check_same(ours, theirs, snapshots, kept)
    assert made.n_events == len(theirs.events)


STORY = (
    Story("f1", task="Save it")
    .at("/list")
    .click("Edit", xpath="/html/body/button[1]")
    .enter("Name", "Owls", xpath="/html/body/input")
    .write("PATCH", "/api/groups/7", {"name": "Owls"})
    .at("/done")
    .click("Close", xpath="/html/body/button[2]")
    .trajectory()
)


def entries(**change: Any) -> list[Entry]:
    """The log of a small session; `change` replaces details of its second event, the entry."""
    made = to_logui(STORY)
    made[1]["eventDetails"] |= change
    return made


def test_what_the_reference_describes_is_read(tmp_path: Path) -> None:
    """The examples of the reference, field by field as they stand there."""
    page = "<html><body><div></div><div><a></a><a></a><a href='/x'><span>Go</span></a></div></body>"
    stamp = {"eventTimestamp": "2026-06-16T21:00:01.234Z", "sinceSessionStartMillis": 1234}
    envelope = {"sessionID": "s", "flightID": "f", "timestamps": stamp}
    link = {"baseURI": "http://localhost:8088/courses/4", "outerText": "Go", "checked": None}
    click = {
        "type": "click",
        "name": "LINK_CLICK",
        "xpath": "/html/body/div[2]/a[3]/span",
        "element": json.dumps(link),
        "domSnapshot": json.dumps({"outerHTML": page, "outerText": "Go"}),
    }
    radios = [
        {"xpath": f"/html/body/label[{n}]/input", "value": value, "checked": value == "full"}
        for n, value in enumerate(("full", "short"), start=1)
    ]
    radio = {
        "type": "input",
        "name": "INPUT_CHANGE",
        "elementType": "radio",
        "radioGroup": "verbosity",
        "xpath": "/html/body/label[1]/input",
        "relatedElements": json.dumps(radios),
    }
    option = {"label": "By invitation", "selected": True, "outerHTML": "<option value='inv'>"}
    select = {
        "type": "change",
        "name": "SELECT",
        "xpath": "/html/body/select",
        "options": json.dumps([{"xpath": "/html/body/select/option[2]", "element": option}]),
    }
    editor = {
        "name": "INPUT_CHANGE",
        "source": "tinyMCE",
        "editorId": "editor_7",
        "xpath": "/html/body/div/iframe",
        "editorContent": "Hello",
    }
    post = {
        "name": "NETWORK_EVENT",
        "method": "POST",
        "url": "http://localhost:8088/groups/1",
        "type": "main_frame",
        "requestBody": json.dumps({"formData": {"a[b]": ["c"], "_method": ["put"]}}),
        "responseHeaders": json.dumps([{"name": "Location", "value": "/groups/1"}]),
    }
    query = {
        "name": "NETWORK_EVENT",
        "method": "POST",
        "url": "http://localhost:8088/api/graphql",
        "requestBody": json.dumps({"operationName": "Get", "query": "query Get { a }"}),
    }
    mutation = query | {
        "requestBody": json.dumps({"operationName": "Xyz", "query": "mutation Xyz { a }"}),
        "responseBody": json.dumps({"data": {"a": 1}}),
    }
    kinds = ["interactionEvent"] * 3 + ["customEvent"] * 4
    details = [click, radio, select, editor, post, query, mutation]
    log = [
        {"eventType": k, "eventDetails": d, **envelope} for k, d in zip(kinds, details, strict=True)
    ]
    found, _ = imported(tmp_path, log)
    events = {e.kind: e for e in found.events}
    assert len(found.events) == 7
    assert found.header.started_at == "2026-06-16T21:00:00.000+00:00"

    clicked = events[EventKind.CLICK]
    assert clicked.element is not None
    assert (clicked.element.xpath, clicked.element.role) == ("/html/body/div[2]/a[3]", "link")
    assert clicked.raw_target == "/html/body/div[2]/a[3]/span"
    assert events[EventKind.RADIO].value == "full"
    assert [o.selected for o in events[EventKind.RADIO].options] == [True, False]
    assert events[EventKind.SELECT].options == (
        Option(
            value="inv",
            label="By invitation",
            selected=True,
            xpath="/html/body/select/option[2]",
        ),
    )
    assert (events[EventKind.RICH_TEXT].value, events[EventKind.RICH_TEXT].editor_id) == (
        "Hello",
        "editor_7",
    )
    call = events[EventKind.REST_CALL]
    assert call.request is not None and call.response is not None
    assert (call.request.method, call.request.body) == ("PUT", {"a[b]": "c", "_method": "put"})
    assert call.request.content_type == "application/x-www-form-urlencoded"
    assert (call.response.status, call.response.location) == (302, "/groups/1")
    mutated = events[EventKind.GRAPHQL_MUTATION]
    assert mutated.request is not None and mutated.request.operation == "Xyz"


def test_a_location_lies_midway_between_what_happened_on_two_pages(tmp_path: Path) -> None:
    found, _ = imported(tmp_path, entries())
    first, second = (e for e in found.events if e.kind is EventKind.LOCATION)
    assert (first.t_ms, first.from_url) == (0, "")
    assert second.t_ms == (200 + 500) / 2  # the entry at 200 ms, the next click at 500 ms
    assert second.from_url.endswith("/list") and second.to_url.endswith("/done")


def test_events_are_ordered_by_time_and_requests_by_when_they_were_sent(tmp_path: Path) -> None:
    forwards, _ = imported(tmp_path / "a", entries())
    backwards, _ = imported(tmp_path / "b", entries()[::-1])
    assert [e.kind for e in backwards.events] == [e.kind for e in forwards.events]
    (call,) = (e for e in forwards.events if e.kind.is_write)
    assert call.t_ms == pytest.approx(300, abs=1)  # it was answered at 340 ms


def test_what_cannot_be_taken_over_is_told(tmp_path: Path) -> None:
    log = entries()
    unknown = {**log[0], "eventDetails": {"name": "HOVER", "type": "mouseover"}}
    timeless = {k: v for k, v in log[0].items() if k != "timestamps"}
    textless = {k: v for k, v in log[1].items() if k != "metadata"}
    status = {**log[0], "eventType": "statusEvent"}
    found, made = imported(tmp_path, [*log, unknown, unknown, timeless, textless, status])
    assert sorted(made.gaps) == [
        "an entry without its text first in entry 8 (line 15)",
        "an event without timestamps first in entry 7 (line 13)",
        "unknown event interactionEvent/HOVER first in entry 5 (line 9) (2 times)",
    ]
    assert found.health is not None and len(found.health.gaps) == 3
    assert len(acts_of(found)) == len(log)


def test_a_status_that_had_to_be_assumed_is_told(tmp_path: Path) -> None:
    log = entries()
    log[2]["eventDetails"]["responseHeaders"] = json.dumps({"X-Y": "z"})
    found, made = imported(tmp_path, log)
    (call,) = (e for e in found.events if e.kind.is_write)
    assert call.response is not None and call.response.status == 200
    assert made.gaps == (
        "a request's status is not stored and was taken for accepted first in entry 3 (line 5)",
    )


def test_a_clock_that_is_set_back_does_not_change_the_order(tmp_path: Path) -> None:
    log = entries()
    log[-1]["timestamps"]["eventTimestamp"] = "2020-01-01T00:00:00.000Z"
    found, made = imported(tmp_path, log)
    assert [e.kind for e in acts_of(found)] == [e.kind for e in acts_of(STORY)]
    assert [e.t_ms for e in found.events] == sorted(e.t_ms for e in found.events)
    assert any("clock was set back" in gap for gap in made.gaps)


def test_a_typed_password_is_nowhere_in_what_is_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = "hunter2-Ünlikely"
    field = f"<input placeholder='Name' value='{secret}'>"
    page = f"<html><body><button>A</button>{field}<p>{secret}</p></body></html>"
    log = entries()
    keys = []
    for n in range(1, len(secret) + 1):
        entry = json.loads(json.dumps(log[1]))
        entry["eventDetails"]["elementType"] = "password"
        entry["eventDetails"]["domSnapshot"] = json.dumps({"outerHTML": page})
        entry["metadata"][0]["value"] = secret[:n]
        keys.append(entry)
    log[2]["eventDetails"]["requestBody"] = json.dumps({"name": "x", "other": secret})
    log[2]["eventDetails"]["url"] += f"?q={secret}"
    found, made = imported(tmp_path, [log[0], *keys, *log[2:]])
    typed = [e for e in found.events if e.kind is EventKind.DATA_ENTRY]
    assert {e.value for e in typed} == {"{{secret:name}}"}
    assert typed[0].snapshot is not None
    stored = [SnapshotFolder(tmp_path / "out" / "snapshots").get(typed[0].snapshot)]
    stored += [e.model_dump_json() for e in found.events] + [caplog.text, str(made)]
    assert not [text for text in stored if "hunter2" in text]


BROKEN: dict[str, tuple[Callable[[], Any], str]] = {
    "empty": (lambda: b"", "is empty"),
    "no events": (lambda: b"[]", "holds no click"),
    "cut short": (lambda: json.dumps(entries()).encode()[:-900], "cut short after entry"),
    "not JSON": (
        lambda: b'[{"eventType": "statusEvent", "eventDetails": {}},\n\n{"eventType" "x"}]',
        "entry 2 (line 3): not JSON",
    ),
    "a number": (lambda: b"[1]", "line 1: there is something other than an event after entry 0"),
    "a list": (lambda: b"[[]]", "entry 1 (line 1): an event must be a JSON object"),
    "two arrays": (lambda: b"[]\n[]", "line 2: there is something other than an event"),
    "no details": (
        lambda: [{"eventType": "statusEvent"}],
        "entry 1 (line 1), field eventDetails: Field required",
    ),
    "no xpath": (
        lambda: entries(xpath=None),
        "entry 2 (line 3), field eventDetails.xpath: Input should be a valid string",
    ),
    "bad inner JSON": (
        lambda: entries(element="{"),
        "entry 2 (line 3), field eventDetails.element: Value error, the string is not JSON",
    ),
    "inner field": (
        lambda: entries(element=json.dumps({"baseURI": 5})),
        "entry 2 (line 3), field eventDetails.element.baseURI: Input should be a valid string",
    ),
    "bad address": (
        lambda: entries(element=json.dumps({"baseURI": "http://["})),
        "entry 2 (line 3), field eventDetails.element.baseURI: Value error, this is no address",
    ),
    "bad time": (
        lambda: [{**entries()[0], "timestamps": {"eventTimestamp": "yesterday"}}],
        "field timestamps.eventTimestamp: Input should be a valid datetime",
    ),
    "bad flight": (
        lambda: [{**entries()[0], "flightID": "../../etc/passwd"}],
        "field flightID: '../../etc/passwd' cannot name a file",
    ),
    "bad effect": (
        lambda: [
            {
                **entries()[0],
                "eventType": "customEvent",
                "eventDetails": {"name": "DOM_EFFECT", "action": "melt", "nodes": "[]"},
            }
        ],
        "field eventDetails.action: 'melt' is none of",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_faulty_log_is_refused_and_leaves_nothing(tmp_path: Path, fault: str) -> None:
    make, complaint = BROKEN[fault]
    made = make()
    path = tmp_path / "logui-x.log"
    if isinstance(made, bytes):
        path.write_bytes(made)
    else:
        write_log(path, made)
    with pytest.raises(RecordError) as caught:
        import_flights([path], tmp_path / "out")
    assert str(caught.value).startswith(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_bracket_never_closed_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odokit.record.logui.entries.MAX_ENTRY_BYTES", 1 << 21)
    path = tmp_path / "logui-x.log"
    path.write_bytes(b'[{"a": "' + b"x" * (1 << 22))
    with pytest.raises(RecordError, match=r"entry 1 \(line 1\): longer than 2097152 bytes"):
        import_flights([path], tmp_path / "out")


@pytest.mark.parametrize("chunk", [1, 7, 64])
def test_where_the_text_is_cut_for_reading_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    whole, _ = imported(tmp_path / "a", entries())
    monkeypatch.setattr("odokit.record.logui.entries.CHUNK_BYTES", chunk)
    assert imported(tmp_path / "b", entries())[0] == whole


def test_flattened_documents_in_an_array_are_read_too(tmp_path: Path) -> None:
    nested, _ = imported(tmp_path / "a", entries())
    assert imported(tmp_path / "b", flatten(entries()))[0] == nested


def test_one_dump_may_hold_several_flights(tmp_path: Path) -> None:
    other = [{**entry, "flightID": "f2"} for entry in entries()]
    mixed = [e for pair in zip(entries(), other, strict=True) for e in pair]
    made = import_flights([write_dump(tmp_path / "dump.jsonl", mixed)], tmp_path / "out")
    assert [m.path.name for m in made] == ["f1.jsonl.zst", "f2.jsonl.zst"]
    first, second = (read_recording(m.path) for m in made)
    assert first.events == second.events


def test_a_flight_that_is_there_already_is_not_overwritten(tmp_path: Path) -> None:
    imported(tmp_path, entries())
    imported(tmp_path, entries())  # the same again changes nothing
    with pytest.raises(RecordError, match=r"flight f1 is in .* already, with other content"):
        imported(tmp_path, entries()[:2])


def test_imported_recordings_can_be_ingested(tmp_path: Path) -> None:
    path = SHIPPED / "kolibri/demonstrations/create_class_0.jsonl.zst"
    snapshots = SnapshotFolder(path.parent / "snapshots")
    found, _ = imported(tmp_path, to_logui(read_recording(path), snapshots.get))
    with EventStore.memory() as store:
        report = store.ingest_folder(tmp_path / "out")
        assert (report.n_new, report.n_events) == (1, len(found.events))
        assert store.trajectories() == [found]
        assert store.check() == []


@pytest.mark.slow
def test_memory_holds_no_log(tmp_path: Path) -> None:
    """A log of 60 MB, nearly all of it pages, is imported within a third of that."""
    log, page = tmp_path / "logui-big.log", "<p>so it goes </p>" * 20_000
    with log.open("w", encoding="utf-8") as file:
        for n in range(170):
            (click,) = to_logui(
                Story("big").at(f"/p/{n}").click("Edit", xpath="/html/body/button").trajectory()
            )
            html = f"<html><body><button>Edit</button><i>{n}</i>{page}</body></html>"
            click["eventDetails"]["domSnapshot"] = json.dumps({"outerHTML": html})
            file.write(("[" if n == 0 else ",\n\n") + json.dumps(click))
        file.write("]")
    assert log.stat().st_size > 60e6
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from odokit.record.logui import import_flights\n"
        "peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "before = peak(); import_flights([Path(sys.argv[1])], Path(sys.argv[2]))\n"
        "print((peak() - before) / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(log), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) < 20, f"{done.stdout.strip()} MB were needed for 60 MB"
