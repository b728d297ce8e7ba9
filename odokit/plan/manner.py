"""How an instruction's element is used, beside what is entered: gestures, keys, drops, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from odokit.decide import bind_text
from odokit.events import Dialog, Element, Event, Gesture
from odokit.navmodel import FreeTarget


@dataclass(frozen=True)
class Target:
    """How to recognise the element of an instruction.

    Attributes:
        element: As it was recorded.
        name: The accessible name to expect for this task; None when it depends on an unknown.
        free: Set when the element depends on the task.
        wanted: For a free target, the text that identifies it or its list item, if known.
        landmarks: The named regions to expect around it; None where that depends on an unknown.
        is_constant: Whether its name holds no value of the task, also none that happens to be the
            demonstrated one.
        near: The text to expect near it; None where it holds a value that is another one now, so
            that among its like the element is another one as well.
    """

    element: Element
    name: str | None
    free: FreeTarget | None
    wanted: str | None
    landmarks: tuple[str | None, ...]
    is_constant: bool
    near: str | None = ""


@dataclass(frozen=True)
class Answer:
    """What to answer when a dialog of the browser comes.

    Attributes:
        type: alert, confirm, prompt or beforeunload.
        is_accepted: Whether to accept it.
        text: What to enter into a prompt; None when that depends on an unknown.
    """

    type: str
    is_accepted: bool
    text: str | None


@dataclass(frozen=True)
class Manner:
    """How an element is used.

    Attributes:
        gesture: How it is clicked, if it is.
        keys: The key combination of a key gesture.
        drop: Where a drag ends.
        drop_at: Where inside that, as shares of its width and height from 0 to 1.
        is_file: Whether files are chosen, by name.
        answers: Dialogs to expect and what to answer, in order.
    """

    gesture: Gesture = Gesture.CLICK
    keys: str = ""
    drop: Target | None = None
    drop_at: tuple[float, float] = (0.5, 0.5)
    is_file: bool = False
    answers: tuple[Answer, ...] = ()


def make_target(
    event: Event, free: FreeTarget | None, old: Mapping[str, str], new: Mapping[str, str]
) -> Target:
    """Say how to recognise the element of an interaction for a task.

    Args:
        event: The demonstrated interaction.
        free: How its element depends on the task, if it does.
        old: Parameter values of the demonstration.
        new: Parameter values of the task.
    """
    assert event.element is not None
    wanted = new.get(free.slot) if free is not None else None
    return _target(event.element, free, wanted, old, new)


def make_manner(event: Event, old: Mapping[str, str], new: Mapping[str, str]) -> Manner:
    """Say how to use the element of an interaction for a task.

    Args:
        event: The demonstrated interaction.
        old: Parameter values of the demonstration.
        new: Parameter values of the task.
    """
    return Manner(
        gesture=event.gesture,
        keys=(event.value or "") if event.gesture is Gesture.KEY else "",
        drop=_target(event.drop, None, None, old, new) if event.drop is not None else None,
        drop_at=event.drop_at or (0.5, 0.5),
        is_file=bool(event.files),
        answers=tuple(_answer(dialog, old, new) for dialog in event.dialogs),
    )


def _answer(dialog: Dialog, old: Mapping[str, str], new: Mapping[str, str]) -> Answer:
    return Answer(dialog.type, dialog.accepted, bind_text(dialog.text, old).fill(new))


def _target(
    element: Element,
    free: FreeTarget | None,
    wanted: str | None,
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> Target:
    name = bind_text(element.name, old)
    landmarks = tuple(bind_text(mark, old).fill(new) for mark in element.landmarks)
    return Target(
        element=element,
        name=name.fill(new),
        free=free,
        wanted=wanted,
        landmarks=landmarks,
        is_constant=name.is_constant,
        near=_near(element, old, new),
    )


def _near(element: Element, old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """The recorded text near an element; None when it says a value that is another one now.

    A text that says the new value too offers both.
    """
    text = element.peers.near if element.peers else ""
    slots = bind_text(text, old).slots
    is_said = all(bind_text(text, {slot: new.get(slot, "")}).slots for slot in slots)
    return text if is_said else None
