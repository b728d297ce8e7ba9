"""What makes two events "the same": the key of the vertex an event belongs to.

Two rules. `paper` keys a click by base path, xpath and text, and so on (Table II). `fingerprint`
keys an interaction by what a person would recognise it by: page template, role, accessible name,
named regions; position counts only where nothing else tells elements apart. What varies with the
task (its parameter values, numbers) is blanked, so demonstrations with other values meet.

An interaction whose element is *named by a task value*, or sits in a list item that is, has a free
target: which element it is must be found again for each task.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from odokit.dom import Document
from odokit.events import Element, Event, EventKind, Gesture, Header
from odokit.substructure import (
    DynamicXpath,
    Pick,
    RepeatedList,
    decide_free,
    naming_value,
    read_pick,
)
from odokit.substructure.freedom import MIN_VALUE_CHARS

IDENTITIES = ("fingerprint", "paper")
ADDRESSES = frozenset({"page", "path", "base_path"})
"""Fixed parameters that are address templates."""
BLANK = "{}"
_QUOTED = re.compile(r"[\"“”']([^\"“”']{2,})[\"“”']")
_OPTIONS = frozenset({"option", "listitem", "menuitem", "menuitemradio", "treeitem"})
_OPENS = frozenset({"aria-haspopup", "aria-expanded", "aria-controls", "aria-owns"})
_MARKED = re.compile(r"(#|[A-Za-z])[.):]? \{\}")

PageLists = Callable[[str], tuple[Document, tuple[RepeatedList, ...]]]


@dataclass(frozen=True)
class FreeTarget:
    """How the element of an interaction depends on the task.

    Attributes:
        slot: Name of the task parameter whose value picks the element.
        by: `name` when the value is in the element's own name, `item` when in its list item's text.
        dynamic_xpath: The list it is picked from; None when the page showed no list.
    """

    slot: str
    by: str
    dynamic_xpath: DynamicXpath | None


@dataclass(frozen=True)
class Draft:
    """What makes up the key of an event's vertex, as far as its own trajectory tells.

    Attributes:
        kind: Event kind.
        parts: Fixed parameters by name; those in `ADDRESSES` hold a whole address still.
        free_target: How its element depends on the task, if it does.
    """

    kind: EventKind
    parts: tuple[tuple[str, str], ...]
    free_target: FreeTarget | None = None

    @classmethod
    def of(cls, event: Event, fixed: Mapping[str, str], free_target: FreeTarget | None) -> Draft:
        """The draft that an event's vertex was made from, by the vertex's fixed parameters."""
        address = event.request.url if event.request else event.to_url or event.url
        parts = {k: address if k in ADDRESSES else v for k, v in fixed.items()}
        return cls(event.kind, tuple(parts.items()), free_target)

    def fixed(self, template: Callable[[str], str]) -> dict[str, str]:
        """The fixed parameters, with addresses replaced by their templates."""
        return {k: template(v) if k in ADDRESSES else v for k, v in self.parts}


def task_values(header: Header) -> dict[str, str]:
    """Parameter values of a trajectory: as declared, else the quoted strings of its task."""
    if header.values:
        return dict(header.values)
    return {f"value_{i + 1}": text for i, text in enumerate(_QUOTED.findall(header.task))}


def blank_values(text: str, values: Mapping[str, str]) -> tuple[str, str | None]:
    """Blank task values and numbers in a text.

    Returns:
        The pattern, and the name of the (longest) parameter found in it, if any.
    """
    slot: str | None = None
    for name, value in sorted(values.items(), key=lambda kv: -len(kv[1])):
        if len(value) < MIN_VALUE_CHARS:
            continue
        pattern = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
        text, n = pattern.subn(BLANK, text)
        if n and slot is None:
            slot = name
    return re.sub(r"\d+", "#", text), slot


def paper_draft(event: Event) -> Draft:
    """Draft the key of an event by the paper's fixed parameters (Table II)."""
    element = event.element
    if element is None:
        return Draft(event.kind, _application_parts(event))
    parts = [("base_path", event.url)]
    if event.kind is EventKind.RADIO:
        parts.append(("group", event.group))
    else:
        parts.append(("xpath", element.xpath))
    if event.kind is EventKind.CLICK:
        parts.append(("text", element.text))
    return Draft(event.kind, (*parts, *_gesture_parts(event, {})))


