"""The recording file: a header, one line an event, a closing line that proves it whole."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import orjson
import zstandard
from pydantic import BaseModel, ValidationError

from odokit.errors import RecordError
from odokit.events.model import FORMAT_VERSION, Closing, Event, Header, Trajectory

MAX_LINE_BYTES = 32 * 1024 * 1024

MAX_DEPTH = 100
"""Levels of a body; the writer of JSON refuses some 200, and no application sends as many."""
SNAPSHOT_HASH = re.compile(r"[0-9a-f]{32}")

M = TypeVar("M", bound=BaseModel)


def recording_schema() -> dict[str, Any]:
    """The JSON schemas of the three kinds of line in a recording."""
    return {m.__name__: m.model_json_schema() for m in (Header, Event, Closing)}


def dump_line(record: BaseModel) -> bytes:
    """One line of a recording, fields at their default left out."""
    return orjson.dumps(record.model_dump(mode="json", exclude_defaults=True)) + b"\n"


def dump_header(header: Header) -> bytes:
    """The first line; the version is written even though it is the default."""
    body = header.model_dump(mode="json", exclude_defaults=True)
    return orjson.dumps({"odokit_recording": header.odokit_recording, **body}) + b"\n"


def write_recording(path: Path, trajectory: Trajectory) -> None:
    """Write a recording whole or not at all; zstd-compressed when the name ends in `.zst`."""
    events = trajectory.events
    counts = Counter(str(event.kind) for event in events)
    closing = Closing(
        end=True,
        n_events=len(events),
        counts=counts,
        gaps=trajectory.gaps,
        health=trajectory.health,
    )
    data = b"".join([dump_header(trajectory.header), *map(dump_line, events), dump_line(closing)])
    if path.suffix == ".zst":
        data = zstandard.ZstdCompressor(level=12).compress(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(data)
    partial.replace(path)


def read_recording(path: Path) -> Trajectory:
    """Read a recording and check every line.

    Raises:
        RecordError: The file is missing, truncated or malformed; the message names the file, the
            line, the field and what to do.
    """
    if path.suffix == ".partial":
        raise RecordError(
            f"{path} is the journal of a session that was killed or still runs, not a recording. "
            f"`odokit record --recover {path}` makes one of what was flushed."
        )
    lines = _numbered_lines(path)
    first = next(lines, None)
    if first is None:
        raise RecordError(f"{path} is empty: delete it and record the demonstration again.")
    header = _parse(Header, path, *first)
    if header.odokit_recording > FORMAT_VERSION:
        raise RecordError(
            f"{path}, line 1, field odokit_recording: version {header.odokit_recording} is newer "
            f"than this odokit reads ({FORMAT_VERSION}). Update odokit."
        )
    if header.odokit_recording < 1:
        raise RecordError(
            f"{path}, line 1, field odokit_recording: there is no version "
            f"{header.odokit_recording}. Restore the file or record again."
        )
    events: list[Event] = []
    for number, raw in lines:
        if raw.startswith(b'{"end":'):
            closing = _parse(Closing, path, number, raw)
            _check_closing(path, number, closing, events)
            if next(lines, None) is not None:
                raise RecordError(f"{path}, line {number + 1}: there are lines after the end line.")
            return Trajectory(header, tuple(events), closing.gaps, closing.health)
        event = _parse(Event, path, number, raw)
        if event.idx != len(events):
            raise RecordError(
                f"{path}, line {number}, field idx: expected {len(events)}, found {event.idx}. "
                "A line is missing or doubled; restore the file or record again."
            )
        _check_values(path, number, event)
        events.append(event)
    raise RecordError(
        f"{path}, after line {len(events) + 1}: the closing line is missing, so the recording was "
        "cut short. `odokit record --recover FILE` keeps what was flushed; else record again."
    )


def _check_values(path: Path, number: int, event: Event) -> None:
    """Refuse values that no recorder writes and that would fail somewhere further on."""
    request, response, snapshot = event.request, event.response, event.snapshot
    addresses = {name: getattr(event, name) for name in ("url", "from_url", "to_url")}
    bodies = {"response.body": response.body if response else None}
    if request is not None:
        addresses["request.url"] = request.url
        bodies["request.body"] = request.body
    faults = {name: "is no address" for name, text in addresses.items() if not is_address(text)}
    faults |= {
        name: f"is nested deeper than {MAX_DEPTH} levels"
        for name, body in bodies.items()
        if not is_shallow(body)
    }
    if snapshot is not None and not SNAPSHOT_HASH.fullmatch(snapshot):
        faults["snapshot"] = "is no content hash (32 hexadecimal digits)"
    for name, fault in faults.items():
        raise RecordError(
            f"{path}, line {number}, field {name}: it {fault}. Mend the line or record again."
        )


def is_shallow(value: Any) -> bool:
    """Whether a JSON value is nested at most `MAX_DEPTH` deep, so that it can be written again."""
    layer = [value]
    for _ in range(MAX_DEPTH + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return True
    return False


def is_address(text: str) -> bool:
    """Whether a text can be taken apart as a URL, relative or empty ones included."""
    try:
        urlsplit(text)
    except ValueError:
        return False
    return True


def recover_recording(path: Path) -> Trajectory:
    """Read what a killed session had flushed to its `.partial` journal.

    A journal repeats an event's line when its response arrives, so the last line of an index wins;
    a line cut in the middle ends it.

    Raises:
        RecordError: Not even the header was written.
    """
    lines = list(_numbered_lines(path))
    if not lines:
        raise RecordError(f"{path} is empty: nothing was flushed, record again.")
    header = _parse(Header, path, *lines[0])
    events: dict[int, Event] = {}
    for number, raw in lines[1:]:
        try:
            event = _parse(Event, path, number, raw)
        except RecordError:
            break
        events[event.idx] = event
    ordered = sorted(events.values(), key=lambda e: e.t_ms)
    numbered = tuple(e.model_copy(update={"idx": n}) for n, e in enumerate(ordered))
    return Trajectory(header, numbered, ("recovered from the journal of a killed session",))


def _check_closing(path: Path, number: int, closing: Closing, events: list[Event]) -> None:
    if closing.n_events != len(events):
        raise RecordError(
            f"{path}, line {number}, field n_events: says {closing.n_events}, but {len(events)} "
            "events precede it. Restore the file or record again."
        )


def _numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        data = path.read_bytes()
        if path.suffix == ".zst":
            decoder = zstandard.ZstdDecompressor().decompressobj()
            data = decoder.decompress(data)
            if not decoder.eof:  # the decoder gives what it has and does not complain
                raise zstandard.ZstdError("it ends too early")
            if decoder.unused_data:
                raise zstandard.ZstdError("something follows its end")
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    except zstandard.ZstdError as error:
        raise RecordError(
            f"{path} is not a whole zstd file ({error}). Restore it or record again."
        ) from error
    for number, line in enumerate(data.splitlines(), start=1):
        if len(line) > MAX_LINE_BYTES:
            raise RecordError(f"{path}, line {number}: longer than {MAX_LINE_BYTES} bytes.")
        if line.strip():
            yield number, line


def _parse(model: type[M], path: Path, number: int, raw: bytes) -> M:
    try:
        return model.model_validate(orjson.loads(raw))
    except orjson.JSONDecodeError as error:
        raise RecordError(
            f"{path}, line {number}: not JSON ({error}). Restore the file or record again."
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "(whole line)"
        raise RecordError(
            f"{path}, line {number}, field {field}: {first['msg']}. "
            "Mend the line by the schema (`odokit schema recording`) or record again."
        ) from error
