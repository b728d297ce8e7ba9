"""Messages of pages become events, gaps and dialogs; what is missed is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from odokit.events import EventKind, Gesture, Header, recover_recording
from odokit.record import Assembler, HealthMeter, SnapshotFolder, health_lines
from odokit.record.health import MAX_GAPS
from odokit.record.sent import MAX_WAITING, SentNotes

BUTTON = {"tag": "button", "xpath": "/html/body/button", "role": "button", "name": "Save"}
HEADER = Header(trajectory_id="t1")
URL = "http://a/"


def click(at: float, **more: Any) -> dict[str, Any]:
    """A message of a page."""
    return {"kind": "click", "at": at, "url": URL, "element": BUTTON, **more}


def write(at: float) -> dict[str, Any]:
    """A request as the host adds it."""
    request = {"method": "POST", "url": f"{URL}api"}
    return {"kind": EventKind.REST_CALL, "url": URL, "request": request, "tab": 0}


@pytest.fixture
def book() -> Assembler:
    """A recording that began at second one."""
    return Assembler(HEADER, began=1000.0)


def test_events_are_in_order_of_time_not_of_arrival(book: Assembler) -> None:
    book.take("main", click(1300.0))
    book.take("main", click(1200.0), tab=1)
    first, second = book.trajectory().events
    assert (first.t_ms, first.tab, second.t_ms, second.tab) == (200.0, 1, 300.0, 0)
    assert (first.idx, second.idx) == (0, 1)


def test_a_dialog_belongs_to_what_was_done_last_in_its_tab(book: Assembler) -> None:
    book.take("main", click(1100.0))
    book.take("popup", click(1200.0), tab=1)
    said = {"type": "prompt", "message": "Name?", "accepted": True, "text": "Owls"}
    book.take("main", {"kind": "dialog", "at": 1250.0, "dialog": said})
    first, second = book.trajectory().events
    assert [d.text for d in first.dialogs] == ["Owls"] and second.dialogs == ()


def test_a_dialog_without_a_cause_or_sense_is_a_gap(book: Assembler) -> None:
    said = {"type": "alert", "message": "Welcome", "accepted": True}
    book.take("main", {"kind": "dialog", "at": 1100.0, "dialog": said})
    book.take("main", {"kind": "dialog", "at": 1100.0, "dialog": {"type": "alert"}})
    assert book.trajectory().gaps == (
        "a dialog (alert) that no interaction raised Welcome",
        "dialog: Field required",
    )


@pytest.mark.parametrize(("delay", "is_recorded"), [(100.0, True), (-2.0, True), (900.0, False)])
def test_a_key_counts_when_a_request_follows_it(
    book: Assembler, delay: float, is_recorded: bool
) -> None:
    key = click(1100.0, gesture="key", value="#", maybe=True)
    if delay < 0:  # the request may arrive first
        book.add(1100.0 + delay, write(1100.0))
        book.take("main", key)
    else:
        book.take("main", key)
        book.add(1100.0 + delay, write(1100.0))
    gestures = [e.gesture for e in book.events if e.kind is EventKind.CLICK]
    assert gestures == ([Gesture.KEY] if is_recorded else [])


def test_a_key_does_not_count_when_something_else_was_done_since(book: Assembler) -> None:
    book.take("main", click(1100.0, gesture="key", value="#", maybe=True))
    book.take("main", click(1150.0))
    book.add(1200.0, write(1200.0))
    assert [e.gesture for e in book.events] == [Gesture.CLICK] * 2


def test_what_became_known_later_is_in_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "t1.jsonl.partial"
    with journal.open("wb") as stream:
        stream.write(b'{"odokit_recording":2,"trajectory_id":"t1"}\n')
        book = Assembler(HEADER, journal=stream, began=1000.0)
        book.take("main", click(1100.0))
        book.amend(0, download="grades.csv")
    (event,) = recover_recording(journal).events
    assert event.download == "grades.csv"


def test_gaps_are_counted_and_bounded(tmp_path: Path) -> None:
    meter = HealthMeter()
    for _ in range(3):
        meter.miss("a canvas was used", "at /html/body/canvas")
    for number in range(MAX_GAPS + 5):
        meter.miss("odd", str(number))
    meter.tested(URL, [])
    meter.tested("http://b/", ["bridge", "observer"])
    report = meter.report([], SnapshotFolder(tmp_path))
    assert report.gaps[0].n == 3 and len(report.gaps) == MAX_GAPS
    assert not report.is_sound


def test_the_report_says_what_was_found() -> None:
    meter = HealthMeter()
    meter.tested(URL, [])
    meter.tested("http://b/", ["bridge", "observer"])
    lines = health_lines(meter.report([], None))
    assert lines == [
        "events: none",
        "snapshots: 0, 0 KB",
        "self-test: passed on 1 of 2 pages",
        "gap: capture does not work fully (bridge, observer failed) on http://b/",
    ]


def test_a_note_and_its_request_meet_whichever_comes_first() -> None:
    notes = SentNotes()
    note = {"method": "POST", "url": f"{URL}api", "initiator": f"{URL}app.js:3:1", "body": None}
    assert notes.note(note) is None
    assert notes.find("POST", f"{URL}api") is note
    assert notes.find("POST", f"{URL}api") is None, "a note is of one request"
    notes.wait("POST", f"{URL}api", 7)
    assert notes.find("PUT", f"{URL}api") is None
    assert notes.note(note) == 7
    for position in range(MAX_WAITING + 1):
        notes.wait("POST", f"{URL}api", position)
    assert notes.note(note) == 1, "the oldest was given up"
