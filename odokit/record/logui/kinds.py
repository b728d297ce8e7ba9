"""Tell what kind of event a LogUI event is, and read its details as that kind has them."""

from __future__ import annotations

from odokit.errors import RecordError
from odokit.events import Gap
from odokit.record.logui.entries import Entry
from odokit.record.logui.format import (
    Action,
    Details,
    DomEffect,
    Editor,
    Envelope,
    Network,
    Radio,
    Select,
    parse_details,
)
from odokit.record.redact import SECRET_KEY

UNUSED = frozenset({"browserEvent", "statusEvent"})
"""Event types that say nothing about the application: window focus, scrolling, the session."""
EFFECTS = {"add": "added", "remove": "removed", "show": "shown", "hide": "hidden"}


class Click(Action):
    """Something was clicked."""


class Entered(Action):
    """A text was typed into a field: one event a keystroke."""


class Checkbox(Action):
    """A checkbox was set."""

    checked: bool
    """Its state after the event."""


def parse_kind(entry: Entry, envelope: Envelope) -> Details | Gap | None:
    """Read an event's details.

    Returns:
        Details of one kind; a gap when nobody knows the kind; None when it is of no use.

    Raises:
        RecordError: A field is missing or of the wrong type.
    """
    if envelope.event_type in UNUSED:
        return None
    model = _model(envelope)
    if model is None:
        name = envelope.event_details.get("name") or envelope.event_details.get("type") or "?"
        return Gap(what=f"unknown event {envelope.event_type}/{name}"[:200])
    details = parse_details(model, entry, envelope)
    if isinstance(details, DomEffect) and details.action not in EFFECTS:
        raise RecordError(
            f"{entry.where}, field eventDetails.action: {details.action!r} is none of "
            f"{', '.join(EFFECTS)}. Mend the entry or take it out."
        )
    return details


def _model(envelope: Envelope) -> type[Details] | None:
    details = envelope.event_details
    name, how = str(details.get("name", "")), str(details.get("type", ""))
    if envelope.event_type == "interactionEvent":
        if how == "click" or name.endswith("_CLICK"):
            return Click
        if name == "INPUT_CHANGE":
            return _TOGGLES.get(str(details.get("elementType", "")).lower(), Entered)
        return Select if name == "SELECT" else None
    if envelope.event_type == "customEvent":
        if name == "INPUT_CHANGE" and str(details.get("source", "")).lower() == "tinymce":
            return Editor
        return _APPLICATION.get(name)
    return None


_TOGGLES: dict[str, type[Details]] = {"radio": Radio, "checkbox": Checkbox}
_APPLICATION: dict[str, type[Details]] = {"NETWORK_EVENT": Network, "DOM_EFFECT": DomEffect}


def is_secret(action: Action) -> bool:
    """Whether what is typed into a field must not be stored."""
    node = action.element
    if "password" in (action.element_type.lower(), node.type.lower() if node else ""):
        return True
    return node is not None and bool(SECRET_KEY.search(f"{node.name} {node.id}"))
