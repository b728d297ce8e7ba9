"""Compare a body with a pattern: as a subset, with matchers where a value is not known exactly.

A mapping with one `$` key is a matcher:

    {$any: true}          present and not empty        {$contains: x}   text or list holds x
    {$absent: true}       key missing                  {$starts_with: x}
    {$length: n}          list or text of that length  {$regex: x}      whole text matches
    {$json: x}            equals the JSON text x: nothing less, and nothing more
    {$items: [x, ...]}    a list of exactly these      {$has: x}        a list with the item x
    {$lacks: x}           a list without the item x
    {$deep: {k: x}}       each key is somewhere inside, at any depth, with that value

A form sends a list of one item as the bare item, so `$items`, `$has` and `$lacks` read a bare
value as such a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from odokit.errors import EvaluateError

FORM_TYPES = frozenset({"application/x-www-form-urlencoded", "multipart/form-data"})
MAX_SHOWN_CHARS = 200

_MISSING = object()


def body_difference(expected: Any, observed: Any, where: str = "body") -> str | None:
    """The first way an observed value falls short of an expected subset; None when it fits.

    Args:
        expected: A value, a nested pattern, a matcher, or None for anything.
        observed: The parsed body or a part of it.
        where: Name of that part in the difference.

    Raises:
        EvaluateError: The pattern holds an unknown matcher or a faulty argument.
    """
    if expected is None:
        return None
    if isinstance(expected, dict):
        if len(expected) == 1 and next(iter(expected)).startswith("$"):
            return _matcher_difference(*next(iter(expected.items())), observed, where)
        return _object_difference(expected, observed, where)
    if isinstance(expected, (list, tuple)):
        if not isinstance(observed, list) or len(observed) != len(expected):
            return f"{where} is {short(observed)}, not {len(expected)} items"
        pairs = enumerate(zip(expected, observed, strict=True))
        return next(
            (d for i, (e, o) in pairs if (d := body_difference(e, o, f"{where}[{i}]"))), None
        )
    return None if equal(expected, observed) else f"{where} is {short(observed)}"


def as_form(pattern: Any) -> Any:
    """A body pattern with its numbers as the text that a form sends for them."""
    if isinstance(pattern, dict):
        return {k: v if k == "$length" else as_form(v) for k, v in pattern.items()}
    if isinstance(pattern, (list, tuple)):
        return [as_form(item) for item in pattern]
    is_number = isinstance(pattern, (int, float)) and not isinstance(pattern, bool)
    return str(pattern) if is_number else pattern


def equal(expected: Any, observed: Any) -> bool:
    """Whether two scalars are the same; a text in the key also stands for the number it spells."""
    if isinstance(expected, bool) or isinstance(observed, bool):
        return type(expected) is type(observed) and bool(expected == observed)
    if isinstance(expected, str) and isinstance(observed, (int, float)):
        return expected == str(observed)  # a form field or a slot is always text
    return bool(expected == observed)


def short(value: Any) -> str:
    """A value as shown in a verdict."""
    if value is _MISSING:
        return "missing"
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 3] + "..."


def _object_difference(expected: Mapping[str, Any], observed: Any, where: str) -> str | None:
    if not isinstance(observed, dict):
        return f"{where} is {short(observed)}, not an object"
    for key, inner in expected.items():
        difference = body_difference(inner, observed.get(key, _MISSING), f"{where}.{key}")
        if difference:
            return difference
    return None


def _matcher_difference(name: str, argument: Any, observed: Any, where: str) -> str | None:
    if name == "$deep":
        return _deep_difference(argument, observed, where)
    if name not in _MATCHERS:
        known = ", ".join([*_MATCHERS, "$deep"])
        raise EvaluateError(f"unknown body matcher {name}; known are {known}.")
    if _MATCHERS[name](argument, observed):
        return None
    return f"{where} is {short(observed)}, not {name} {argument!r}"


def _deep_difference(expected: Any, observed: Any, where: str) -> str | None:
    if not isinstance(expected, dict):
        raise EvaluateError(f"the body matcher $deep takes a mapping, not {short(expected)}.")
    for key, inner in expected.items():
        place = f"{where}..{key}"
        found = list(_values_of(key, observed)) or [_MISSING]
        differences = [body_difference(inner, value, place) for value in found]
        if None not in differences:
            return differences[0]
    return None


def _values_of(key: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        if key in value:
            yield value[key]
        for inner in value.values():
            yield from _values_of(key, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _values_of(key, inner)


def _is_filled(_: Any, observed: Any) -> bool:
    return observed is not _MISSING and observed not in (None, "", [], {})


def _contains(argument: Any, observed: Any) -> bool:
    if isinstance(observed, str):
        return isinstance(argument, str) and argument in observed
    return isinstance(observed, list) and argument in observed


def _starts_with(argument: Any, observed: Any) -> bool:
    return isinstance(observed, str) and bool(observed) and observed.startswith(str(argument))


def _has_length(argument: Any, observed: Any) -> bool:
    return isinstance(observed, (str, list)) and len(observed) == argument


def _is_json(argument: Any, observed: Any) -> bool:
    try:
        wanted = json.loads(str(argument))
    except ValueError as error:
        raise EvaluateError(f"the body matcher $json holds no JSON: {short(argument)}.") from error
    return observed is not _MISSING and _canonical(observed) == _canonical(wanted)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _items(observed: Any) -> list[Any] | None:
    """A list, or what a form sends for a list of one; None when there is nothing."""
    if observed is _MISSING or observed is None:
        return None
    return observed if isinstance(observed, list) else [observed]


def _is_items(argument: Any, observed: Any) -> bool:
    items = _items(observed)
    if items is None or not isinstance(argument, (list, tuple)):
        return False
    return body_difference(argument, items) is None


def _has(argument: Any, observed: Any) -> bool:
    return any(body_difference(argument, item) is None for item in _items(observed) or ())


def _lacks(argument: Any, observed: Any) -> bool:
    items = _items(observed)
    return items is not None and not any(body_difference(argument, i) is None for i in items)


_MATCHERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$any": _is_filled,
    "$absent": lambda _, observed: observed is _MISSING,
    "$contains": _contains,
    "$starts_with": _starts_with,
    "$length": _has_length,
    "$regex": lambda x, o: isinstance(o, str) and re.fullmatch(str(x), o) is not None,
    "$json": _is_json,
    "$items": _is_items,
    "$has": _has,
    "$lacks": _lacks,
}
