"""From trials on changed pages to confidences of the ladder's rungs, and how far they hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from odokit.drift.measure import Trial
from odokit.stats import wilson_interval

LEVEL = 0.9
"""Two-sided level of the interval whose lower end is a rung's confidence."""


@dataclass(frozen=True)
class RungCount:
    """What a rung was worth in some trials.

    Attributes:
        n: Elements it named.
        right: Those that were the right ones.
        confidence: Lower end of the interval of right over n, from 0 to 1.
    """

    n: int
    right: int
    confidence: float


@dataclass(frozen=True)
class Bin:
    """Elements named with one confidence on an application that it was not fitted on.

    Attributes:
        held_out: Number of the application, in order of their names.
        confidence: Confidence fitted on the others.
        n: Elements named with it.
        right: Those that were the right ones.
    """

    held_out: int
    confidence: float
    n: int
    right: int


def fit_rungs(trials: Iterable[Trial]) -> dict[str, RungCount]:
    """Count how often each rung was right, and bound it from below.

    Args:
        trials: Trials of any applications and kinds of change.

    Returns:
        A count a rung, in order of their names; rungs that named nothing are not there.
    """
    named, right = Counter[str](), Counter[str]()
    for trial in trials:
        if trial.is_found:
            named[trial.rung] += 1
            right[trial.rung] += trial.is_right
    return {
        rung: RungCount(n, right[rung], round(wilson_interval(right[rung], n, LEVEL).low, 4))
        for rung, n in sorted(named.items())
    }


def held_out_bins(trials: Sequence[Trial]) -> list[Bin]:
    """Fit on all applications but one, and see what the confidences are worth on that one.

    Args:
        trials: Trials of at least two applications.

    Returns:
        A row an application and rung; a rung the others never used has confidence 0.
    """
    bins = []
    for number, app in enumerate(sorted({t.app for t in trials})):
        fitted = fit_rungs(t for t in trials if t.app != app)
        for rung, count in fit_rungs(t for t in trials if t.app == app).items():
            confidence = fitted[rung].confidence if rung in fitted else 0.0
            bins.append(Bin(number, confidence, count.n, count.right))
    return bins


def calibration_error(bins: Iterable[Bin], threshold: float) -> float:
    """Expected calibration error: mean distance of confidence and share of right, by elements.

    Args:
        bins: Rows of `held_out_bins`.
        threshold: Confidence below which an element does not count, for it is not touched.
    """
    counted = [b for b in bins if b.confidence >= threshold]
    total = sum(b.n for b in counted)
    apart = sum(b.n * abs(b.confidence - b.right / b.n) for b in counted)
    return apart / total if total else 0.0


def outcomes(
    trials: Iterable[Trial], confidences: Mapping[str, float], threshold: float
) -> Counter[str]:
    """Count `right`, `wrong` and `abstained` trials under some confidences."""
    found = Counter[str]()
    for trial in trials:
        if not trial.is_found or confidences.get(trial.rung, 0.0) < threshold:
            found["abstained"] += 1
        else:
            found["right" if trial.is_right else "wrong"] += 1
    return found
