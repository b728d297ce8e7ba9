"""The shape of a LogUI event: its envelope, and what each kind says in `eventDetails`.

Many fields are JSON written into a string; they are parsed where they are declared `Nested`. An
Elasticsearch index has flattened keys (`eventDetails_xpath`), which are folded back first.

Source: the public sources of LogUI's fork and of its readers; the project's reference, section 1.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

import orjson
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)
from pydantic.alias_generators import to_camel

from odokit.errors import RecordError
from odokit.events import is_address, is_shallow
from odokit.record.logui.entries import Entry

MAX_NODES = 10_000

D = TypeVar("D", bound="Details")


def _unwrap(value: Any) -> Any:
    """What a string of JSON says; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"the string is not JSON ({error})") from error


def _unwrap_body(value: Any) -> Any:
    """A body that is no JSON, or none that could be written again, is text."""
    try:
        body = _unwrap(value)
    except ValueError:
        return value
    if is_shallow(body):
        return body
    return value if isinstance(value, str) else None


def _check_address(value: str) -> str:
    if not is_address(value):
        raise ValueError("this is no address")
    return value


Nested = BeforeValidator(_unwrap)
Body = Annotated[Any, BeforeValidator(_unwrap_body)]
Text = Annotated[str, BeforeValidator(lambda v: "" if v is None else v)]
"""Properties that an element lacks are null, or left out."""
Address = Annotated[Text, AfterValidator(_check_address)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", alias_generator=to_camel)


class Stamps(_Part):
    """When it happened, by the clock of the browser."""

    event_timestamp: AwareDatetime
    """Time of the event; of a request, the time it was completed."""
    since_session_start_millis: Annotated[float, Field(ge=0, le=1e9)] | None = None
    """Milliseconds since the browser session began."""


class Pair(_Part):
    """A named value of an interaction's `metadata`."""

    name: str
    """`fieldValue`, `idAttribute` or `outerHTML`."""
    value: Any = None
    """What it is."""


class Envelope(_Part):
    """What every event has."""

    event_type: str
    """interactionEvent, customEvent, browserEvent or statusEvent."""
    event_details: dict[str, Any]
    """By kind."""
    session_id: Annotated[str | None, Field(alias="sessionID")] = None
    """Browser session."""
    flight_id: Annotated[str | None, Field(alias="flightID")] = None
    """Trajectory."""
    timestamps: Stamps | None = None
    """When."""
    metadata: Annotated[tuple[Pair, ...] | None, Nested] = None
    """Named values, only on interactions."""


class Page(_Part):
    """The whole document at the time of an event."""

    outer_html: Annotated[Text, Field(alias="outerHTML")] = ""
    """Its HTML, mostly without scripts and styles."""


class Node(_Part):
    """Properties of an element, as the DOM has them."""

    xpath: Text = ""
    """Absolute xpath."""
    base_uri: Annotated[Address, Field(alias="baseURI")] = ""
    """Address of its document."""
    local_name: Text = ""
    """Lower-case tag name."""
    type: Text = ""
    """Of an input."""
    name: Text = ""
    """Its `name` attribute."""
    id: Text = ""
    """Its `id` attribute."""
    label: Text = ""
    """Of an option."""
    selected: bool | None = None
    """Of an option."""
    outer_html: Annotated[Text, Field(alias="outerHTML")] = ""
    """Tag and content."""
    outer_text: Text = ""
    """Text as rendered."""
    text_content: Text = ""
    """All text."""


class Details(_Part):
    """What the details of every kind may have."""

    xpath: Text = ""
    """Absolute xpath of the element (of an editor: of its iframe)."""
    element: Annotated[Node | None, Nested] = None
    """The element."""
    dom_snapshot: Annotated[Page | None, Nested] = None
    """The page."""


class Action(Details):
    """An interaction: the element's xpath is a must."""

    xpath: Annotated[str, Field(pattern="^/")]
    """Absolute xpath of the element (of an editor: of its iframe)."""
    element_type: Text = ""
    """Of an input: text, radio, checkbox, ..."""
    checked: bool | None = None
    """Of a checkbox or radio button, after the event."""
    value: Any = None
    """Of an editor."""


class Member(_Part):
    """A radio button of the same group."""

    xpath: str
    """Absolute xpath."""
    element: Annotated[Node | None, Nested] = None
    """The button."""
    checked: bool = False
    """Whether it is chosen after the event."""
    value: Text = ""
    """What the form sends."""


class Radio(Action):
    """A radio button was chosen."""

    radio_group: str
    """Name of the group."""
    related_elements: Annotated[tuple[Member, ...], Nested, Field(min_length=1)]
    """All buttons of the group."""


class Choice(_Part):
    """An option of a select."""

    xpath: str
    """Absolute xpath."""
    element: Annotated[Node, Nested]
    """The option."""


class Select(Action):
    """An option was chosen."""

    options: Annotated[tuple[Choice, ...], Nested, Field(min_length=1)]
    """All options."""


class Editor(Action):
    """A text was written into an editor."""

    editor_id: Text = ""
    """The editor's instance."""
    editor_content: Text = ""
    """Its plain text."""


class Network(Details):
    """A request that was completed."""

    method: Annotated[str, Field(min_length=1)]
    """HTTP method."""
    url: Annotated[Address, Field(min_length=1)]
    """Full address."""
    time_stamp: Annotated[float, Field(ge=0, le=1e14)] | None = None
    """When it was sent, in milliseconds since 1970."""
    document_url: Address = ""
    """Address of the page that sent it."""
    type: Text = ""
    """xmlhttprequest, main_frame, ..."""
    request_body: Body = None
    """JSON, `{formData: {name: [value]}}`, or text."""
    request_headers: Annotated[Any, Nested] = None
    """A list of `{name, value}`, or a mapping."""
    response_headers: Annotated[Any, Nested] = None
    """The same of the answer."""
    response_body: Body = None
    """Parsed answer."""
    status_code: Annotated[int, Field(ge=0, le=999)] | None = None
    """Not in the logs seen so far; read when a build writes it."""


class DomEffect(Details):
    """A part of the page came, went, appeared or vanished."""

    action: str
    """add, remove, show or hide."""
    nodes: Annotated[tuple[Node, ...], Nested, Field(max_length=MAX_NODES)]
    """The parts."""


def parse_envelope(entry: Entry) -> Envelope:
    """Read an event's envelope, folding flattened keys back.

    Raises:
        RecordError: A field is missing or of the wrong type.
    """
    data = entry.data.get("_source", entry.data)
    return _validate(Envelope, entry, _unflatten(data) if isinstance(data, dict) else data)


def parse_details(model: type[D], entry: Entry, envelope: Envelope) -> D:
    """Read an event's details as a kind has them.

    Raises:
        RecordError: A field is missing or of the wrong type.
    """
    return _validate(model, entry, envelope.event_details, "eventDetails.")


P = TypeVar("P", bound=BaseModel)


def _validate(model: type[P], entry: Entry, data: Any, prefix: str = "") -> P:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        field = prefix + ".".join(map(str, first["loc"])) if first["loc"] else "(whole entry)"
        raise RecordError(
            f"{entry.where}, field {field}: {first['msg']}. Mend the entry or take it out."
        ) from error


def _unflatten(data: dict[str, Any]) -> dict[str, Any]:
    folded: dict[str, Any] = {}
    for key, value in data.items():
        outer, found, inner = key.partition("_")
        if found and outer in ("eventDetails", "timestamps"):
            part = folded.setdefault(outer, {})
            if isinstance(part, dict):
                part[inner] = value
        else:
            folded[key] = value
    return folded
