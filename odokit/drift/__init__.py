"""Drift: are recorded elements still found when their page has changed, and how sure is that?"""

from odokit.drift.calibrate import (
    Bin,
    RungCount,
    calibration_error,
    fit_rungs,
    held_out_bins,
    outcomes,
)
from odokit.drift.cases import Case, Cases, read_cases
from odokit.drift.measure import KINDS, Trial, open_bench, try_drift, try_elsewhere
from odokit.drift.uniqueness import CLUES, Uniqueness, count_alike

__all__ = [
    "CLUES",
    "KINDS",
    "Bin",
    "Case",
    "Cases",
    "RungCount",
    "Trial",
    "Uniqueness",
    "calibration_error",
    "count_alike",
    "fit_rungs",
    "held_out_bins",
    "open_bench",
    "outcomes",
    "read_cases",
    "try_drift",
    "try_elsewhere",
]
