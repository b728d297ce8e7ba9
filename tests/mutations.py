"""Recordings and flight logs spoilt at random, and what may be said about each.

Everything follows from the seed. A mutation changes a folder with one recording `victim.jsonl` (or
a log) and says which line and field it touched, so that a refusal can be held against it.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import zstandard

HUGE = 5_000_000
DEEP = 3_000

Lines = list[bytes]


@dataclass(frozen=True)
class Mutation:
    """What was done to a recording.

    Attributes:
        name: Kind of mutation.
        line: The line touched, None when it is about the file as a whole.
        field: The outermost field touched, empty when it is not about one.
    """

    name: str
    line: int | None = None
    field: str = ""


def mutate_recording(folder: Path, seed: int) -> Mutation:
    """Spoil the recording `victim.jsonl` of a folder, or the snapshots beside it."""
    rng = random.Random(seed)
    name = rng.choice(sorted(MUTATIONS))
    return MUTATIONS[name](rng, folder)


def victim(folder: Path) -> Path:
    """The recording to spoil."""
    return folder / "victim.jsonl"


def _lines(folder: Path) -> Lines:
    return victim(folder).read_bytes().splitlines()


def _write(folder: Path, lines: Lines, end: bytes = b"\n") -> None:
    victim(folder).write_bytes(b"".join(line + end for line in lines))


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a JSON value something stands that can be replaced."""
    items: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    return [p for key, inner in items for p in ((*path, key), *_paths(inner, (*path, key)))]


def _set(value: Any, path: tuple[Any, ...], new: Any) -> None:
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def _raw(value: Any) -> bytes:
    """JSON with numbers and texts that orjson itself would not write."""
    marks: Mapping[str, bytes] = {
        "@NaN": b"NaN",
        "@Infinity": b"Infinity",
        "@1e400": b"1e400",
        "@surrogate": b'"\\ud800"',
        "@NUL": b'"a\\u0000b"',
        "@rawNUL": b'"a\x00b"',
        "@notUTF8": b'"\xff\xfe"',
        "@deep": b"[" * DEEP + b"]" * DEEP,
        "@deepish": b'{"a":' * 400 + b"1" + b"}" * 400,
        "@bigint": b"123456789012345678901234567890",
    }
    text = orjson.dumps(value)
    for mark, raw in marks.items():
        text = text.replace(orjson.dumps(mark), raw)
    return text


WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 3.5, 10**18, 1e308, "", "x", [], {}, [[]], {"a": 1}, [None],
    "@NaN", "@Infinity", "@1e400", "@surrogate", "@NUL", "@rawNUL", "@notUTF8", "@deep",
    "@deepish", "@bigint",
    "http://[", "../../../../etc/passwd", "*", "\u202e\ufeff", "<script>alert(1)</script>",
    "'; DROP TABLE event; --", "{{secret:x}}", "0" * 32,
)  # fmt: skip


def _field(rng: random.Random, folder: Path) -> Mutation:
    """Replace any value of any line by something else."""
    lines = _lines(folder)
    at = rng.randrange(len(lines))
    record = orjson.loads(lines[at])
    path = rng.choice(_paths(record))
    _set(record, path, rng.choice(WRONG))
    lines[at] = _raw(record)
    _write(folder, lines)
    return Mutation("field", at + 1, str(path[0]))


def _huge(rng: random.Random, folder: Path) -> Mutation:
    lines = _lines(folder)
    at = rng.randrange(len(lines) - 1)
    record = orjson.loads(lines[at])
    path = rng.choice(_paths(record))
    _set(record, path, "x" * HUGE)
    lines[at] = orjson.dumps(record)
    _write(folder, lines)
    return Mutation("huge", at + 1, str(path[0]))


def _extra(rng: random.Random, folder: Path) -> Mutation:
    lines = _lines(folder)
    at = rng.randrange(len(lines))
    lines[at] = orjson.dumps(orjson.loads(lines[at]) | {"surprise": 1})
    _write(folder, lines)
    return Mutation("extra", at + 1, "surprise")


def _lost_field(rng: random.Random, folder: Path) -> Mutation:
    lines = _lines(folder)
    at = rng.randrange(len(lines))
    record = orjson.loads(lines[at])
    key = rng.choice(list(record))
    del record[key]
    lines[at] = orjson.dumps(record)
    _write(folder, lines)
    return Mutation("lost field", at + 1)


