"""The values of a demonstration as named constants of a script, and texts that use them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Any

from odokit.record import PLACEHOLDER

MIN_INNER_CHARS = 3
"""Shorter values are recognised only where they are the whole text."""
VOLATILE = re.compile(r"\d{9,}|(?=.*\d)[0-9a-fA-F-]{8,}|\d{4}-\d\d-\d\d(?:T.*)?")
"""Ids, times and dates: another run sends others."""
ANY = "ANY"


class Parameters:
    """Gives values names.

    Args:
        values: The parameters of the task, by name.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        self._names: dict[str, str] = {}
        for name, value in values.items():
            if value and not PLACEHOLDER.search(value):
                self.name(value, name)

    @property
    def constants(self) -> dict[str, str]:
        """All values by the name of their constant, in the order of their naming."""
        return {name: value for value, name in self._names.items()}

    def name(self, value: str, hint: str) -> str:
        """The constant of a value; a new one is called after a hint."""
        if value not in self._names:
            word = re.sub(r"\W+", "_", hint).strip("_").upper() or "VALUE"
            word = f"VALUE_{word}" if not word[0].isalpha() or keyword.iskeyword(word) else word
            taken = {*self._names.values(), "ANY", "ORIGIN"}
            numbered = (f"{word}_{n}" for n in range(2, len(taken) + 3))
            self._names[value] = next(w for w in (word, *numbered) if w not in taken)
        return self._names[value]

    def text(self, text: str) -> str:
        """A Python expression for a text, in which known values and secrets are named."""
        parts: list[str] = []
        at = 0
        for found in self._pattern().finditer(text):
            if found.start() > at:
                parts.append(repr(text[at : found.start()]))
            secret = PLACEHOLDER.fullmatch(found[0])
            parts.append(f"secret({secret[1]!r})" if secret else self._names[found[0]])
            at = found.end()
        if at < len(text) or not parts:
            parts.append(repr(text[at:]))
        return " + ".join(parts)

    def expected(self, value: Any) -> str:
        """A Python expression for what a request must carry; `ANY` for what changes by the run."""
        if isinstance(value, dict):
            items = (f"{key!r}: {self.expected(inner)}" for key, inner in value.items())
            return "{" + ", ".join(items) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.expected, value)) + "]"
        if isinstance(value, bool) or value is None:
            return repr(value)
        text = str(value)
        if text in self._names:
            return self._names[text]
        if PLACEHOLDER.search(text) or VOLATILE.fullmatch(text):
            return ANY
        return self.text(value) if isinstance(value, str) else repr(value)

    def _pattern(self) -> re.Pattern[str]:
        inner = [v for v in self._names if len(v) >= MIN_INNER_CHARS]
        inner.sort(key=len, reverse=True)
        words = [rf"(?<!\w){re.escape(v)}(?!\w)" for v in inner]
        whole = [rf"\A{re.escape(v)}\Z" for v in self._names]
        return re.compile("|".join([PLACEHOLDER.pattern, *whole, *words]))
