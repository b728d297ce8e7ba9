"""The same extension in a real Firefox records what the Playwright session records in Chromium."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from firefox import Firefox, open_firefox
from playwright.async_api import Page

from odokit.events import Event, Trajectory, read_recording
from odokit.record.extension import build_extension, import_export
from odokit.record.extension.build import FIREFOX_ID

pytestmark = [pytest.mark.browser, pytest.mark.slow]

EXPORT = """import('./journal.js').then(async journal => {
    const [session] = await journal.getSessions();
    done(await (await journal.exportFile(session)).text());
})"""


def perform(firefox: Firefox, bench: Bench) -> str:
    """The session in Firefox; gives the exported file."""
    firefox.go(bench.site.url("form.html"))
    page = firefox.tab()
    popup = firefox.open_own_page("popup.html")
    firefox.type("#task", 'Add "Ada"')
    firefox.click("#start")
    firefox.find("#running:not([hidden])")
    firefox.use(page)
    firefox.type("#full", "Ada")
    firefox.type("#pw", "hunter22")
    firefox.click("form > button")
    firefox.find("[role=status]")
    firefox.go(bench.site.url("redirect.html"))
    firefox.type("#t", "New")
    firefox.click("form button")
    firefox.find("[data-ack]")
    firefox.use(popup)
    firefox.click("#stop")
    firefox.find("#begin:not([hidden])")
    return str(firefox.run(EXPORT))


async def act(page: Page) -> None:
    """The same session by Playwright."""
    await page.get_by_label("Full name").press_sequentially("Ada")
    await page.get_by_label("Password").press_sequentially("hunter22")
    await page.get_by_role("button", name="Save member").click()
    await page.get_by_role("status").wait_for()
    await page.goto(page.url.replace("form", "redirect"))
    await page.get_by_label("Title").press_sequentially("New")
    await page.get_by_role("button", name="Update page").click()
    await page.locator("[data-ack]").wait_for()


def essence(trajectory: Trajectory) -> list[Any]:
    """Kinds, elements, values, writes, places, in order; what depends on time is left out."""

    def row(event: Event) -> Any:
        if event.element is not None:
            element = event.element
            return (event.kind, element.role, element.name, element.xpath, event.value)
        if event.request is not None and event.response is not None:
            request = event.request
            status, location = event.response.status, event.response.location
            return (event.kind, request.method, request.url, request.body, status, location)
        return (event.kind, event.to_url)

    return [row(e) for e in trajectory.events if not e.effects]


async def test_firefox_records_the_same(bench: Bench, tmp_path: Path) -> None:
    command = shutil.which("firefox-esr") or shutil.which("firefox")
    if command is None:
        pytest.skip("there is no Firefox; install one (apt-get install firefox-esr)")
    built = build_extension(tmp_path / "unpacked", "firefox")
    with open_firefox(command, tmp_path / "profile", built, FIREFOX_ID) as firefox:
        exported = perform(firefox, bench)
    path = tmp_path / "firefox.export.jsonl"
    path.write_text(exported, encoding="utf-8")
    assert "hunter22" not in exported
    ours = read_recording(import_export(path, tmp_path / "imported"))
    theirs = await bench.demonstrate("form.html", act)
    # There the recording begins before the page is opened.
    assert essence(ours) == essence(theirs)[1:]
    assert ours.health is not None and ours.health.is_sound
    assert all(e.snapshot for e in ours.events if e.kind.is_interaction)