def _clock(rng: random.Random, folder: Path) -> Mutation:
    """Let the clock jump backwards, forwards, or below zero from some event on."""
    lines = _lines(folder)
    at = rng.randrange(1, len(lines) - 1)
    jump = rng.choice([-1e9, -5_000.0, -250.0, 5_000.0, 1e12])
    for i in range(at, len(lines) - 1):
        record = orjson.loads(lines[i])
        floor = 0.0 if rng.random() < 0.7 else -1e15
        record["t_ms"] = max(floor, record["t_ms"] + jump)
        lines[i] = orjson.dumps(record)
    _write(folder, lines)
    return Mutation("clock", None, "t_ms")


def _truncate(rng: random.Random, folder: Path) -> Mutation:
    data = victim(folder).read_bytes()
    victim(folder).write_bytes(data[: rng.randrange(len(data))])
    return Mutation("truncate")


def _bytes(rng: random.Random, folder: Path) -> Mutation:
    """Overwrite, insert or remove a few bytes anywhere."""
    data = bytearray(victim(folder).read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        junk = bytes(rng.choices((0, 10, 13, 34, 92, 123, 125, 255), k=rng.randint(0, 3)))
        data[at : at + rng.randint(0, 3)] = junk
    victim(folder).write_bytes(bytes(data))
    return Mutation("bytes")


def _order(rng: random.Random, folder: Path) -> Mutation:
    """Double, drop, swap, or repeat lines."""
    lines = _lines(folder)
    at = rng.randrange(len(lines) - 1)
    how = rng.randrange(4)
    if how == 0:
        lines.insert(at, lines[at])
    elif how == 1:
        del lines[at]
    elif how == 2:
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        lines += lines
    _write(folder, lines)
    return Mutation("order")


def _ends(rng: random.Random, folder: Path) -> Mutation:
    """Mix line ends, add empty lines and a byte-order mark."""
    ends = (b"\n", b"\r\n", b"\r", b"\n\n", b" \n")
    data = b"".join(line + rng.choice(ends) for line in _lines(folder))
    mark = b"\xef\xbb\xbf" if rng.random() < 0.3 else b""
    victim(folder).write_bytes(mark + data)
    return Mutation("ends")


def _compression(rng: random.Random, folder: Path) -> Mutation:
    """Let the name promise a compression that the file does not have, or break it."""
    path = victim(folder)
    data = path.read_bytes()
    packed = zstandard.compress(data)
    choices: list[Callable[[], bytes]] = [
        lambda: data,
        lambda: packed[: rng.randrange(len(packed))],
        lambda: packed + b"junk",
        lambda: packed + packed,
        lambda: zstandard.compress(packed),
        lambda: packed[:20] + bytes([packed[20] ^ 255]) + packed[21:],
    ]
    path.unlink()
    path.with_suffix(".jsonl.zst").write_bytes(rng.choice(choices)())
    if rng.random() < 0.2:
        path.write_bytes(packed)
        path.with_suffix(".jsonl.zst").unlink()
    return Mutation("compression")


def _version(rng: random.Random, folder: Path) -> Mutation:
    lines = _lines(folder)
    header = orjson.loads(lines[0])
    header["odokit_recording"] = rng.choice([0, -1, 3, 10**9, "2", 2.5, None, True])
    lines[0] = orjson.dumps(header)
    _write(folder, lines)
    return Mutation("version", 1, "odokit_recording")


def _snapshots(rng: random.Random, folder: Path) -> Mutation:
    """Lose, empty, cut, swap or fake snapshot files; HTML that is none is still a snapshot."""
    files = sorted((folder / "snapshots").rglob("*.zst"))
    path = rng.choice(files)
    how = rng.randrange(6)
    if how == 0:
        path.unlink()
    elif how == 1:
        path.write_bytes(b"")
    elif how == 2:
        path.write_bytes(path.read_bytes()[:-4])
    elif how == 3:
        path.write_bytes(zstandard.compress(b"<p><<<\x00\xff not html"))
    elif how == 4:
        shutil.rmtree(folder / "snapshots")
    else:
        path.unlink()
        path.mkdir()
    return Mutation("snapshots")


def _duplicate(rng: random.Random, folder: Path) -> Mutation:
    """A second recording of the same id with other content."""
    lines = _lines(folder)
    header = orjson.loads(lines[0]) | {"task": "another"}
    (folder / "zz-copy.jsonl").write_bytes(b"\n".join([orjson.dumps(header), *lines[1:]]) + b"\n")
    return Mutation("duplicate")


MUTATIONS: Mapping[str, Callable[[random.Random, Path], Mutation]] = {
    "bytes": _bytes,
    "clock": _clock,
    "compression": _compression,
    "duplicate": _duplicate,
    "ends": _ends,
    "extra": _extra,
    # Several times, for it is a family of its own: every field times every wrong value.
    "field": _field,
    "field 2": _field,
    "field 3": _field,
    "field 4": _field,
    "huge": _huge,
    "lost field": _lost_field,
    "order": _order,
    "snapshots": _snapshots,
    "truncate": _truncate,
    "version": _version,
}


def mutate_log(path: Path, seed: int) -> Mutation:
    """Spoil a flight log that is one JSON array."""
    rng = random.Random(seed)
    name = rng.choice(sorted(LOG_MUTATIONS))
    return LOG_MUTATIONS[name](rng, path)


def _log_field(rng: random.Random, path: Path) -> Mutation:
    """Replace any value of an event, also inside of the strings that are JSON themselves."""
    entries = orjson.loads(path.read_bytes())
    at = rng.randrange(len(entries))
    where = rng.choice(_paths(entries[at]))
    inner = _get(entries[at], where)
    if isinstance(inner, str) and inner.startswith(("{", "[")) and rng.random() < 0.7:
        value = orjson.loads(inner)
        inside = _paths(value)
        if inside:
            _set(value, rng.choice(inside), rng.choice(WRONG))
        _set(entries[at], where, _raw(value).decode("utf-8", "replace"))
    else:
        _set(entries[at], where, rng.choice(WRONG))
    path.write_bytes(b"[" + b",\n\n".join(map(_raw, entries)) + b"]")
    return Mutation("field", at + 1, str(where[0]))


def _get(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def _log_lost(rng: random.Random, path: Path) -> Mutation:
    entries = orjson.loads(path.read_bytes())
    at = rng.randrange(len(entries))
    outer = entries[at]
    inner = outer["eventDetails"] if rng.random() < 0.6 else outer
    del inner[rng.choice(list(inner))]
    path.write_bytes(orjson.dumps(entries))
    return Mutation("lost field", at + 1)


def _log_clock(rng: random.Random, path: Path) -> Mutation:
    entries = orjson.loads(path.read_bytes())
    for entry in entries:
        if rng.random() < 0.3:
            year = rng.choice(["0001", "1969", "2026", "9999"])
            stamp = entry["timestamps"]["eventTimestamp"]
            entry["timestamps"]["eventTimestamp"] = year + stamp[4:]
    path.write_bytes(orjson.dumps(entries))
    return Mutation("clock")


def _log_bytes(rng: random.Random, path: Path) -> Mutation:
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data))
        junk = bytes(rng.choices((0, 10, 34, 44, 91, 92, 93, 123, 125, 255), k=rng.randint(0, 3)))
        data[at : at + rng.randint(0, 3)] = junk
    path.write_bytes(bytes(data))
    return Mutation("bytes")


def _log_cut(rng: random.Random, path: Path) -> Mutation:
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])
    return Mutation("cut")


def _log_order(rng: random.Random, path: Path) -> Mutation:
    entries = orjson.loads(path.read_bytes())
    rng.shuffle(entries)
    entries += rng.choices(entries, k=rng.randint(0, 3))
    path.write_bytes(orjson.dumps(entries))
    return Mutation("order")


LOG_MUTATIONS: Mapping[str, Callable[[random.Random, Path], Mutation]] = {
    "bytes": _log_bytes,
    "clock": _log_clock,
    "cut": _log_cut,
    "field": _log_field,
    "field 2": _log_field,
    "field 3": _log_field,
    "lost field": _log_lost,
    "order": _log_order,
}
