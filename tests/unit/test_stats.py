"""Statistics against scipy, worked examples and the paper's own numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from odokit.errors import ReportError
from odokit.stats import Interval, amortisation, bootstrap_mean, paired_mcnemar, wilson_interval


@pytest.mark.parametrize(("k", "n"), [(0, 10), (1, 10), (34, 45), (44, 45), (45, 45), (438, 450)])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_wilson_interval_is_scipys(k: int, n: int, confidence: float) -> None:
    oracle = binomtest(k, n).proportion_ci(confidence, method="wilson")
    found = wilson_interval(k, n, confidence)
    assert found.low == pytest.approx(oracle.low, abs=1e-12)
    assert found.high == pytest.approx(oracle.high, abs=1e-12)


def test_no_trials_say_nothing() -> None:
    assert wilson_interval(0, 0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(("k", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(k: int, n: int) -> None:
    with pytest.raises(ReportError, match="impossible"):
        wilson_interval(k, n)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_impossible_confidence_is_refused(confidence: float) -> None:
    with pytest.raises(ReportError, match="between 0 and 1"):
        wilson_interval(1, 2, confidence)


def test_bootstrap_is_near_the_normal_interval_for_many_values() -> None:
    values = np.random.default_rng(5).normal(100, 10, 400)
    found = bootstrap_mean(values.tolist(), seed=1)
    reach = 1.96 * values.std(ddof=1) / 20
    assert found.low == pytest.approx(values.mean() - reach, abs=0.15)
    assert found.high == pytest.approx(values.mean() + reach, abs=0.15)


def test_bootstrap_repeats_with_its_seed_and_only_then() -> None:
    values = [0.0, 0.0, 310.0, 0.0, 12.0]
    assert bootstrap_mean(values, seed=3) == bootstrap_mean(values, seed=3)
    assert bootstrap_mean(values, seed=3, n_resamples=50) != bootstrap_mean(
        values, seed=4, n_resamples=50
    )


def test_bootstrap_of_equal_values_is_the_value() -> None:
    assert bootstrap_mean([7.0, 7.0, 7.0], seed=0) == Interval(7.0, 7.0)


def test_bootstrap_of_nothing_is_refused() -> None:
    with pytest.raises(ReportError, match="0 values"):
        bootstrap_mean([], seed=0)


@pytest.mark.parametrize(("only_a", "only_b"), [(0, 0), (1, 0), (3, 9), (12, 2), (40, 41)])
def test_mcnemar_is_the_exact_binomial_test(only_a: int, only_b: int) -> None:
    a = [True] * only_a + [False] * only_b + [True, False]
    b = [False] * only_a + [True] * only_b + [True, False]
    found = paired_mcnemar(a, b)
    oracle = binomtest(only_a, only_a + only_b).pvalue if only_a + only_b else 1.0
    assert (found.n, found.only_a, found.only_b) == (only_a + only_b + 2, only_a, only_b)
    assert found.p_value == pytest.approx(oracle, abs=1e-12)


def test_mcnemar_needs_pairs() -> None:
    with pytest.raises(ReportError, match="1 and 2 outcomes"):
        paired_mcnemar([True], [True, False])


def test_the_papers_model_pays_after_some_seven_hundred_tasks() -> None:
    # 10.3 M tokens to build, 19,800 against 35,100 a task: 15,300 saved each time.
    n = amortisation(10_300_000, 19_800, 35_100)
    assert n == 674
    assert 673 * 15_300 < 10_300_000 <= 674 * 15_300


def test_a_free_model_has_paid_at_once() -> None:
    assert amortisation(0, 0, 35_100) == 0


def test_a_dearer_task_never_pays() -> None:
    assert amortisation(1000, 50, 50) is None


def test_negative_tokens_are_refused() -> None:
    with pytest.raises(ReportError, match="never negative"):
        amortisation(-1, 0, 10)
