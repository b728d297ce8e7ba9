"""Import what the browser extension exports.

An export is one file of JSON lines: a head, then the messages of pages and of the extension's
background as they came, then a closing line. They become a recording by the code that the
Playwright session uses, so that both hosts give the same events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from odokit.errors import RecordError
from odokit.events import MAX_LINE_BYTES, Header, Request, write_recording
from odokit.record.assemble import Assembler
from odokit.record.extension.frames import FrameTree
from odokit.record.extension.requests import KINDS, RequestLog, Sent
from odokit.record.frames import UNKNOWN
from odokit.record.health import health_lines
from odokit.record.network import classify_request
from odokit.record.snapshots import SnapshotFolder

EXPORT_SUFFIX = ".export.jsonl"
EXPORT_VERSION = 1
"""Version of the file; a newer one is refused."""
_ID = re.compile(r"[\w-]{1,64}")

M = TypeVar("M", bound=BaseModel)


class _Head(BaseModel):
    """First line."""

    odokit_export: int
    header: Header


class _Message(BaseModel):
    """A message of a page, or of the background (which has no document)."""

    model_config = ConfigDict(extra="forbid")

    tab: Annotated[int, Field(ge=0)]
    doc: str = ""
    edge: str = ""
    data: dict[str, Any]


class _Closing(BaseModel):
    """Last line."""

    end: bool
    n_lines: int
    is_complete: bool


def unpack_exports(folder: Path) -> list[Path]:
    """Make recordings of those exports in a folder that have none beside them yet.

    Returns:
        The new recordings.

    Raises:
        RecordError: An export cannot be imported; see `import_export`.
    """
    exports = sorted(folder.glob(f"*{EXPORT_SUFFIX}"))
    return [
        import_export(path, folder)
        for path in exports
        if not _recording(folder, _head(path).header).exists()
    ]


def import_export(path: Path, folder: Path) -> Path:
    """Turn an export into a recording.

    Args:
        path: The exported file.
        folder: Receives the recording and its snapshots.

    Returns:
        The recording.

    Raises:
        RecordError: The file is missing, cut short or malformed, or nothing was done in it; the
            message names file and line.
    """
    head = _head(path)
    book = Assembler(
        head.header,
        snapshots=SnapshotFolder(folder / "snapshots"),
        began=_milliseconds(path, head.header.started_at),
    )
    _Replay(path, book, head.header.start_url).run()
    book.close()
    trajectory = book.trajectory()
    if not any(event.kind.is_interaction for event in trajectory.events):
        health = "; ".join(health_lines(trajectory.health)) if trajectory.health else ""
        raise RecordError(
            f"{path} holds no click or entry, so nothing was imported. Its health report: {health}."
        )
    target = _recording(folder, head.header)
    write_recording(target, trajectory)
    return target


def _recording(folder: Path, header: Header) -> Path:
    return folder / f"{header.trajectory_id}.jsonl.zst"


def _head(path: Path) -> _Head:
    first = next(_lines(path), None)
    if first is None:
        raise RecordError(f"{path} is empty: export the recording again.")
    head = _parse(_Head, path, *first)
    if head.odokit_export > EXPORT_VERSION:
        raise RecordError(
            f"{path}, line 1, field odokit_export: version {head.odokit_export} is newer than this "
            f"odokit reads ({EXPORT_VERSION}). Update odokit."
        )
    if not _ID.fullmatch(head.header.trajectory_id):  # it becomes a file name
        raise RecordError(
            f"{path}, line 1, field header.trajectory_id: {head.header.trajectory_id!r} is no id; "
            "it may have letters, digits, `-` and `_`. Export the recording again."
        )
    return head


class _Replay:
    """Plays the messages of an export to an assembler."""

    def __init__(self, path: Path, book: Assembler, start_url: str) -> None:
        self._path = path
        self._book = book
        self._frames = FrameTree()
        self._requests = RequestLog()
        self._urls = {0: start_url}
        self._closing: _Closing | None = None

    def run(self) -> None:
        """Play them all."""
        # What became of a request, or where a frame stands, may be told after it mattered.
        for number, message in self._messages():
            self._try(number, self._look_ahead, message)
        due = self._requests.joined()
        for number, message in self._messages():
            if number in due:
                self._add_request(due[number])
            self._try(number, self._take, message)
        if self._closing is not None and not self._closing.is_complete:
            self._book.health.miss("the end: the browser ended before the recording did")

    def _messages(self) -> Iterator[tuple[int, _Message]]:
        n_read = 0
        for number, raw in _lines(self._path):
            if raw.startswith(b'{"end":'):
                self._closing = _parse(_Closing, self._path, number, raw)
                if self._closing.n_lines == n_read:
                    return
                break
            if number > 1:
                yield number, _parse(_Message, self._path, number, raw)
                n_read += 1
        raise RecordError(
            f"{self._path}, after line {n_read + 1}: lines are missing, so the file was cut short. "
            "Export the recording again."
        )

    def _try(self, number: int, work: Callable[[int, _Message], None], message: _Message) -> None:
        try:
            work(number, message)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RecordError(
                f"{self._path}, line {number}: the message is malformed ({error!r}). "
                "Export the recording again."
            ) from error

    def _look_ahead(self, number: int, message: _Message) -> None:
        kind = message.data["kind"]
        if kind == "frame":
            self._frames.take(message.edge, message.data)
        elif kind in KINDS:
            self._requests.take(number, message.tab, message.doc, message.data)

    def _take(self, _: int, message: _Message) -> None:
        data, tab = message.data, message.tab
        kind = data["kind"]
        if kind == "frame" or kind in KINDS:
            return  # looked at before
        if kind == "location":
            self._take_location(tab, data)
        elif kind == "download":
            self._take_download(tab, str(data["name"]))
        elif kind == "self_test":
            self._book.health.tested(str(data["url"]), [str(part) for part in data["failed"]])
        else:
            self._complete(message)
            self._book.take(message.doc, data, tab=tab)

    def _take_location(self, tab: int, data: dict[str, Any]) -> None:
        urls = {k: self._book.redactor.url(data[k]) for k in ("url", "from_url", "to_url")}
        self._urls[tab] = urls["to_url"]
        self._book.add(float(data["at"]), {"kind": data["kind"], "tab": tab, **urls})

    def _complete(self, message: _Message) -> None:
        for part in (message.data.get("element"), message.data.get("drop")):
            if part and UNKNOWN in part.get("frame", ()):
                part["frame"] = self._frames.complete(message.edge, part["frame"])
                message.data["url"] = self._urls.get(message.tab, message.data["url"])

    def _take_download(self, tab: int, name: str) -> None:
        cause = self._book.last_interaction(tab)
        if cause is None:
            self._book.health.miss("a download that no interaction began", name)
        else:
            self._book.amend(cause, download=name)

    def _add_request(self, sent: Sent) -> None:
        request = Request(
            method=sent.method,
            url=sent.url,
            content_type=sent.content_type,
            body=sent.body,
            resource_type=sent.resource_type,
            initiator=sent.initiator,
        )
        classified = classify_request(request, self._book.redactor)
        if classified is None:
            return
        kind, request = classified
        if not sent.is_told:
            self._book.health.miss(
                "what was in a request that no script of the page sent", sent.url
            )
        data = {
            "kind": kind,
            "url": self._book.redactor.url(sent.page_url),
            "request": request,
            "response": sent.response,
            "tab": sent.tab,
        }
        self._book.add(sent.at, data)


def _milliseconds(path: Path, started_at: str) -> float:
    try:
        return datetime.fromisoformat(started_at).timestamp() * 1000
    except ValueError as error:
        raise RecordError(
            f"{path}, line 1, field header.started_at: {started_at!r} is no time. Export it again."
        ) from error


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with path.open("rb") as file:
            for number, raw in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
                if len(raw) > MAX_LINE_BYTES:
                    raise RecordError(f"{path}, line {number}: longer than {MAX_LINE_BYTES} bytes.")
                yield number, raw
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}. Check the path.") from error


def _parse(model: type[M], path: Path, number: int, raw: bytes) -> M:
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "(whole line)"
        raise RecordError(
            f"{path}, line {number}, field {field}: {first['msg']}. Export the recording again."
        ) from error
