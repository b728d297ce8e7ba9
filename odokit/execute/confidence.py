"""How far a rung of the locate ladder can be trusted, as measured on drifted pages.

The file `rungs.json` beside this module is written by `python benchmarks/calibrate_locate.py`: each
rung's share of right elements among all it named, as a lower bound, so that a rung seldom seen is
trusted little.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

MIN_CONFIDENCE = 0.75
"""Below it nothing is touched. Source: with it `python benchmarks/drift.py` counts less than one
wrong element in two hundred for each kind of drift; nine elements without an error pass."""
RUNGS_FILE = "rungs.json"
_LOOSE = frozenset(
    {"name", "name+text", "nameless", "nameless+text", "attribute", "alike name", "place"}
)


def rung_confidence(rung: str) -> float:
    """Give the chance that what a rung names is the right element; 0 for an unknown rung."""
    found = _rungs().get(rung)
    return float(found["confidence"]) if found else 0.0


def is_loose(rung: str) -> bool:
    """Whether a rung says that the element is no longer as it was recorded."""
    return rung in _LOOSE


def calibration() -> dict[str, Any]:
    """Read what was measured: `rungs` (n, right, confidence), and `bins` of a reliability diagram.

    A bin has the confidence that was fitted on the other applications, and how often elements
    named with it were right on one held out: `held_out` (its number), `confidence`, `n`, `right`.
    """
    text = files("odokit.execute").joinpath(RUNGS_FILE).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@cache
def _rungs() -> dict[str, dict[str, float]]:
    rungs: dict[str, dict[str, float]] = calibration()["rungs"]
    return rungs
