"""The ten event kinds, the trajectory, and the recording file that carries them.

A recording is a file of JSON lines (plain or zstd-compressed): a header, one line an event, and a
closing line that proves the recording is whole. Snapshots are referred to by content hash and live
beside the recordings (`record.snapshots`). `recording_schema()` gives the JSON schema.

Source: paper, section III-A and Table II; `fixed` and `free` are its two parameter columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import orjson
import zstandard
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from odokit.errors import RecordError

FORMAT_VERSION = 1
MAX_LINE_BYTES = 32 * 1024 * 1024

M = TypeVar("M", bound=BaseModel)


class EventKind(StrEnum):
    """What happened: six things a user does, four things an application does."""

    CLICK = "click"
    DATA_ENTRY = "data_entry"
    RICH_TEXT = "rich_text"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    SELECT = "select"
    REST_CALL = "rest_call"
    GRAPHQL_MUTATION = "graphql_mutation"
    LOCATION = "location"
    DOM_EFFECT = "dom_effect"

    @property
    def is_interaction(self) -> bool:
        """Whether a user (or an agent) causes it directly."""
        return self in INTERACTIONS

    @property
    def is_write(self) -> bool:
        """Whether it is a request that may change the application's data."""
        return self in WRITES


@dataclass(frozen=True)
class KindSpec:
    """What an event of a kind must carry, and which parameters are fixed or free (Table II)."""

    required: tuple[str, ...]
    fixed: tuple[str, ...]
    free: tuple[str, ...]


KIND_SPECS: dict[EventKind, KindSpec] = {
    EventKind.CLICK: KindSpec(("element",), ("base_path", "xpath", "text"), ()),
    EventKind.DATA_ENTRY: KindSpec(("element", "value"), ("base_path", "xpath"), ("value",)),
    EventKind.RICH_TEXT: KindSpec(("element", "value"), ("base_path", "xpath"), ("value",)),
    EventKind.CHECKBOX: KindSpec(("element", "checked"), ("base_path", "xpath"), ("checked",)),
    EventKind.RADIO: KindSpec(("element", "options"), ("base_path", "group"), ("value",)),
    EventKind.SELECT: KindSpec(("element", "options"), ("base_path", "xpath"), ("value",)),
    EventKind.REST_CALL: KindSpec(("request",), ("method", "path"), ("body",)),
    EventKind.GRAPHQL_MUTATION: KindSpec(("request",), ("operation",), ("variables",)),
    EventKind.LOCATION: KindSpec(("to_url",), ("path",), ()),
    EventKind.DOM_EFFECT: KindSpec(("effects",), ("neighbours",), ()),
}
INTERACTIONS = frozenset(list(EventKind)[:6])
WRITES = frozenset({EventKind.REST_CALL, EventKind.GRAPHQL_MUTATION})


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Element(_Record):
    """The element a user acted on, described by what survives a redesign and by where it stood."""

    tag: str
    """Lower-case tag name."""
    xpath: str
    """Absolute xpath; `[n]` only where a sibling of the same tag exists."""
    role: str = ""
    """Explicit or implicit ARIA role."""
    name: str = ""
    """Accessible name."""
    text: str = ""
    """Visible text, white space folded, at most 200 characters."""
    attributes: dict[str, str] = Field(default_factory=dict)
    """The attributes kept by the recorder (id, name, type, href, aria-*, ...)."""
    landmarks: tuple[str, ...] = ()
    """Named regions from the document down, as `role:name`."""
    frame: tuple[str, ...] = ()
    """Xpaths of the iframes that lead to the element, outermost first."""
    shadow: tuple[str, ...] = ()
    """Xpaths of the open shadow hosts that lead to it, outermost first."""
    html: str = ""
    """Opening tag and content, filtered, at most 2,000 characters."""


class Option(_Record):
    """One choice of a radio group or a select."""

    value: str
    """What the form sends."""
    label: str
    """What the user reads."""
    selected: bool = False
    """Whether it is chosen after the event."""
    xpath: str = ""
    """Absolute xpath of the option or radio button."""


class Request(_Record):
    """A request that is not a GET."""

    method: str
    """HTTP method, upper case, `_method` overrides applied."""
    url: str
    """Full URL, secrets redacted."""
    content_type: str = ""
    """Media type without parameters."""
    body: Any = None
    """Parsed JSON, form fields, or text; secrets redacted."""
    operation: str = ""
    """GraphQL operation name, empty for REST."""
    resource_type: str = ""
    """fetch, xhr, document, ..."""


