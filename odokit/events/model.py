"""Events, their parts, and the trajectory they make up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from odokit.events.kinds import GESTURE_VERBS, KIND_SPECS, VERBS, EventKind, Gesture

FORMAT_VERSION = 2
"""2 added gestures, drops, files, dialogs, downloads, tabs, initiators and the health report."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Peers(_Record):
    """How an element stood among those of its role when it was acted on."""

    twins: int = 0
    """Others of the same role, tag and name."""
    kin: int = 0
    """Those of them that lie in the same named regions."""
    names: tuple[str, ...] = ()
    """What the others of its role are called, cut at 60 characters."""
    near: str = ""
    """The nearest text beside its own, or beside its twins' where it has some, cut."""


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
    peers: Peers | None = None
    """Who could be taken for it; None when it was recorded without looking."""


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


class FileInfo(_Record):
    """A file a user chose; never its content or its folder."""

    name: str
    """File name."""
    size: int
    """Bytes."""


class Dialog(_Record):
    """A dialog of the browser and what the person answered."""

    type: str
    """alert, confirm, prompt or beforeunload."""
    message: str
    """What it said."""
    accepted: bool
    """Whether it was accepted; an alert always is."""
    text: str = ""
    """What was entered into a prompt."""


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
    initiator: str = ""
    """Address, line and column of the script that sent it; empty for a form, or when not known."""


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
    """Text after the entry (a line feed at its end is the Enter key), the chosen label, the names
    of chosen files, or the key combination of a key gesture as in `Control+Shift+K`."""
    gesture: Gesture = Gesture.CLICK
    """How it was clicked (click)."""
    drop: Element | None = None
    """Where a drag ended (gesture drag)."""
    drop_at: tuple[float, float] | None = None
    """Where inside `drop`, as shares of its width and height from 0 to 1."""
    files: tuple[FileInfo, ...] = ()
    """The files chosen (data entry in a file field)."""
    dialogs: tuple[Dialog, ...] = ()
    """Dialogs the interaction raised, in order, with the person's answers."""
    download: str = ""
    """File name suggested by the download the interaction began."""
    tab: Annotated[int, Field(ge=0)] = 0
    """Number of the page (tab or popup) it happened in, in opening order from 0."""
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

    @model_validator(mode="after")
    def _carries_what_its_gesture_needs(self) -> Event:
        if self.gesture is not Gesture.CLICK and self.kind is not EventKind.CLICK:
            raise ValueError(f"only a click has a gesture, not a {self.kind} event")
        if self.gesture is Gesture.DRAG and self.drop is None:
            raise ValueError("a drag needs the field 'drop'")
        if self.gesture is Gesture.KEY and not self.value:
            raise ValueError("a key gesture needs the field 'value'")
        return self

    @property
    def verb(self) -> str:
        """What the person did, such as `click` or `press Enter in`; interactions only."""
        gesture = GESTURE_VERBS.get(self.gesture)
        return gesture.format(key=self.value) if gesture else VERBS[self.kind]


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


class Gap(_Record):
    """Something the recorder saw and could not record."""

    what: str
    """What it was, such as `a canvas was clicked`."""
    where: str = ""
    """On which element of which page."""
    n: Annotated[int, Field(ge=1)] = 1
    """How often."""

    def __str__(self) -> str:
        """The gap in one line."""
        place = f" {self.where}" if self.where else ""
        return f"{self.what}{place}" + (f" ({self.n} times)" if self.n > 1 else "")


class SelfTest(_Record):
    """Whether capture was found to work on a page when recording began there."""

    url: str
    """Address of the page."""
    failed: tuple[str, ...] = ()
    """The parts that do not work; empty when all do."""


class Health(_Record):
    """How far a recording can be trusted."""

    counts: dict[str, int] = Field(default_factory=dict)
    """Events by kind."""
    gaps: tuple[Gap, ...] = ()
    """What was seen and could not be recorded."""
    self_tests: tuple[SelfTest, ...] = ()
    """One for each page that was tested."""
    n_snapshots: int = 0
    """Number of different page snapshots."""
    snapshot_bytes: int = 0
    """Their size on disk in bytes."""

    @property
    def is_sound(self) -> bool:
        """Whether something was recorded, nothing was missed and every self-test passed."""
        return bool(self.counts) and not self.gaps and not any(t.failed for t in self.self_tests)


class Closing(_Record):
    """Last line of a complete recording."""

    end: bool
    """Always true."""
    n_events: int
    """Number of event lines."""
    counts: dict[str, int] = Field(default_factory=dict)
    """Events by kind."""
    gaps: tuple[str, ...] = ()
    """What the recorder saw but could not record, in words."""
    health: Health | None = None
    """The recorder's report; None in recordings of version 1."""


@dataclass(frozen=True)
class Trajectory:
    """A recorded demonstration or execution: header and events in time order."""

    header: Header
    events: tuple[Event, ...]
    gaps: tuple[str, ...] = ()
    health: Health | None = None

    @property
    def id(self) -> str:
        """The trajectory's id."""
        return self.header.trajectory_id

    def event_id(self, idx: int) -> str:
        """Id of an event: trajectory id and index joined by `#` (paper, section III-B)."""
        return f"{self.id}#{idx}"
