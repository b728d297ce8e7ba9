"""The token ledger: one row per request to a model, and budgets checked before one is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from odokit.errors import BudgetError

Outcome = Literal["ok", "retried", "error"]
"""`ok`: answered; `retried`: failed or misanswered and tried again; `error`: gave up on."""


@dataclass(frozen=True)
class LLMCall:
    """One request to a model, whatever became of it.

    Attributes:
        call_id: Unique id.
        at: When it was sent, ISO 8601 in UTC.
        purpose: What it was for, such as `decide_plan`.
        decision_ids: Decisions it was to settle.
        model: Model name as sent.
        prompt_hash: SHA-256 of the messages.
        tokens_prompt: Prompt tokens, the cached ones among them.
        tokens_cached: Prompt tokens read from the provider's cache.
        tokens_completion: Completion tokens, reasoning among them.
        tokens_reasoning: Completion tokens spent on reasoning.
        is_counted: Whether the tokens were counted here because the reply told no usage.
        seconds: From sending to answer or failure.
        usd: Price, or None when the model has none in the table.
        outcome: What became of it.
    """

    call_id: str
    at: str
    purpose: str
    decision_ids: tuple[str, ...]
    model: str
    prompt_hash: str
    tokens_prompt: int
    tokens_cached: int
    tokens_completion: int
    tokens_reasoning: int
    is_counted: bool
    seconds: float
    usd: float | None
    outcome: Outcome


class Ledger:
    """All requests of a run, in the order they ended."""

    def __init__(self) -> None:
        self._rows: list[LLMCall] = []

    def append(self, call: LLMCall) -> None:
        """Add a request."""
        self._rows.append(call)

    @property
    def rows(self) -> tuple[LLMCall, ...]:
        """All requests so far."""
        return tuple(self._rows)

    @property
    def tokens_prompt(self) -> int:
        """Prompt tokens of all requests."""
        return sum(row.tokens_prompt for row in self._rows)

    @property
    def tokens_completion(self) -> int:
        """Completion tokens of all requests."""
        return sum(row.tokens_completion for row in self._rows)

    @property
    def total(self) -> int:
        """Prompt and completion tokens of all requests."""
        return self.tokens_prompt + self.tokens_completion

    @property
    def usd(self) -> float | None:
        """Price of all requests, or None as soon as one is unknown."""
        prices = [row.usd for row in self._rows]
        known = [price for price in prices if price is not None]
        return sum(known) if len(known) == len(prices) else None


@dataclass
class Budget:
    """A cap on tokens and requests, checked against the worst case before a request is sent.

    What requests under way may still cost is held back, so parallel requests cannot overspend.

    Attributes:
        max_tokens: Most prompt and completion tokens, or None for no cap.
        max_calls: Most requests, retries included, or None for no cap.
        tokens: Tokens spent so far.
        calls: Requests sent so far.
    """

    max_tokens: int | None = None
    max_calls: int | None = None
    tokens: int = field(default=0, init=False)
    calls: int = field(default=0, init=False)
    _held: int = field(default=0, init=False, repr=False)

    @contextmanager
    def reserve(self, worst: int, purpose: str) -> Iterator[None]:
        """Hold back the worst case of one request while it is under way; then `charge` it.

        Args:
            worst: Prompt tokens plus the most completion tokens it may use.
            purpose: What it is for; named in the error.

        Raises:
            BudgetError: The request could exceed the budget; nothing must be sent.
        """
        self._check(worst, purpose)
        self._held += worst
        self.calls += 1
        try:
            yield
        finally:
            self._held -= worst

    def charge(self, tokens: int) -> None:
        """Book the tokens that a request did use."""
        self.tokens += tokens

    def _check(self, worst: int, purpose: str) -> None:
        if self.max_calls is not None and self.calls >= self.max_calls:
            raise BudgetError(
                f"request for {purpose} refused before sending: {self.calls} of "
                f"{self.max_calls} requests are used. Raise max_calls or give the task up."
            )
        committed = self.tokens + self._held
        if self.max_tokens is not None and committed + worst > self.max_tokens:
            raise BudgetError(
                f"request for {purpose} refused before sending: it may use {worst} tokens and "
                f"{committed} of {self.max_tokens} are spent or under way. Raise max_tokens, or "
                "shorten the prompt."
            )
