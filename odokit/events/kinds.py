"""The ten event kinds, and the gestures a click may be.

Source: paper, section III-A and Table II; `fixed` and `free` are its two parameter columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


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


class Gesture(StrEnum):
    """How an element was used when it was not filled in; the kind of all of them is `click`."""

    CLICK = "click"
    DOUBLE = "double"
    CONTEXT = "context"
    """The secondary button, or the key that opens a context menu."""
    HOVER = "hover"
    """The pointer rested on it, and what appeared was used."""
    DRAG = "drag"
    """It was dragged to the event's `drop`."""
    KEY = "key"
    """A key combination, the event's `value`, was pressed while it had the focus."""


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

VERBS = {
    EventKind.CLICK: "click",
    EventKind.DATA_ENTRY: "enter",
    EventKind.RICH_TEXT: "write",
    EventKind.CHECKBOX: "set",
    EventKind.RADIO: "choose",
    EventKind.SELECT: "select",
}
GESTURE_VERBS = {
    Gesture.DOUBLE: "double-click",
    Gesture.CONTEXT: "open the context menu of",
    Gesture.HOVER: "point at",
    Gesture.DRAG: "drag",
    Gesture.KEY: "press {key} in",
}
"""What a person does, in words, where a click is more than a click."""
