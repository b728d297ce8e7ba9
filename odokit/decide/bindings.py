"""How a recorded text depends on the task's values, and the text for a new task.

`"Select Ada Byron"` with the value `learner = "Ada Byron"` is the pattern `"Select {learner}"`; a
user name `ada-byron` is `{learner|slug}`. A text without any value is a constant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from odokit.urls import slugify

TRANSFORMS: Mapping[str, Callable[[str], str]] = {
    "": str,
    "lower": str.lower,
    "slug": slugify,
    "compact": lambda text: re.sub(r"\W+", "", text).lower(),
    "first": lambda text: text.split()[0] if text.split() else "",
    "last": lambda text: text.split()[-1] if text.split() else "",
}
ON = frozenset("on yes true enable enabled allow allowed show shown visible check checked".split())
OFF = frozenset("off no false disable disabled forbid hide hidden uncheck unchecked".split())
MIN_CHARS = 2


@dataclass(frozen=True)
class Slot:
    """A place in a text that a task value fills.

    Attributes:
        name: The parameter.
        transform: Name of the transform it goes through.
    """

    name: str
    transform: str = ""

    def __str__(self) -> str:
        return f"{{{self.name}|{self.transform}}}" if self.transform else f"{{{self.name}}}"


@dataclass(frozen=True)
class Binding:
    """A recorded text as a pattern over task values.

    Attributes:
        parts: Literal texts and slots in order.
    """

    parts: tuple[str | Slot, ...]

    @property
    def pattern(self) -> str:
        """The text with `{parameter}` or `{parameter|transform}` slots."""
        return "".join(map(str, self.parts))

    @property
    def slots(self) -> tuple[str, ...]:
        """Parameters it depends on, in order of first occurrence."""
        return tuple(dict.fromkeys(part.name for part in self.parts if isinstance(part, Slot)))

    @property
    def is_constant(self) -> bool:
        """Whether it depends on no parameter."""
        return not self.slots

    def fill(self, values: Mapping[str, str]) -> str | None:
        """The text for new values; None when one it depends on is not given."""
        if any(slot not in values for slot in self.slots):
            return None
        return "".join(
            TRANSFORMS[part.transform](values[part.name]) if isinstance(part, Slot) else part
            for part in self.parts
        )


def bind_text(text: str, values: Mapping[str, str]) -> Binding:
    """Find the task values in a recorded text, longest first; else as a transform of the whole."""
    parts: list[str | Slot] = [text]
    for name, value in sorted(values.items(), key=lambda kv: -len(kv[1])):
        if value and (len(value) >= MIN_CHARS or text == value):
            parts = [new for part in parts for new in _with_slots(part, value, Slot(name))]
    if any(isinstance(part, Slot) for part in parts):
        return Binding(tuple(parts))
    for name, value in values.items():
        for transform, apply in TRANSFORMS.items():
            if len(text) >= MIN_CHARS and apply(value) == text:
                return Binding((Slot(name, transform),))
    return Binding((text,))


def _with_slots(part: str | Slot, value: str, slot: Slot) -> list[str | Slot]:
    """A literal with a slot in place of each whole-word occurrence of a value."""
    if isinstance(part, Slot):
        return [part]
    literals = re.split(rf"(?<!\w){re.escape(value)}(?!\w)", part)
    found: list[str | Slot] = []
    for literal in literals:
        found += [literal, slot] if literal else [slot]
    return found[:-1]


def bind_state(checked: bool, demonstrated: Mapping[str, str], values: Mapping[str, str]) -> bool:
    """The state of a checkbox for a new task.

    A parameter that says on or off in both tasks turns the state with it; else the state is the
    demonstrated one.
    """
    for name, old in demonstrated.items():
        was, now = polarity(old), polarity(values.get(name, ""))
        if was is not None and now is not None:
            return checked if was == now else not checked
    return checked


def polarity(text: str) -> bool | None:
    """Whether a word means on (True) or off (False); None when neither."""
    words = set(re.findall(r"[a-z]+", text.lower()))
    if len(words) > 2:
        return None
    if words & OFF:
        return False
    return True if words & ON else None
