"""Drift: are recorded elements still found when their page has changed?"""

from odokit.drift.cases import Case, Cases, read_cases
from odokit.drift.measure import KINDS, Trial, try_drift

__all__ = ["KINDS", "Case", "Cases", "Trial", "read_cases", "try_drift"]
