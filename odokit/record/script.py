"""The scripts that run in a page, as text."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from odokit.record.redact import Redactor

PARTS = ("describe.js", "capture.js", "rewrite.js")
"""In the order in which they must run."""


def page_script(redactor: Redactor | None = None) -> str:
    """Give the recorder's script, to run in every frame before the page's own scripts.

    Args:
        redactor: Whose rules apply in the page, as they are now; the default ones when None.
    """
    rules = json.dumps((redactor or Redactor()).page_rules())
    return "\n".join([f"window.__odokit_rules = {rules};", *map(_read, PARTS)])


def requests_script() -> str:
    """Give the script that tells of requests what the browser does not tell Playwright."""
    return _read("requests.js")


def self_test_script() -> str:
    """Give the function that tells which parts of the recorder do not work on a page."""
    return _read("selftest.js")


@cache
def _read(name: str) -> str:
    return files("odokit.record").joinpath(name).read_text(encoding="utf-8")
