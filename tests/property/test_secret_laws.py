"""Laws of secrets: whatever is planted wherever, in whatever spelling, is nowhere afterwards."""

from __future__ import annotations

import base64
import html
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, quote_plus

import orjson
import pytest
import zstandard
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st

from odokit.decide import FieldQuestion
from odokit.decide.points import DemonstrationCard
from odokit.decide.questions import card_text, field_line
from odokit.events import Header, Request, Response, read_recording, write_recording
from odokit.record import Assembler, Redactor, SnapshotFolder
from odokit.record.network import classify_request
from odokit.record.spellings import base64_pieces, spellings
from odokit.report import frame_events, plot_timeline
from odokit.report.recordings import describe_row
from odokit.store import EventStore

SECRET = st.text("hunter2 &<>\"'+%/=?#ü\\😀\n", min_size=6, max_size=14).filter(
    lambda s: s == s.strip() and len(set(s)) >= 5 and any(c.isalnum() for c in s)
)
Spell = Callable[[str], str]
SPELL: dict[str, Spell] = {
    "as it is": str,
    "in a URL": lambda s: quote(s, safe=""),
    "in a form": quote_plus,
    "in JSON": lambda s: json.dumps(s)[1:-1],
    "in JSON, readable": lambda s: json.dumps(s, ensure_ascii=False)[1:-1],
    "in HTML": html.escape,
    "in base64": lambda s: base64.b64encode(s.encode()).decode(),
    "in base64, within": lambda s: base64.b64encode(f"user:{s}!".encode()).decode(),
    "twice in a URL": lambda s: quote(quote(s, safe=""), safe=""),
}
# Without shrinking, which would take minutes: an example makes a recording, a store and figures.
EXAMPLES = settings(
    deadline=None,
    max_examples=15,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
ORIGIN = "http://app.test"


def leaks(text: str, secret: str) -> list[str]:
    """Spellings of a secret in a text."""
    forms = {secret, *spellings(secret), *base64_pieces(secret)}
    return [form for form in forms if len(form) >= 5 and form in text]


def strings(value: Any) -> Iterator[str]:
    """Every string in a nested value, keys too."""
    if isinstance(value, str):
        yield value
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield str(key)
        yield from strings(inner)
    for inner in value if isinstance(value, (list, tuple)) else ():
        yield from strings(inner)


def texts_of(folder: Path) -> Iterator[str]:
    """Every file of a recording, decompressed, and every string of its JSON."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.parent.parent.name == "snapshots":
            yield SnapshotFolder(folder / "snapshots").get(path.name[:32])
            continue
        raw = path.read_bytes()
        if path.suffix == ".zst":
            raw = zstandard.ZstdDecompressor().decompressobj().decompress(raw)
        yield raw.decode()
        for line in raw.splitlines():
            yield from strings(orjson.loads(line))


def element(text: str) -> dict[str, Any]:
    """An element that says a text wherever it can."""
    return {
        "tag": "button",
        "xpath": "/html/body/button",
        "role": "button",
        "name": text,
        "text": text,
        "attributes": {"title": text, "href": f"/x?q={text}"},
        "landmarks": [f"region:{text}"],
        "frame": [],
        "shadow": [],
        "html": f"<button title={html.escape(text)!r}>{html.escape(text)}</button>",
    }


def messages(text: str, secret: str) -> Iterator[dict[str, Any]]:
    """What a page's script might tell if it had redacted nothing."""
    whole = f"<html><p title='{html.escape(text)}'>{html.escape(text)}</p></html>"
    common: dict[str, Any] = {"at": 1.0, "url": f"{ORIGIN}/a?q={quote(text)}#t={quote(text)}"}
    yield {"kind": "page", "id": "d", "n": 1, "at": 0, "end": 0, "html": whole}
    yield common | {"kind": "click", "element": element(text), "page": "d:1"}
    rest = html.escape(secret)
    half, rest = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    at = len(f"<html><p>{half}".encode("utf-16-le")) // 2  # the page counts in these units
    yield {"kind": "page", "id": "d", "n": 2, "at": 6, "end": 7, "html": f"<p>{half}</p>"}
    yield {"kind": "page", "id": "d", "n": 3, "at": at, "end": 11, "html": rest}
    yield common | {"kind": "click", "element": element("x"), "page": "d:3"}
    for value in (secret[:4], secret, text):
        yield common | {"kind": "data_entry", "element": element("Field"), "value": value}
    options = [{"value": text, "label": text, "selected": True, "xpath": "/html/option"}]
    yield common | {"kind": "select", "element": element("y"), "value": text, "options": options}
    files = [{"name": f"{text}.pdf", "size": 7}]
    yield common | {"kind": "data_entry", "element": element("F"), "value": "f", "files": files}
    dialog = {"type": "prompt", "message": text, "accepted": True, "text": text}
    yield {"kind": "dialog", "at": 1.0, "dialog": dialog}
    effects = [{"action": "added", "xpath": "/html/p", "tag": "p", "text": text}]
    yield common | {"kind": "dom_effect", "effects": effects}
    yield {"kind": "gap", "what": f"something of {text}", "where": f"on {text}"}
    yield common | {"kind": "nonsense", "element": element(text)}


def write(text: str, redactor: Redactor) -> dict[str, Any]:
    """A request and its answer that hold a text wherever they can."""
    body = {"note": text, text: 1, "deep": [{"list": [text]}], "password": "x1"}
    url = f"{ORIGIN}/api/{quote(text)}?q={quote(text)}&token={quote(text)}"
    sent = Request(method="POST", url=url, body=body)
    classified = classify_request(sent, redactor)
    assert classified is not None
    kind, request = classified
    answer = Response(status=302, location=redactor.url(url), body=redactor.value(body))
    return {"kind": kind, "url": ORIGIN, "request": request, "response": answer}


def assemble(folder: Path, text: str, secret: str) -> list[str]:
    """Make a recording of it all in a folder; what its journal held meanwhile."""
    redactor = Redactor({"planted": secret})
    header = Header(
        trajectory_id="planted",
        task=redactor.text(f"Use {text}"),
        values={"word": redactor.text(text)},
        app="demo",
        start_url=redactor.url(f"{ORIGIN}/?q={quote(text)}"),
    )
    with (folder / "planted.jsonl.partial").open("wb", buffering=0) as journal:
        snapshots = SnapshotFolder(folder / "snapshots")
        book = Assembler(header, snapshots=snapshots, journal=journal, redactor=redactor)
        for message in messages(text, secret):
            book.take("frame", message)
        book.add(2.0, write(text, redactor))
        moved = dict.fromkeys(("url", "from_url", "to_url"), redactor.url(f"{ORIGIN}/#{text}"))
        book.add(3.0, {"kind": "location", **moved})
        book.close()
    meanwhile = list(texts_of(folder))
    (folder / "planted.jsonl.partial").unlink()
    write_recording(folder / "planted.jsonl.zst", book.trajectory())
    return meanwhile


def stored_texts(folder: Path, store_path: Path) -> Iterator[str]:
    """Every column of every table and view after the recording was ingested, pages included."""
    with EventStore.open(store_path) as store:
        store.ingest_folder(folder)
        tables = store.sql(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'"
        )
        for (table,) in tables.iter_rows():
            frame = store.sql(f'SELECT * FROM "{table}"')
            for row in frame.iter_rows():
                yield from (v.decode("latin-1") if isinstance(v, bytes) else str(v) for v in row)
        for (key,) in store.sql("SELECT hash FROM snapshot").iter_rows():
            yield store.get_snapshot(key)


def shown_texts(folder: Path) -> Iterator[str]:
    """What prompts, figures and tables make of the recording."""
    trajectory = read_recording(folder / "planted.jsonl.zst")
    yield repr(trajectory)
    writes = [f"{e.request.method} {e.request.url}" for e in trajectory.events if e.request]
    head = trajectory.header
    card = DemonstrationCard(head.trajectory_id, head.task, head.values, writes, "")
    yield card_text([card])[0]
    for event in trajectory.events:
        if event.element is not None:
            options = tuple(option.label for option in event.options)
            yield field_line(
                FieldQuestion(
                    task=head.task,
                    label=event.element.name,
                    kind="text",
                    bound=None,
                    is_constant=False,
                    demonstrated=event.value or "",
                    options=options,
                )
            )
    events = frame_events([trajectory])
    yield from (describe_row(row) for row in events.iter_rows(named=True))
    yield plot_timeline(events).to_html()
    yield str(events.write_json())


@EXAMPLES
@given(SECRET)
@example("#\n😀😀#/ü\n%")  # in base64 it holds "cvc", so that a key with it is a secret one
def test_a_planted_secret_is_nowhere(caplog: pytest.LogCaptureFixture, secret: str) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    text = " | ".join(spell(secret) for spell in SPELL.values())
    assert leaks(text, secret), "the hunt would find it"
    with TemporaryDirectory() as name:
        folder = Path(name) / "raw"
        folder.mkdir()
        found = [*assemble(folder, text, secret), *texts_of(folder), *shown_texts(folder)]
        found += stored_texts(folder, Path(name) / "odokit.duckdb")
        trajectory = read_recording(folder / "planted.jsonl.zst")
    found.append(caplog.text)
    assert [leaks(text, secret) for text in found if leaks(text, secret)] == []
    assert sum("{{secret:planted}}" in text for text in found) > 30
    entries = [e.value for e in trajectory.events if e.kind == "data_entry" and not e.files]
    assert entries[0] == entries[1] == "{{secret:planted}}", "what came before the whole of it"


@EXAMPLES
@given(SECRET)
def test_what_is_learnt_late_goes_from_what_was_kept_before(secret: str) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        book = Assembler(
            Header(trajectory_id="late", task=secret, values={"word": secret}),
            snapshots=SnapshotFolder(folder / "snapshots"),
        )
        for message in messages(secret, secret):
            book.take("frame", message)
        before = {e.snapshot for e in book.events if e.snapshot}
        book.redactor.learn(secret, "late")
        book.close()
        trajectory = book.trajectory()
        write_recording(folder / "late.jsonl.zst", trajectory)
        found = list(texts_of(folder))
        after = {e.snapshot for e in trajectory.events if e.snapshot}
    assert [leaks(text, secret) for text in found if leaks(text, secret)] == []
    assert len(before) == len(after) == 2 and not before & after
