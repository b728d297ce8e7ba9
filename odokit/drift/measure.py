"""Ask of every case whether its element is still found after the page changed in one way."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import Browser, Page

from odokit.browser import new_context
from odokit.drift.cases import Case, Cases
from odokit.execute.locate import locate_script, make_spec
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
        is_found: Whether the ladder named an element at all.
        is_right: Whether that was the right one.
        paper: Outcome by the recorded xpath alone: `right`, `wrong` or `abstained`.
        taken: The wrong element's HTML, cut; empty when there is none.
    """

    app: str
    step_id: str
    kind: str
    rung: str
    is_found: bool
    is_right: bool
    paper: str
    taken: str = ""


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
                for kind, outcome in zip(kinds, await _drifted(page, spec, kinds), strict=True):
                    if outcome is not None:
                        yield _trial(cases.app, case, kind, outcome)
            advance(number + 1)


async def try_elsewhere(
    browser: Browser, cases: Cases, *, per_case: int = 4, seed: int = 0
) -> AsyncIterator[Trial]:
    """Look for the element of every case on pages kept by other demonstrations.

    There it is right if it stands at its path under its name, and absent if nothing of its role is
    called so; what is neither is left out.

    Args:
        browser: An open browser.
        cases: Recorded interactions.
        per_case: Other pages a case, half of them of the same address template where there are.
        seed: Of the choice of pages.

    Yields:
        Trials of kind `same address` and `other address`.
    """
    chosen = _other_pages(cases, per_case, random.Random(seed))
    specs: dict[str, tuple[Case, dict[str, Any]]] = {}
    async with open_bench(browser) as page:
        for snapshot, found in cases.by_snapshot().items():
            kept = await keep(page, cases.snapshots.get(snapshot), found)
            specs |= {case.step_id: (case, spec) for case, spec in kept}
        for snapshot, wanted in chosen.items():
            await keep(page, cases.snapshots.get(snapshot), [])
            for step_id, kind in wanted:
                if step_id not in specs:
                    continue
                case, spec = specs[step_id]
                outcome = await page.evaluate("spec => window.__drift.elsewhere(spec)", spec)
                if outcome is not None:
                    yield _trial(cases.app, case, kind, outcome)


def _other_pages(
    cases: Cases, per_case: int, choose: random.Random
) -> dict[str, list[tuple[str, str]]]:
    """Which cases to look for on each page, with the kind of trial that is."""
    pages = {c.snapshot: (c.page, c.step_id.rpartition("#")[0]) for c in cases.cases}
    chosen: dict[str, list[tuple[str, str]]] = {}
    for case in cases.cases:
        by = case.step_id.rpartition("#")[0]
        foreign = [s for s, (_, trajectory) in pages.items() if trajectory != by]
        same = [s for s in foreign if pages[s][0] == case.page]
        other = [s for s in foreign if pages[s][0] != case.page]
        for kind, pool in (("same address", same), ("other address", other)):
            for snapshot in choose.sample(pool, min(len(pool), per_case // 2)):
                chosen.setdefault(snapshot, []).append((case.step_id, kind))
    return chosen


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


async def _drifted(page: Page, spec: dict[str, Any], kinds: Sequence[str]) -> list[Any]:
    script = """async ([spec, kinds]) => {
      const outcomes = [];
      for (const kind of kinds) outcomes.push(await window.__drift.drift(spec, kind));
      return outcomes;
    }"""
    outcomes: list[Any] = await page.evaluate(script, [spec, list(kinds)])
    return outcomes


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
        is_found=outcome["is_found"],
        is_right=outcome["is_right"],
        paper=paper,
        taken=outcome.get("taken", ""),
    )
