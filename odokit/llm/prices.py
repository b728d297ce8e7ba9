"""Dated prices of models; edit the table when a price changes or a model is missing.

A model that is not listed has no price: its calls are counted in tokens, and in USD they are
unknown, never zero.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Price:
    """What a model costs, in USD per million tokens.

    Attributes:
        prompt: Prompt tokens that were not cached.
        cached: Prompt tokens read from the provider's cache.
        completion: Completion tokens, reasoning among them.
        as_of: Day up to which the price was seen to hold.
    """

    prompt: float
    cached: float
    completion: float
    as_of: date


_AUTUMN_2025 = date(2025, 9, 1)
_SPRING_2026 = date(2026, 3, 31)

PRICES: dict[str, Price] = {
    "gpt-4o": Price(2.50, 1.25, 10.00, _AUTUMN_2025),
    "gpt-4o-mini": Price(0.15, 0.075, 0.60, _AUTUMN_2025),
    "gpt-4.1": Price(2.00, 0.50, 8.00, _AUTUMN_2025),
    "gpt-4.1-mini": Price(0.40, 0.10, 1.60, _AUTUMN_2025),
    "gpt-4.1-nano": Price(0.10, 0.025, 0.40, _AUTUMN_2025),
    "gpt-5": Price(1.25, 0.125, 10.00, _AUTUMN_2025),
    "gpt-5-mini": Price(0.25, 0.025, 2.00, _AUTUMN_2025),
    "gpt-5-nano": Price(0.05, 0.005, 0.40, _AUTUMN_2025),
    "gpt-5.4": Price(2.50, 0.25, 15.00, _SPRING_2026),
    "gpt-5.4-mini": Price(0.75, 0.075, 4.50, _SPRING_2026),
}
"""Standard-tier list prices by model name.

Source:
    OpenAI's public price list, as reproduced in public price tables at the dates given.
"""

_SNAPSHOT = re.compile(r"-\d{4}-\d{2}-\d{2}$")


def find_price(model: str) -> Price | None:
    """Find the price of a model; a dated snapshot (`gpt-4o-2024-08-06`) has its model's price."""
    return PRICES.get(_SNAPSHOT.sub("", model))


def cost_usd(model: str, *, prompt: int, cached: int, completion: int) -> float | None:
    """What a call costs in USD, or None for a model without a price.

    Args:
        model: Model name as sent.
        prompt: All prompt tokens, the cached ones among them.
        cached: Prompt tokens read from the provider's cache.
        completion: Completion tokens, reasoning among them.
    """
    price = find_price(model)
    if price is None:
        return None
    fresh = prompt - cached
    millions = fresh * price.prompt + cached * price.cached + completion * price.completion
    return millions / 1_000_000
