"""Check that a write observed now says what the demonstrated one said, with the task's values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from odokit.decide import bind_text
from odokit.events import Event
from odokit.record import PLACEHOLDER


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
    seen = dict(_leaves(observed.request.body))
    wrong = []
    for path, text in _leaves(demonstrated.request.body):
        binding = bind_text(text, old)
        expected = None if binding.is_constant else binding.fill(new)
        if expected is None or PLACEHOLDER.search(text):
            continue
        if _clean(seen.get(path, "")) != _clean(expected):
            wrong.append(f"{path} is {seen.get(path, 'missing')!r}, not {expected!r}")
    return wrong


def _clean(text: str) -> str:
    return " ".join(text.split()).casefold()


def _leaves(body: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(body, dict):
        for key, value in body.items():
            yield from _leaves(value, f"{path}.{key}".lstrip("."))
    elif isinstance(body, list):
        for i, value in enumerate(body):
            yield from _leaves(value, f"{path}[{i}]")
    elif isinstance(body, str):
        yield path, body
