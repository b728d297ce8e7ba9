"""Check that a write observed now says what the demonstrated one said, with the task's values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from odokit.decide import bind_text
from odokit.events import Event
from odokit.record import PLACEHOLDER

_NUMBER = re.compile(r"-?\d+(\.\d+)?")


def wrong_values(
    demonstrated: Event, observed: Event, old: Mapping[str, str], new: Mapping[str, str]
) -> list[str]:
    """Fields of a request that should follow from the task's values and do not.

    Args:
        demonstrated: The write as recorded.
        observed: The write as seen now.
        old: Parameter values of the demonstration.
        new: Parameter values of the task.

    Returns:
        One line a wrong field; fields that depend on no parameter are not judged.
    """
    if demonstrated.request is None or observed.request is None:
        return []
    then, now = _chosen_first(demonstrated.request.body), _chosen_first(observed.request.body)
    seen = dict(_leaves(now))
    wrong = _missing_numbers(then, now, old, new)
    for path, text in _leaves(then):
        binding = bind_text(text, old)
        expected = None if binding.is_constant else binding.fill(new)
        if expected is None or PLACEHOLDER.search(text):
            continue
        if _clean(seen.get(path, "")) != _clean(expected):
            wrong.append(f"{path} is {seen.get(path, 'missing')!r}, not {expected!r}")
    return wrong


def _chosen_first(body: Any) -> Any:
    """A body whose lists of all that was on offer begin with what was chosen.

    Such a list has one of booleans beside it, as long, with a single `true` at the place of the
    chosen; the next task's choice stands at another place.
    """
    if isinstance(body, list):
        return [_chosen_first(entry) for entry in body]
    if not isinstance(body, dict):
        return body
    lists = {key: value for key, value in body.items() if isinstance(value, list)}
    chosen: dict[int, set[int]] = {}
    for marks in lists.values():
        if all(isinstance(mark, bool) for mark in marks) and marks.count(True) == 1:
            chosen.setdefault(len(marks), set()).add(marks.index(True))
    ordered = dict(body)
    for key, entries in lists.items():
        places = chosen.get(len(entries), set())
        if len(places) == 1:
            (at,) = places
            ordered[key] = [entries[at], *entries[:at], *entries[at + 1 :]]
    return {key: _chosen_first(value) for key, value in ordered.items()}


def _missing_numbers(
    demonstrated: Any, observed: Any, old: Mapping[str, str], new: Mapping[str, str]
) -> list[str]:
    """Values sent as numbers that are nowhere in the request now.

    A number may equal a value by chance, as an id does, so any place with the new value will do.
    """
    seen = dict(_scalars(observed))
    numbers = {_number(value) for value in seen.values()}
    wrong = []
    for name, value in old.items():
        was, wanted = _number(value), _number(new.get(name))
        if was is None or wanted is None or wanted in numbers:
            continue
        sent = _scalars(demonstrated)
        places = [p for p, v in sent if not isinstance(v, str) and _number(v) == was]
        for place in places[:1]:
            wrong.append(f"{place} is {seen.get(place, 'missing')!r}, not {new[name]!r}")
    return wrong


def _number(value: Any) -> float | None:
    text = "" if isinstance(value, bool) else str(value)
    return float(text) if _NUMBER.fullmatch(text) else None


def _clean(text: str) -> str:
    return " ".join(text.split()).casefold()


def _leaves(body: Any) -> Iterator[tuple[str, str]]:
    yield from ((path, value) for path, value in _scalars(body) if isinstance(value, str))


def _scalars(body: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _scalars(value, f"{path}.{key}".lstrip("."))
    elif isinstance(body, list):
        for i, value in enumerate(body):
            yield from _scalars(value, f"{path}[{i}]")
    else:
        yield path, body
