"""The browser extension records what the Playwright session records, through the same script."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from conftest import Act, Bench
from playwright.async_api import BrowserContext, Page, async_playwright
from scenes import SCENES, Scene
from site_server import SiteServer

from odokit import browser as browsers
from odokit.config import Settings
from odokit.events import Event, Trajectory, read_recording
from odokit.record.extension import build_extension, import_export

pytestmark = pytest.mark.browser


@dataclass
class ExtensionHost:
    """A Chromium with the extension, and the extension's popup in a tab of its own."""

    context: BrowserContext
    popup: Page
    site: SiteServer
    folder: Path
    complaints: list[str] = field(default_factory=list)

    async def start(self, task: str = "") -> Page:
        """Open a tab and start recording it."""
        self.site.reset()
        page = await self.context.new_page()
        page.set_default_timeout(5_000)
        await self.popup.fill("#task", task)
        await self.popup.click("#start")
        await self.popup.wait_for_selector("#running:visible")
        return page

    async def stop(self) -> Path:
        """Stop recording and export the recording."""
        await self.popup.click("#stop")
        await self.popup.wait_for_selector("#begin:visible")
        async with self.popup.expect_download() as awaited:
            await self.popup.get_by_role("button", name="Export").first.click()
        download = await awaited.value
        path = self.folder / download.suggested_filename
        await download.save_as(path)
        return path

    async def demonstrate(self, page_name: str, act: Act, task: str = "") -> Trajectory:
        """Record what `act` does on a page of the site."""
        page = await self.start(task)
        try:
            await page.goto(self.site.url(page_name))
            await act(page)
            path = await self.stop()
        finally:
            for tab in self.context.pages:
                if tab is not self.popup:
                    await tab.close()
        return read_recording(import_export(path, self.folder / "imported"))


@pytest.fixture(scope="session")
async def host(
    site: SiteServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ExtensionHost]:
    """The extension in a real browser, one for the whole run."""
    folder = tmp_path_factory.mktemp("extension")
    built = build_extension(folder / "unpacked")
    async with async_playwright() as playwright:
        choice = browsers.find_chromium(Settings.load(folder), playwright=playwright)
        if "Google Chrome" in choice.version:
            pytest.skip("Google Chrome loads no extension from the command line; use Chromium")
        context = await playwright.chromium.launch_persistent_context(
            folder / "profile",
            executable_path=choice.path,
            headless=True,
            ignore_default_args=["--disable-extensions"],
            chromium_sandbox=browsers._has_sandbox(),
            args=[
                *browsers.FLAGS,
                f"--load-extension={built}",
                f"--disable-extensions-except={built}",
            ],
            locale=browsers.LOCALE,
            timezone_id=browsers.TIMEZONE,
        )
        workers = context.service_workers
        worker = workers[0] if workers else await context.wait_for_event("serviceworker")
        popup = await context.new_page()
        await popup.goto(worker.url.replace("background.js", "popup.html"))
        opened = ExtensionHost(context, popup, site, folder)
        for page in (worker, popup):
            page.on("console", lambda message: opened.complaints.append(message.text))
        yield opened
        await context.close()


def acts(trajectory: Trajectory) -> list[Event]:
    """What the person did, without what depends on time."""
    same = {"idx": 0, "t_ms": 0.0, "snapshot": None}
    return [e.model_copy(update=same) for e in trajectory.events if e.kind.is_interaction]


def places(trajectory: Trajectory) -> list[tuple[int, str, str]]:
    """Where the tabs went."""
    return [(e.tab, e.from_url, e.to_url) for e in trajectory.events if e.to_url]


def writes(trajectory: Trajectory) -> list[tuple[Any, ...]]:
    """What was sent and how it was answered, but for what a page sends by the clock."""
    found: list[tuple[Any, ...]] = []
    for event in trajectory.events:
        if event.request is None or event.request.url.endswith("/api/ping"):
            continue
        assert event.response is not None
        request = event.request.model_copy(update={"initiator": ""})
        status, location = event.response.status, event.response.location
        found.append((event.kind, event.tab, event.url, request, status, location))
    return found


def answers(trajectory: Trajectory) -> dict[str, Any]:
    """Bodies of answers by address, as far as they were read."""
    return {
        e.request.url: e.response.body
        for e in trajectory.events
        if e.request is not None and e.response is not None and e.response.body is not None
    }


QUICK = {"form", "graphql", "frames", "redirect", "select", "shadow", "tab", "tiny"}
MARKED = [
    pytest.param(scene, id=name, marks=() if name in QUICK else pytest.mark.slow)
    for name, scene in SCENES.items()
]


@pytest.mark.parametrize("scene", MARKED)
async def test_both_hosts_record_the_same(scene: Scene, host: ExtensionHost, bench: Bench) -> None:
    task = scene.task(scene.demonstrated)
    ours = await host.demonstrate(scene.page, scene.act, task)
    theirs = await bench.demonstrate(scene.page, scene.act, task=task)
    assert acts(ours) == acts(theirs)
    assert places(ours) == places(theirs)
    assert writes(ours) == writes(theirs)
    # The extension reads answers that the page itself does not look at.
    assert answers(theirs).items() <= answers(ours).items()
    assert ours.header.task == task
    assert all(e.snapshot for e in ours.events if e.kind.is_interaction)
    assert ours.health is not None and theirs.health is not None
    assert ours.health.gaps == theirs.health.gaps
    assert ours.health.self_tests == theirs.health.self_tests
    assert host.complaints == []
