"""A recording is read back as it was written, or refused with file, line and field."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
import zstandard

from odokit.errors import RecordError
from odokit.events import (
    FORMAT_VERSION,
    INTERACTIONS,
    KIND_SPECS,
    WRITES,
    Effect,
    Element,
    Event,
    EventKind,
    Gap,
    Gesture,
    Header,
    Health,
    Option,
    Request,
    Response,
    SelfTest,
    Trajectory,
    read_recording,
    recording_schema,
    write_recording,
)

URL = "http://127.0.0.1:8080/en/coach/#/classes"
BUTTON = Element(tag="button", xpath="/html/body/main/button[2]", role="button", name="Speichern ✓")
HEADER = Header(
    trajectory_id="t1", task="Create a class", values={"name": "Biology"}, app="kolibri"
)


def one_of_each_kind() -> tuple[Event, ...]:
    """Ten events, one a kind, each with what its kind must carry."""
    options = (Option(value="a", label="A", selected=True), Option(value="b", label="B"))
    request = Request(method="POST", url=URL, body={"name": "Biology", "n": [1, 2.5, None, True]})
    carried: dict[EventKind, dict[str, object]] = {
        EventKind.CLICK: {"element": BUTTON},
        EventKind.DATA_ENTRY: {"element": BUTTON, "value": ""},
        EventKind.RICH_TEXT: {"element": BUTTON, "value": "<b>x</b>", "editor_id": "e"},
        EventKind.CHECKBOX: {"element": BUTTON, "checked": False},
        EventKind.RADIO: {"element": BUTTON, "options": options, "group": "g"},
        EventKind.SELECT: {"element": BUTTON, "options": options, "value": "A"},
        EventKind.REST_CALL: {"request": request, "response": Response(status=201, body=[])},
        EventKind.GRAPHQL_MUTATION: {"request": request},
        EventKind.LOCATION: {"from_url": URL, "to_url": URL + "/1"},
        EventKind.DOM_EFFECT: {"effects": (Effect(action="added", xpath="/html", tag="p"),)},
    }
    return tuple(
        Event.model_validate({"kind": kind, "idx": idx, "t_ms": 10.5 * idx, "url": URL} | fields)
        for idx, (kind, fields) in enumerate(carried.items())
    )


TRAJECTORY = Trajectory(HEADER, one_of_each_kind(), ("a closed shadow root at /html/body/x-y",))


@pytest.mark.parametrize("name", ["t1.jsonl", "t1.jsonl.zst"])
def test_a_recording_is_read_back_as_written(tmp_path: Path, name: str) -> None:
    path = tmp_path / "new folder" / name
    write_recording(path, TRAJECTORY)
    assert read_recording(path) == TRAJECTORY
    assert [p.name for p in path.parent.iterdir()] == [name], "no partial file stays"


def test_the_compressed_file_is_smaller(tmp_path: Path) -> None:
    for name in ("t.jsonl", "t.jsonl.zst"):
        write_recording(tmp_path / name, TRAJECTORY)
    assert (tmp_path / "t.jsonl.zst").stat().st_size < (tmp_path / "t.jsonl").stat().st_size / 2


def test_lines_leave_out_what_is_at_its_default(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_recording(path, TRAJECTORY)
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert lines[0]["odokit_recording"] == FORMAT_VERSION
    assert set(lines[9]) == {"kind", "idx", "t_ms", "url", "from_url", "to_url"}
    assert lines[-1]["counts"] == {kind.value: 1 for kind in EventKind}


def test_an_event_is_named_by_its_trajectory_and_place() -> None:
    assert TRAJECTORY.id == "t1"
    assert TRAJECTORY.event_id(3) == "t1#3"


def test_kinds_are_split_into_what_users_and_what_applications_do() -> None:
    assert {k for k in EventKind if k.is_interaction} == INTERACTIONS
    assert {k for k in EventKind if k.is_write} == WRITES
    assert len(INTERACTIONS) == 6
    assert not INTERACTIONS & WRITES
    assert set(KIND_SPECS) == set(EventKind)


@pytest.mark.parametrize("event", one_of_each_kind(), ids=lambda e: e.kind.value)
def test_an_event_without_what_its_kind_needs_is_refused(event: Event) -> None:
    for name in KIND_SPECS[event.kind].required:
        fields = event.model_dump()
        del fields[name]
        with pytest.raises(ValueError, match=f"needs the field '{name}'"):
            Event.model_validate(fields)


def test_the_schema_describes_the_three_kinds_of_line() -> None:
    schema = recording_schema()
    assert set(schema) == {"Header", "Event", "Closing"}
    assert schema["Event"]["required"] == ["kind", "idx", "t_ms", "url"]


def without_line(number: int) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: lines[: number - 1] + lines[number:]


def with_line(number: int, line: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda lines: [*lines[: number - 1], line, *lines[number:]]


def with_field(number: int, name: str, value: object) -> Callable[[list[bytes]], list[bytes]]:
    def change(lines: list[bytes]) -> list[bytes]:
        record = orjson.loads(lines[number - 1]) | {name: value}
        return with_line(number, orjson.dumps(record))(lines)

    return change


CORRUPTIONS: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "empty": (lambda lines: [], "is empty"),
    "only white space": (lambda lines: [b" ", b""], "is empty"),
    "no header": (without_line(1), "line 1, field trajectory_id: Field required"),
    "newer version": (
        with_field(1, "odokit_recording", FORMAT_VERSION + 1),
        f"line 1, field odokit_recording: version {FORMAT_VERSION + 1} is newer",
    ),
    "bad JSON": (with_line(4, b'{"kind": "click", '), "line 4: not JSON"),
    "not UTF-8": (with_line(4, b'{"kind": "\xff"}'), "line 4: not JSON"),
    "half a line": (lambda lines: [*lines[:3], lines[3][:40]], "line 4: not JSON"),
    "missing field": (with_line(2, b'{"kind":"click","idx":0}'), "line 2, field t_ms: Field"),
    "unknown kind": (with_field(3, "kind", "hover"), "line 3, field kind: Input should be"),
    "unknown field": (with_field(3, "colour", "red"), "line 3, field colour: Extra inputs"),
    "missing by kind": (
        with_field(2, "element", None),
        "line 2, field (whole line): Value error, a click event needs the field 'element'",
    ),
    "inner field": (
        with_field(2, "element", {"tag": "a"}),
        "line 2, field element.xpath: Field required",
    ),
    "a key gesture without its keys": (
        with_field(2, "gesture", "key"),
        "line 2, field (whole line): Value error, a key gesture needs the field 'value'",
    ),
    "a drag without an end": (
        with_field(2, "gesture", "drag"),
        "line 2, field (whole line): Value error, a drag needs the field 'drop'",
    ),
    "a gesture of an entry": (
        with_field(3, "gesture", "hover"),
        "Value error, only a click has a gesture",
    ),
    "negative time": (with_field(2, "t_ms", -1), "line 2, field t_ms: Input should be greater"),
    "no such version": (
        with_field(1, "odokit_recording", 0),
        "line 1, field odokit_recording: there is no version 0",
    ),
    "no hash": (
        with_field(2, "snapshot", "../../etc/passwd"),
        "line 2, field snapshot: it is no content hash",
    ),
    "no address": (with_field(10, "to_url", "http://["), "line 10, field to_url: it is no address"),
    "too deep": (
        with_line(
            8,
            b'{"kind":"rest_call","idx":6,"t_ms":1,"url":"","request":{"method":"PUT","url":'
            b'"/x","body":' + b"[" * 150 + b"]" * 150 + b"}}",
        ),
        "line 8, field request.body: it is nested deeper than 100 levels",
    ),
    "a list": (with_line(2, b"[]"), "line 2, field (whole line): Input should be"),
    "lost line": (without_line(5), "line 5, field idx: expected 3, found 4"),
    "doubled line": (lambda lines: lines[:3] + lines[2:], "line 4, field idx: expected 2, found 1"),
    "no closing line": (without_line(12), "after line 11: the closing line is missing"),
    "cut in the middle": (lambda lines: lines[:6], "after line 6: the closing line is missing"),
    "wrong count": (with_field(12, "n_events", 9), "line 12, field n_events: says 9, but 10"),
    "more after the end": (lambda lines: lines + lines[1:2], "line 13: there are lines after"),
}


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.zst"])
@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_a_corrupted_recording_is_refused(tmp_path: Path, corruption: str, suffix: str) -> None:
    change, complaint = CORRUPTIONS[corruption]
    plain, path = tmp_path / "plain.jsonl", tmp_path / f"broken{suffix}"
    write_recording(plain, TRAJECTORY)
    data = b"\n".join(change(plain.read_bytes().splitlines()))
    path.write_bytes(zstandard.compress(data) if suffix.endswith(".zst") else data)
    with pytest.raises(RecordError) as caught:
        read_recording(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert complaint in message
    assert "\n" not in message, "an error is one paragraph"


@pytest.mark.parametrize("kept", [0.05, 0.5, 0.9, 0.999])
def test_a_cut_compressed_file_is_refused(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "cut.jsonl.zst"
    write_recording(path, TRAJECTORY)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(RecordError, match=r"cut\.jsonl\.zst is not a whole zstd file"):
        read_recording(path)


def test_what_follows_the_end_of_a_compressed_file_is_not_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.zst"
    write_recording(path, TRAJECTORY)
    path.write_bytes(path.read_bytes() * 2)
    with pytest.raises(RecordError, match="something follows its end"):
        read_recording(path)


def test_a_journal_is_not_taken_for_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "t1.jsonl.partial"
    write_recording(path, TRAJECTORY)
    with pytest.raises(RecordError, match=r"journal of a session .*odokit record --recover"):
        read_recording(path)


def test_what_is_no_zstd_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl.zst"
    path.write_bytes(b'{"trajectory_id": "t1"}\n')
    with pytest.raises(RecordError, match="not a whole zstd file"):
        read_recording(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"gone\.jsonl cannot be read: No such file.*path"):
        read_recording(tmp_path / "gone.jsonl")


def test_a_line_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.jsonl"
    write_recording(path, TRAJECTORY)
    monkeypatch.setattr("odokit.events.files.MAX_LINE_BYTES", 200)
    with pytest.raises(RecordError, match="longer than 200 bytes"):
        read_recording(path)


def test_a_recording_of_version_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(
        b'{"odokit_recording":1,"trajectory_id":"old"}\n'
        b'{"kind":"location","idx":0,"t_ms":1.0,"url":"http://a/","to_url":"http://a/"}\n'
        b'{"end":true,"n_events":1,"counts":{"location":1},"gaps":["something was missed"]}\n'
    )
    old = read_recording(path)
    assert old.gaps == ("something was missed",) and old.health is None
    (event,) = old.events
    assert (event.gesture, event.tab, event.dialogs) == (Gesture.CLICK, 0, ())


def test_the_health_report_is_kept(tmp_path: Path) -> None:
    health = Health(
        counts={"click": 2},
        gaps=(Gap(what="a canvas was clicked", where="at /html/body/canvas", n=3),),
        self_tests=(SelfTest(url="http://a/", failed=("events",)),),
        n_snapshots=2,
        snapshot_bytes=900,
    )
    path = tmp_path / "t.jsonl.zst"
    write_recording(path, replace(TRAJECTORY, health=health))
    assert read_recording(path).health == health
    assert str(health.gaps[0]) == "a canvas was clicked at /html/body/canvas (3 times)"
    assert not health.is_sound and Health(counts={"click": 1}).is_sound
