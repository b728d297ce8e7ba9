"""Finding an element of a live page: the ladder against naming every element of its role.

Both are timed inside the page, best of several; memory is not measured.
"""

from __future__ import annotations

import asyncio
from typing import Any

from common import Measured, Row, main, make_page, make_row
from playwright.async_api import Page

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.drift import open_bench
from odokit.execute.locate import locate_script

SIZES = (1_000, 5_000, 20_000)
REPEATS = 7
EXTRA = "<nav><a href='/only'>Only here</a></nav><div><div>Plain <b>words</b></div></div>"
WANTED = {
    "a link": ("link", "a", "Only here"),
    "a plain element": ("", "div", "Plain words"),
    "a link that is not there": ("link", "a", "Nowhere to be seen"),
}
TIME = """async ([locate, spec, repeats]) => {
  const find = eval(locate);
  const times = [];
  for (let i = 0; i < repeats; i++) {
    const began = performance.now();
    await find(spec);
    times.push(performance.now() - began);
  }
  return Math.min(...times) / 1000;
}"""
NAIVE = """([role, tag, name]) => {
  const odo = window.__odokit, began = performance.now();
  const fits = el => role ? odo.role(el) === role : el.localName === tag;
  const found = [...document.querySelectorAll('*')].filter(el => fits(el) && el.checkVisibility()
    && el.getClientRects().length && odo.name(el) === name);
  return [found.length, (performance.now() - began) / 1000];
}"""


def rows(quick: bool) -> list[Row]:
    """Compare at some sizes."""
    return asyncio.run(_rows(SIZES[:1] if quick else SIZES))


async def _rows(sizes: tuple[int, ...]) -> list[Row]:
    found = []
    async with open_browser(Settings.load()) as browser:
        for size in sizes:
            async with open_bench(browser) as page:
                html = make_page(size).replace("</body>", f"{EXTRA}</body>")
                await page.evaluate("html => { document.documentElement.innerHTML = html; }", html)
                for what, wanted in WANTED.items():
                    found.append(await _compare(page, f"locate {what}, {size} nodes", wanted))
    return found


async def _compare(page: Page, name: str, wanted: tuple[str, str, str]) -> Row:
    n = await page.evaluate("() => document.querySelectorAll('*').length")
    _, naive = await page.evaluate(NAIVE, list(wanted))
    ours = await page.evaluate(TIME, [locate_script(), _spec(*wanted), REPEATS])
    return make_row(name, n, Measured(ours, 0.0, None), Measured(naive, 0.0, None))


def _spec(role: str, tag: str, name: str) -> dict[str, Any]:
    return {
        "role": role,
        "tag": tag,
        "name": name,
        "isLabel": True,
        "pattern": "",
        "landmarks": [],
        "regions": [],
        "xpath": "/html/body/main/section[1]/ul/li[1]",
        "attributes": {},
        "peers": {"twins": 0, "kin": 0, "names": [], "near": ""},
        "by": "",
        "wanted": "",
        "depth": 4,
        "timeoutMs": 0,
    }


if __name__ == "__main__":
    main(rows)