def fingerprint_draft(
    event: Event, values: Mapping[str, str], free_target: FreeTarget | None, opener: str = ""
) -> Draft:
    """Draft the key of an event by role, name and region.

    Args:
        event: A timeline event that is not a DOM effect.
        values: Parameter values of the event's trajectory.
        free_target: What `find_free_target` says of it.
        opener: What `find_opener` says of it.
    """
    element = event.element
    if element is None:
        return Draft(event.kind, _application_parts(event))
    name = blank_values(element.name, values)[0]
    if free_target is not None and _MARKED.fullmatch(name):
        # "B {}": the mark tells where the option stood, and stands elsewhere in the next task.
        name = BLANK
    if event.kind is EventKind.RADIO:
        # The group is the control; which button is chosen is its free value.
        name = blank_values(event.group, values)[0]
    parts = {"page": event.url, "role": element.role or element.tag, "name": name}
    parts["regions"] = " > ".join(blank_values(mark, values)[0] for mark in element.landmarks)
    is_radio = event.kind is EventKind.RADIO
    if not name or (not is_radio and (free_target is not None or not element.role)):
        parts["shape"] = _shape(element)
    if opener:
        parts["opener"] = opener
    return Draft(event.kind, (*parts.items(), *_gesture_parts(event, values)), free_target)


def find_opener(
    event: Event, before: Event, values: Mapping[str, str], page_lists: PageLists | None
) -> str:
    """What opened the pop-up that an option was picked from; empty for what is no such option.

    Pop-ups of different controls hang at the same place of the page, and what their options are
    called depends on the task: only the control tells a birth year from a gender.

    Args:
        event: An interaction whose element has a free target.
        before: The interaction before it, on the same page.
        values: Parameter values of the trajectory.
        page_lists: Gives the parsed snapshot of a snapshot hash; None without snapshots.
    """
    element, control = event.element, before.element
    if element is None or control is None or element.role not in _OPTIONS:
        return ""
    if element.frame or any(map(_is_named, element.landmarks)):
        return ""
    says_so = control.role == "combobox" or not _OPENS.isdisjoint(control.attributes)
    if not says_so and not _appeared(element, before.snapshot, page_lists):
        return ""
    return blank_values(control.name, values)[0] or _shape(control)


def _appeared(element: Element, snapshot: str | None, page_lists: PageLists | None) -> bool:
    """Whether an element is not yet on a page, which shows what was before its action."""
    if page_lists is None or not snapshot:
        return False
    document = page_lists(snapshot)[0]
    there = document.find(element.xpath)
    return there is None or element.text not in document.text(there)


def _is_named(landmark: str) -> bool:
    return bool(landmark.partition(":")[2])


def _application_parts(event: Event) -> tuple[tuple[str, str], ...]:
    if event.kind is EventKind.LOCATION:
        return (("path", event.to_url),)
    if event.request is None:
        return ()
    parts = {"method": event.request.method, "path": event.request.url}
    if event.request.operation:
        parts["operation"] = event.request.operation
    return tuple(parts.items())


def _gesture_parts(event: Event, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """How something was clicked, where it was not just clicked, and where a drag ended."""
    if event.kind is not EventKind.CLICK or event.gesture is Gesture.CLICK:
        return ()
    parts = {"gesture": event.gesture.value}
    if event.gesture is Gesture.KEY:
        parts["key"] = event.value or ""
    if event.drop is not None:
        parts["drop"] = blank_values(event.drop.name or _shape(event.drop), values)[0]
    return tuple(parts.items())


def find_free_target(
    event: Event, values: Mapping[str, str], page_lists: PageLists | None
) -> FreeTarget | None:
    """How the element of an interaction depends on the task, None when it does not.

    Only the event's own trajectory and snapshot count, so that a model grows in any order.

    Args:
        event: A timeline event.
        values: Parameter values of its trajectory.
        page_lists: Gives parsed snapshot and lists for a snapshot hash; None without snapshots.
    """
    if event.element is None or event.kind is EventKind.RADIO:
        return None
    pick = read_event_pick(event, event.element, values, page_lists)
    naming = naming_value(pick)
    if naming is None or not decide_free([pick]).is_free:
        return None
    value, by = naming
    slot = next(name for name, told in values.items() if told == value)
    # A row that is told without the others is not picked from the list further out.
    is_listed = by == "name" or bool(pick.others)
    return FreeTarget(slot, by, pick.chosen if is_listed else None)


def read_event_pick(
    event: Event, element: Element, values: Mapping[str, str], page_lists: PageLists | None
) -> Pick:
    """Read off an event's snapshot what it picked and from what.

    Args:
        event: An interaction.
        element: What it was done to.
        values: Parameter values of its trajectory.
        page_lists: Gives parsed snapshot and lists for a snapshot hash; None without snapshots.
    """
    told = tuple(values.values())
    if page_lists is None or not event.snapshot or element.frame:
        return Pick(element.name, values=told)
    document, found = page_lists(event.snapshot)
    return read_pick(document, found, element.xpath, name=element.name, values=told)


def _shape(element: Element) -> str:
    """Tags of the nearest ancestors, without positions, and what a nameless control is called."""
    tags = re.sub(r"\[\d+\]", "", element.xpath).split("/")[-4:]
    called = element.attributes.get("name", "") if not element.name else ""
    return "/".join(tags) + (f"@{called}" if called else "")
