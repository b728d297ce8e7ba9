"""The written report in a real browser: it opens offline, draws its figures and fits a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Browser, ConsoleMessage, Request
from report_frames import calls_frame, decisions_frame, episodes_frame, steps_frame
from report_models import make_trajectories

from odokit.navmodel import discover_model
from odokit.report import write_report

pytestmark = pytest.mark.browser

DRAWN = "[...document.querySelectorAll('.figure')].every(f => f.querySelector('.main-svg'))"
WIDTH = "document.documentElement.scrollWidth"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(
        tmp_path_factory.mktemp("report") / "report.html",
        run={"run_id": "run-1"},
        episodes=episodes_frame(),
        steps=steps_frame(),
        decisions=decisions_frame(),
        calls=calls_frame(),
        model=discover_model(make_trajectories()),
    )


async def test_report_draws_its_figures_and_asks_for_nothing(
    browser: Browser, report: Path
) -> None:
    page = await browser.new_page()
    requests: list[str] = []
    messages: list[str] = []

    def asked(request: Request) -> None:
        requests.append(request.url)

    def said(message: ConsoleMessage) -> None:
        messages.append(message.text)

    page.on("request", asked)
    page.on("console", said)
    page.on("pageerror", lambda error: messages.append(str(error)))
    await page.goto(report.as_uri())
    await page.wait_for_function(DRAWN)
    assert await page.locator(".figure .main-svg").count() >= 6
    assert requests == [report.as_uri()]
    assert messages == []
    assert await page.title() == "Run run-1"  # the hostile texts would have changed it
    await page.close()


@pytest.mark.parametrize("width", [400, 1200])
async def test_report_fits_the_window(browser: Browser, report: Path, width: int) -> None:
    page = await browser.new_page(viewport={"width": width, "height": 800})
    await page.goto(report.as_uri())
    await page.wait_for_function(DRAWN)
    assert await page.evaluate(WIDTH) == width
    await page.close()


async def test_a_task_opens_to_its_steps_and_reason(browser: Browser, report: Path) -> None:
    page = await browser.new_page()
    await page.goto(report.as_uri())
    first = page.locator("details").first
    assert not await first.locator("table").is_visible()
    await first.locator("summary").click()
    assert await first.locator("table tr").count() == 5
    assert "it stopped" in await first.inner_text()
    await page.close()