class Response(_Record):
    """What the application answered."""

    status: int
    """HTTP status; 0 when the request failed or was blocked."""
    body: Any = None
    """Parsed JSON of at most 64 kB, else None; secrets redacted."""
    location: str = ""
    """Redirect target, if any."""


class Effect(_Record):
    """A part of the page that came, went, appeared or vanished."""

    action: str
    """added, removed, shown or hidden."""
    xpath: str
    """Absolute xpath, before removal for removed nodes."""
    tag: str
    """Lower-case tag name."""
    text: str = ""
    """Visible text, at most 120 characters."""


class Event(_Record):
    """One event of a trajectory; `KIND_SPECS` says what each kind must carry."""

    kind: EventKind
    """Which of the ten kinds."""
    idx: Annotated[int, Field(ge=0)]
    """Position in the trajectory, from 0 without gaps."""
    t_ms: Annotated[float, Field(ge=0)]
    """Milliseconds since the recording began; requests carry the time they were sent."""
    url: str
    """Address of the page (top frame) when it happened."""
    element: Element | None = None
    """What was acted on (interactions)."""
    raw_target: str = ""
    """Xpath of the innermost node hit, when it differs from the element."""
    snapshot: str | None = None
    """Content hash of the filtered page at event time (before the action took effect)."""
    value: str | None = None
    """Text after the entry (a line feed at its end is the Enter key), or the chosen label."""
    checked: bool | None = None
    """State after the event (checkbox)."""
    group: str = ""
    """Radio group name."""
    editor_id: str = ""
    """Rich-text editor instance."""
    options: tuple[Option, ...] = ()
    """All choices (radio, select)."""
    request: Request | None = None
    """The request (writes)."""
    response: Response | None = None
    """The answer, None when none came before the recording ended."""
    from_url: str = ""
    """Address before (location)."""
    to_url: str = ""
    """Address after (location)."""
    effects: tuple[Effect, ...] = ()
    """What changed (DOM effect)."""

    @model_validator(mode="after")
    def _carries_what_its_kind_needs(self) -> Event:
        for name in KIND_SPECS[self.kind].required:
            if getattr(self, name) in (None, (), ""):
                # An entry may be emptied, so an empty value is a value.
                if name == "value" and self.value == "":
                    continue
                raise ValueError(f"a {self.kind} event needs the field '{name}'")
        return self


class Header(_Record):
    """First line of a recording."""

    odokit_recording: int = FORMAT_VERSION
    """Format version."""
    trajectory_id: str
    """Unique within a workspace."""
    task: str = ""
    """What was demonstrated, in the demonstrator's words."""
    values: dict[str, str] = Field(default_factory=dict)
    """Known parameter values of the task, by parameter name."""
    app: str = ""
    """Name of the application."""
    start_url: str = ""
    """Where the recording began."""
    started_at: str = ""
    """Aware UTC time, ISO 8601."""
    recorder: str = ""
    """Program and version that recorded."""


class Closing(_Record):
    """Last line of a complete recording."""

    end: bool
    """Always true."""
    n_events: int
    """Number of event lines."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Events by kind."""
    gaps: tuple[str, ...] = ()
    """What the recorder saw but could not record."""


@dataclass(frozen=True)
class Trajectory:
    """A recorded demonstration or execution: header and events in time order."""

    header: Header
    events: tuple[Event, ...]
    gaps: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The trajectory's id."""
        return self.header.trajectory_id

    def event_id(self, idx: int) -> str:
        """Id of an event: trajectory id and index joined by `#` (paper, section III-B)."""
        return f"{self.id}#{idx}"


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
    closing = Closing(end=True, n_events=len(events), counts=counts, gaps=trajectory.gaps)
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
    events: list[Event] = []
    for number, raw in lines:
        if raw.startswith(b'{"end":'):
            closing = _parse(Closing, path, number, raw)
            _check_closing(path, number, closing, events)
            if next(lines, None) is not None:
                raise RecordError(f"{path}, line {number + 1}: there are lines after the end line.")
            return Trajectory(header, tuple(events), closing.gaps)
        event = _parse(Event, path, number, raw)
        if event.idx != len(events):
            raise RecordError(
                f"{path}, line {number}, field idx: expected {len(events)}, found {event.idx}. "
                "A line is missing or doubled; restore the file or record again."
            )
        events.append(event)
    raise RecordError(
        f"{path}, after line {len(events) + 1}: the closing line is missing, so the recording was "
        "cut short. `odokit record --recover FILE` keeps what was flushed; else record again."
    )


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
