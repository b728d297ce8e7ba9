"""Ask of every case whether its element is still found after the page changed in one way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Browser, Page

from odokit.browser import new_context
from odokit.drift.cases import Case, Cases
from odokit.execute.locate import MIN_CONFIDENCE, locate_script, make_spec, rung_confidence
from odokit.record.script import page_script

NOWHERE = "http://127.0.0.1:9"
KINDS = (
    "none",
    "ids",
    "wrap",
    "reorder",
    "label case",
    "label typo",
    "label synonym",
    "translated",
    "moved",
    "removed",
    "duplicated",
)


@dataclass(frozen=True)
class Trial:
    """What became of one case after one change of its page.

    Attributes:
        app: Name of the application.
        step_id: The recorded interaction.
        kind: How the page was changed.
        rung: Rung of the ladder.
        confidence: Its confidence, from 0 to 1.
        is_found: Whether the ladder named an element at all.
        is_right: Whether that was the right one.
        paper: Outcome by the recorded xpath alone: `right`, `wrong` or `abstained`.
        taken: The wrong element's HTML, cut; empty when there is none.
    """

    app: str
    step_id: str
    kind: str
    rung: str
    confidence: float
    is_found: bool
    is_right: bool
    paper: str
    taken: str = ""

    def outcome(self, threshold: float = MIN_CONFIDENCE) -> str:
        """`right`, `wrong` or `abstained` when less than a confidence does not count."""
        if not self.is_found or self.confidence < threshold:
            return "abstained"
        return "right" if self.is_right else "wrong"


async def try_drift(
    browser: Browser,
    cases: Cases,
    kinds: Sequence[str] = KINDS,
    advance: Callable[[int], None] = lambda _: None,
) -> AsyncIterator[Trial]:
    """Change the page of every case in every way and look for its element.

    Args:
        browser: An open browser.
        cases: Recorded interactions.
        kinds: Which changes, of `KINDS`.
        advance: Told the number of pages done.

    Yields:
        A trial a case and kind, where the page offers something to change in that way.
    """
    async with open_bench(browser) as page:
        for number, (snapshot, found) in enumerate(cases.by_snapshot().items()):
            for case, spec in await keep(page, cases.snapshots.get(snapshot), found):
                for kind in kinds:
                    outcome = await page.evaluate(
                        "([spec, kind]) => window.__drift.drift(spec, kind)", [spec, kind]
                    )
                    if outcome is not None:
                        yield _trial(cases.app, case, kind, outcome)
            advance(number + 1)


@asynccontextmanager
async def open_bench(browser: Browser) -> AsyncIterator[Page]:
    """Open a blank page with the scripts of recorder, ladder and drift; it requests nothing."""
    context = await new_context(browser, allowed_origins=[NOWHERE])
    try:
        page = await context.new_page()
        await page.evaluate(page_script())
        await page.evaluate(f"() => {{ window.__drift = ({_script()})({locate_script()}); }}")
        yield page
    finally:
        await context.close()


async def keep(page: Page, html: str, cases: Sequence[Case]) -> list[tuple[Case, dict[str, Any]]]:
    """Give a bench a page, and get what to look for in each case that the page shows."""
    xpaths = [case.target.element.xpath for case in cases]
    described = await page.evaluate(
        "([html, xpaths]) => window.__drift.keep(html, xpaths)", [html, xpaths]
    )
    return [
        (case, make_spec(case.seen_as(element), 0.0))
        for case, element in zip(cases, described, strict=True)
        if element is not None
    ]


@cache
def _script() -> str:
    return files("odokit.drift").joinpath("drift.js").read_text(encoding="utf-8")


def _trial(app: str, case: Case, kind: str, outcome: dict[str, Any]) -> Trial:
    paper = "right" if outcome["by_xpath"] else "wrong" if outcome["has_xpath"] else "abstained"
    return Trial(
        app=app,
        step_id=case.step_id,
        kind=kind,
        rung=outcome["rung"],
        confidence=rung_confidence(outcome["rung"]),
        is_found=outcome["is_found"],
        is_right=outcome["is_right"],
        paper=paper,
        taken=outcome.get("taken", ""),
    )
