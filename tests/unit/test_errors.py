"""The error tree in the documentation of odokit.errors is the one in its code."""

from __future__ import annotations

import inspect
import re

from odokit import errors


def drawn_tree() -> dict[str, str | None]:
    """Error names of the drawing, each with the name it hangs from."""
    parents: dict[str, str | None] = {}
    stack: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        found = re.match(r"([ │├└─]*)([A-Z]\w+)(  |$)", line)
        if found is None:
            continue
        depth, name = len(found[1]), found[2]
        while stack and stack[-1][0] >= depth:
            stack.pop()
        parents[name] = stack[-1][1] if stack else None
        stack.append((depth, name))
    return parents


def coded_tree() -> dict[str, str | None]:
    """Error names of the module, each with the name of its base."""
    classes = [c for _, c in inspect.getmembers(errors, inspect.isclass)]
    return {
        c.__name__: None if c is errors.OdokitError else c.__base__.__name__
        for c in classes
        if c.__module__ == errors.__name__
    }


def test_the_drawn_tree_is_the_coded_one() -> None:
    assert drawn_tree() == coded_tree()


def test_every_error_is_caught_as_an_odokit_error() -> None:
    for name in coded_tree():
        assert issubclass(getattr(errors, name), errors.OdokitError)
