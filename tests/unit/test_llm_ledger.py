"""Tokens and money add up, and a budget refuses before anything is spent."""

from __future__ import annotations

import dataclasses

import pytest

from odokit.errors import BudgetError
from odokit.llm.ledger import Budget, Ledger, LLMCall
from odokit.llm.prices import PRICES, cost_usd, find_price

CALL = LLMCall(
    call_id="1",
    at="2026-01-01T00:00:00+00:00",
    purpose="decide_plan",
    decision_ids=("d1",),
    model="gpt-4o",
    prompt_hash="",
    tokens_prompt=100,
    tokens_cached=40,
    tokens_completion=10,
    tokens_reasoning=4,
    is_counted=False,
    seconds=0.5,
    usd=0.25,
    outcome="ok",
)


def test_ledger_adds_up() -> None:
    ledger = Ledger()
    assert (ledger.total, ledger.usd) == (0, 0)
    ledger.append(CALL)
    ledger.append(dataclasses.replace(CALL, call_id="2", tokens_prompt=7, usd=0.5))
    assert [row.call_id for row in ledger.rows] == ["1", "2"]
    assert (ledger.tokens_prompt, ledger.tokens_completion, ledger.total) == (107, 20, 127)
    assert ledger.usd == 0.75


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    ledger = Ledger()
    ledger.append(CALL)
    ledger.append(dataclasses.replace(CALL, usd=None))
    assert ledger.usd is None


def test_cost_counts_cached_tokens_at_their_own_price() -> None:
    # gpt-4o: 2.50 fresh, 1.25 cached, 10.00 completion, USD a million.
    cost = cost_usd("gpt-4o", prompt=1_000_000, cached=400_000, completion=100_000)
    assert cost == pytest.approx(0.6 * 2.50 + 0.4 * 1.25 + 0.1 * 10.00)


def test_a_snapshot_has_its_models_price_and_a_sibling_has_not() -> None:
    assert find_price("gpt-5-2025-08-07") == PRICES["gpt-5"]
    assert find_price("gpt-5-mini") == PRICES["gpt-5-mini"]
    assert find_price("gpt-5-pro") is None
    assert cost_usd("local-model", prompt=1, cached=0, completion=1) is None


def test_cached_tokens_are_never_dearer_than_fresh_ones() -> None:
    for model, price in PRICES.items():
        assert 0 < price.cached <= price.prompt <= price.completion, model


def test_budget_admits_what_exactly_fits() -> None:
    budget = Budget(max_tokens=100)
    with budget.reserve(100, "x"):
        budget.charge(60)
    with budget.reserve(40, "x"):
        pass
    with pytest.raises(BudgetError, match="41 tokens and 60 of 100"), budget.reserve(41, "x"):
        pass


def test_budget_holds_back_what_is_under_way() -> None:
    budget = Budget(max_tokens=100)
    with budget.reserve(60, "x"):
        with pytest.raises(BudgetError), budget.reserve(60, "y"):
            pass
        with budget.reserve(40, "z"):
            pass
    with budget.reserve(100, "x"):
        pass


def test_budget_counts_calls_even_those_that_fail() -> None:
    budget = Budget(max_calls=1)
    with pytest.raises(ZeroDivisionError), budget.reserve(1, "x"):
        raise ZeroDivisionError
    with pytest.raises(BudgetError, match="1 of 1 requests"), budget.reserve(1, "x"):
        pass
    assert budget.calls == 1


def test_no_cap_refuses_nothing() -> None:
    with Budget().reserve(10**9, "x"):
        pass
