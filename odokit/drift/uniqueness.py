"""How many elements of a page share the fingerprint of a recorded one, clue by clue."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from playwright.async_api import Browser

from odokit.drift.cases import Cases
from odokit.drift.measure import keep, open_bench

CLUES = ("role", "name pattern", "name", "regions", "near text", "xpath")
"""From loose to strict; each element counted has the clue and all before it."""


@dataclass(frozen=True)
class Uniqueness:
    """How many elements of its page look like a recorded one.

    Attributes:
        app: Name of the application.
        step_id: The recorded interaction.
        shared: Elements with its clues, itself among them, in the order of `CLUES`.
    """

    app: str
    step_id: str
    shared: tuple[int, ...]


async def count_alike(browser: Browser, cases: Cases) -> AsyncIterator[Uniqueness]:
    """Count, for every case, the elements of its page that share its fingerprint.

    Args:
        browser: An open browser.
        cases: Recorded interactions.
    """
    async with open_bench(browser) as page:
        for snapshot, found in cases.by_snapshot().items():
            for case, spec in await keep(page, cases.snapshots.get(snapshot), found):
                counts = await page.evaluate("spec => window.__drift.alike(spec)", spec)
                yield Uniqueness(cases.app, case.step_id, tuple(counts))
