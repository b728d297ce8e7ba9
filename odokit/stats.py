"""Numbers a report may rest on: intervals, a paired test, and when a model has paid for itself."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from odokit.errors import ReportError

DEFAULT_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A range that holds the true value with a stated confidence.

    Attributes:
        low: Lower end.
        high: Upper end.
    """

    low: float
    high: float


@dataclass(frozen=True)
class PairedTest:
    """Outcome of McNemar's exact test of two agents on the same tasks.

    Attributes:
        n: Tasks compared.
        only_a: Tasks that only the first agent achieved.
        only_b: Tasks that only the second agent achieved.
        p_value: Chance of a split at least this uneven if both agents were equally good.
    """

    n: int
    only_a: int
    only_b: int
    p_value: float


def wilson_interval(n_success: int, n: int, confidence: float = DEFAULT_CONFIDENCE) -> Interval:
    """Give the range of success rates that agree with what was counted.

    Args:
        n_success: Successes, 0 to `n`.
        n: Trials; with none the range is 0 to 1.
        confidence: Between 0 and 1, both excluded.

    Raises:
        ReportError: The counts or the confidence are impossible.

    Source:
        E. B. Wilson, Probable inference, the law of succession, and statistical inference,
        Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not 0 <= n_success <= n:
        raise ReportError(f"{n_success} successes in {n} trials is impossible; check the counts.")
    if n == 0:
        return Interval(0.0, 1.0)
    z = _normal_quantile(confidence)
    share = n_success / n
    middle = share + z * z / (2 * n)
    reach = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    # At 0 and n successes the formula is exact but for rounding, which would pass the end.
    low = 0.0 if n_success == 0 else (middle - reach) / scale
    high = 1.0 if n_success == n else (middle + reach) / scale
    return Interval(low, high)


def bootstrap_mean(
    values: Sequence[float],
    seed: int,
    *,
    confidence: float = DEFAULT_CONFIDENCE,
    n_resamples: int = 2000,
) -> Interval:
    """Give the percentile bootstrap interval of a mean.

    Args:
        values: Observations, at least one.
        seed: Seed of the resampling; the same seed gives the same interval.
        confidence: Between 0 and 1, both excluded.
        n_resamples: Resamples drawn, at least 1.

    Raises:
        ReportError: There is nothing to resample, or the confidence is impossible.

    Source:
        B. Efron and R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter 13.
    """
    if not len(values) or n_resamples < 1:
        raise ReportError(
            f"a bootstrap of {len(values)} values with {n_resamples} resamples says nothing; "
            "give at least one of each."
        )
    _check_confidence(confidence)
    observed = np.asarray(values, dtype=float)
    generator = np.random.default_rng(seed)
    means = [generator.choice(observed, size=len(observed)).mean() for _ in range(n_resamples)]
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(low), float(high))


def paired_mcnemar(a: Sequence[bool], b: Sequence[bool]) -> PairedTest:
    """Compare two agents on the same tasks by McNemar's exact two-sided test.

    Args:
        a: Whether the first agent achieved each task.
        b: Whether the second agent did, in the same order of tasks.

    Raises:
        ReportError: The two do not pair up.

    Source:
        Q. McNemar, Note on the sampling error of the difference between correlated proportions or
        percentages, Psychometrika 12 (1947), 153-157; exact form by the binomial distribution.
    """
    if len(a) != len(b):
        raise ReportError(
            f"{len(a)} and {len(b)} outcomes do not pair up; compare the same tasks in one order."
        )
    only_a = sum(bool(x) and not y for x, y in zip(a, b, strict=True))
    only_b = sum(bool(y) and not x for x, y in zip(a, b, strict=True))
    n_split, fewer = only_a + only_b, min(only_a, only_b)
    tail = sum(math.comb(n_split, k) for k in range(fewer + 1)) / 2**n_split
    return PairedTest(len(a), only_a, only_b, min(1.0, 2 * tail))


def amortisation(
    build_tokens: float, tokens_per_task: float, rival_tokens_per_task: float
) -> int | None:
    """Count the tasks after which a model has cost fewer tokens in all than a rival without one.

    Args:
        build_tokens: Tokens spent once to build the model, at least 0.
        tokens_per_task: Mean tokens a task with the model.
        rival_tokens_per_task: Mean tokens a task of the rival.

    Returns:
        Number of tasks, 0 when the model cost nothing; None when a task with the model is not
        cheaper, so that it never pays.

    Raises:
        ReportError: A number of tokens is negative.
    """
    if min(build_tokens, tokens_per_task, rival_tokens_per_task) < 0:
        raise ReportError("tokens are never negative; check the three numbers of tokens.")
    saved = rival_tokens_per_task - tokens_per_task
    if saved <= 0:
        return None
    return math.ceil(build_tokens / saved)


def _normal_quantile(confidence: float) -> float:
    """Half-width of the central part of a standard normal distribution, in deviations."""
    _check_confidence(confidence)
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _check_confidence(confidence: float) -> None:
    if not 0 < confidence < 1:
        raise ReportError(f"confidence {confidence} must lie between 0 and 1, such as 0.95.")
