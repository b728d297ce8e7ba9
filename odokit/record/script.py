"""The scripts that run in a page, as text."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

PARTS = ("describe.js", "capture.js")
"""In the order in which they must run."""


@cache
def page_script() -> str:
    """Give the recorder's script, to run in every frame before the page's own scripts."""
    return "\n".join(map(_read, PARTS))


@cache
def self_test_script() -> str:
    """Give the function that tells which parts of the recorder do not work on a page."""
    return _read("selftest.js")


def _read(name: str) -> str:
    return files("odokit.record").joinpath(name).read_text(encoding="utf-8")
