"""The browser extension records what the Playwright session records, through the same script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from conftest import Act, Bench
from playwright.async_api import BrowserContext, Page, async_playwright
from playwright.async_api import Error as PlaywrightError
from scenes import SCENES, Scene
from sessions import SESSIONS, event_lines, gap_kinds, in_order
from site_server import SiteServer

from odokit import browser as browsers
from odokit.config import Settings
from odokit.events import Event, EventKind, Trajectory, read_recording
from odokit.record.extension import build_extension, import_export

pytestmark = pytest.mark.browser


EXPORT = """async () => {
    const journal = await import('./journal.js');
    const [session] = await journal.getSessions();
    return (await journal.exportFile(session)).text();
}"""


@dataclass
class ExtensionHost:
    """A Chromium with the extension, and the extension's popup in a tab of its own."""

    context: BrowserContext
    popup: Page
    site: SiteServer
    folder: Path
    complaints: list[str] = field(default_factory=list)

    async def start(self, task: str = "", url: str = "") -> Page:
        """Open a tab, at an address if one is given, and start recording it."""
        self.site.reset()
        page = await self.context.new_page()
        page.set_default_timeout(5_000)
        if url:
            await page.goto(url)
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
            return await self.finish()
        finally:
            await self.close_tabs()

    async def finish(self) -> Trajectory:
        """Stop recording, export and import."""
        return read_recording(import_export(await self.stop(), self.folder / "imported"))

    async def close_tabs(self) -> None:
        """Close every tab but the popup's."""
        for tab in self.context.pages:
            if tab is not self.popup:
                await tab.close()


@asynccontextmanager
async def opened_host(site: SiteServer, folder: Path) -> AsyncIterator[ExtensionHost]:
    """Open a browser with the extension; its profile stays in the folder."""
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


@pytest.fixture(scope="session")
async def host(
    site: SiteServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[ExtensionHost]:
    """The extension in a real browser, one for the whole run."""
    async with opened_host(site, tmp_path_factory.mktemp("extension")) as opened:
        yield opened


def acts(trajectory: Trajectory) -> list[Event]:
    """What the person did, without what depends on time.

    An editor tells of its text when it rests, which is once or more often for one entry.
    """
    same = {"idx": 0, "t_ms": 0.0, "snapshot": None}
    found: list[Event] = []
    for event in trajectory.events:
        if not event.kind.is_interaction:
            continue
        assert event.element is not None
        last = found[-1] if found else None
        if (
            event.kind is EventKind.RICH_TEXT
            and last is not None
            and last.element is not None
            and (last.kind, last.element.xpath) == (event.kind, event.element.xpath)
        ):
            found.pop()
        found.append(event.model_copy(update=same))
    return found


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
        status, location = event.response.status, event.response.location
        found.append((event.kind, event.tab, event.url, event.request, status, location))
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


# Playwright takes downloads over, names included; test_a_download_bears_its_name has one.
OF_ITS_OWN = "download"


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in SESSIONS if name != OF_ITS_OWN])
async def test_the_session_is_recorded_whole(host: ExtensionHost, name: str) -> None:
    session = SESSIONS[name]
    trajectory = await host.demonstrate(session.page, session.act)
    assert in_order(event_lines(trajectory, session.page)) == in_order(session.events)
    assert gap_kinds(trajectory) == list(session.gaps)
    assert trajectory.health is not None
    assert all(test.failed == () for test in trajectory.health.self_tests)


@pytest.mark.slow
async def test_a_download_bears_its_name(site: SiteServer, tmp_path: Path) -> None:
    preferences = tmp_path / "profile" / "Default" / "Preferences"
    preferences.parent.mkdir(parents=True)
    where = {"default_directory": str(tmp_path / "downloads"), "prompt_for_download": False}
    preferences.write_text(json.dumps({"download": where}))
    session = SESSIONS[OF_ITS_OWN]
    async with opened_host(site, tmp_path) as host:
        page = await host.start(url=site.url(session.page))
        browser = await host.context.new_cdp_session(page)
        await browser.send("Browser.setDownloadBehavior", {"behavior": "default"})
        await page.get_by_role("button", name="Export grades").click()
        await page.get_by_role("status").wait_for()
        await host.popup.click("#stop")
        await host.popup.wait_for_selector("#begin:visible")
        exported = await host.popup.evaluate(EXPORT)
    path = tmp_path / "it.export.jsonl"
    path.write_text(exported, encoding="utf-8")
    trajectory = read_recording(import_export(path, tmp_path / "imported"))
    assert [e.download for e in acts(trajectory)] == ["grades.csv"]


async def test_an_open_page_is_recorded_from_the_start_and_again_after_a_stop(
    host: ExtensionHost,
) -> None:
    page = await host.start(url=host.site.url("form.html"))
    await page.get_by_label("Full name").fill("Ada")
    first = await host.finish()
    await page.get_by_label("About").fill("never recorded")
    await host.popup.click("#start")
    await host.popup.wait_for_selector("#running:visible")
    await page.get_by_label("E-mail").fill("a@b.org")
    await page.get_by_role("button", name="Save member").click()
    await page.get_by_role("status").wait_for()
    second = await host.finish()
    await host.close_tabs()
    assert [e.value for e in acts(first)] == ["Ada"]
    assert [e.element and e.element.name for e in acts(second)] == ["E-mail", "Save member"]
    assert len(writes(second)) == 1
    assert first.header.start_url == host.site.url("form.html")


async def test_counts_are_live_and_the_badge_tells_that_it_records(host: ExtensionHost) -> None:
    page = await host.start(url=host.site.url("form.html"))
    await page.get_by_label("Full name").fill("Ada")
    await page.get_by_label("About").fill("x")
    row = host.popup.locator("#counts tr", has_text="data entry")
    await row.get_by_text("2", exact=True).wait_for()
    badge = "() => chrome.action.getBadgeText({})"
    assert await host.popup.evaluate(badge) == "2"
    await host.stop()
    assert await host.popup.evaluate(badge) == ""
    await host.close_tabs()


REWRITE = """() => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const inner = frame.contentDocument;
    inner.open();
    inner.write('<body contenteditable aria-label="Letter"><p>Dear</p></body>');
    inner.close();
}"""


async def test_an_editor_whose_document_is_written_by_the_page_is_recorded(
    host: ExtensionHost, bench: Bench
) -> None:
    async def act(page: Page) -> None:
        await page.evaluate(REWRITE)
        await page.frame_locator("iframe").locator("body").fill("Dear Ada")

    ours = await host.demonstrate("done.html", act)
    theirs = await bench.demonstrate("done.html", act)
    assert acts(ours) == acts(theirs)
    (event,) = acts(ours)
    assert (event.kind, event.value) == (EventKind.RICH_TEXT, "Dear Ada")


async def test_other_tabs_of_the_person_are_left_alone(host: ExtensionHost) -> None:
    other = await host.context.new_page()
    await other.goto(host.site.url("form.html"))
    page = await host.start(url=host.site.url("form.html"))
    await other.get_by_label("Full name").fill("private")
    await page.get_by_label("Full name").fill("Ada")
    path = await host.stop()
    await host.close_tabs()
    assert "private" not in path.read_text(encoding="utf-8")


LISTEN = """() => {
    window.nodes = [window];
    const dispatch = EventTarget.prototype.dispatchEvent;
    EventTarget.prototype.dispatchEvent = function (event) {
        nodes.push(this);
        return dispatch.call(this, event);
    };
    window.addEventListener('odokit-hello', e => nodes.push(e.relatedTarget), true);
    window.dispatchEvent(new Event('odokit-ready'));
}"""
FORGE = """() => {
    window.__odokit_emit?.('{"kind":"gap","what":"forged"}');
    window.__odokit_out?.('{"kind":"gap","what":"forged"}');
    const line = '{"doc":"x","edge":"x","data":{"kind":"gap","what":"forged"}}';
    const isOurs = node => node && node !== window && node.localName !== 'odokit-probe';
    const found = nodes.filter(isOurs).length;
    for (const node of [...nodes]) {
        for (const type of ['told', 'odokit-hello']) {
            node?.dispatchEvent(new CustomEvent(type, {detail: line}));
        }
    }
    return found;
}"""


async def test_a_page_cannot_put_words_into_a_recording(host: ExtensionHost) -> None:
    page = await host.start()
    await page.goto(host.site.url("form.html"))
    await page.evaluate(LISTEN)
    await page.get_by_label("Full name").fill("Ada")
    assert await page.evaluate(FORGE) == 0
    path = await host.stop()
    await host.close_tabs()
    assert "forged" not in path.read_text(encoding="utf-8")
    assert '"data_entry"' in path.read_text(encoding="utf-8")


async def test_secrets_do_not_reach_the_exported_file(host: ExtensionHost) -> None:
    page = await host.context.new_page()
    await host.popup.locator("summary").click()
    await host.popup.fill("#secrets", 'My "dear" word\nother word')
    await host.popup.fill("#task", 'Say My "dear" word')
    await page.goto(host.site.url("form.html"))
    await host.popup.click("#start")
    await host.popup.wait_for_selector("#running:visible")
    await page.get_by_label("Password").press_sequentially("hunter-2-22")
    await page.get_by_role("button", name="Show password").click()
    await page.get_by_label("Full name").fill('I: My "dear" word & more')
    await page.get_by_role("button", name="Save member").click()
    await page.get_by_role("status").wait_for()
    await page.goto(
        host.site.url("done.html?access_token=abcdef123456&q=My+%22dear%22+word&pin=4711")
    )
    await page.get_by_role("button", name="Acknowledge").click()
    path = await host.stop()
    await host.close_tabs()
    text = path.read_text(encoding="utf-8")
    for secret in ("hunter-2-22", "dear", "abcdef123456", "=4711"):
        assert secret not in text
    assert host.site.bodies("POST", "/api/members")[0]["pw"] == "hunter-2-22"
    trajectory = read_recording(import_export(path, host.folder / "imported"))
    write = writes(trajectory)[0]
    assert write[3].body["pw"] == "{{secret:pw}}"


async def test_a_worker_s_write_is_reported_as_a_gap(host: ExtensionHost) -> None:
    page = await host.start(url=host.site.url("form.html"))
    await page.get_by_label("Full name").fill("Ada")
    await page.evaluate(
        """url => new Promise(done => {
            const code = `fetch('${url}', {method: 'POST', body: '{}'}).then(() => postMessage(1))`;
            new Worker(URL.createObjectURL(new Blob([code]))).onmessage = done;
        })""",
        host.site.url("api/from-worker"),
    )
    trajectory = await host.finish()
    await host.close_tabs()
    assert [w[3].url for w in writes(trajectory)] == [host.site.url("api/from-worker")]
    assert any("no script of the page" in gap for gap in trajectory.gaps)


async def test_frames_of_another_origin_are_placed(host: ExtensionHost) -> None:
    inner = host.site.url("form.html").replace("127.0.0.1", "localhost")
    page = await host.start(url=host.site.url("done.html"))
    await page.evaluate(
        """url => { const frame = document.createElement('iframe');
            frame.src = url; frame.width = 600; frame.height = 500;
            document.body.append(document.createElement('iframe'), frame); }""",
        inner,
    )
    await page.frame_locator("iframe >> nth=1").get_by_label("Full name").fill("Ada")
    trajectory = await host.finish()
    await host.close_tabs()
    (event,) = acts(trajectory)
    assert event.element is not None
    assert event.element.frame == ("/html/body/iframe[2]",)
    assert event.url == host.site.url("done.html")


async def test_a_killed_browser_loses_at_most_the_last_event(
    site: SiteServer, tmp_path: Path
) -> None:
    with pytest.raises(PlaywrightError):
        async with opened_host(site, tmp_path) as host:
            page = await host.start("Fill in", url=site.url("form.html"))
            for label, value in (("Full name", "Ada"), ("About", "maths"), ("Age", "36")):
                await page.get_by_label(label).fill(value)
            row = host.popup.locator("#counts tr", has_text="data entry")
            await row.get_by_text("2").or_(row.get_by_text("3")).wait_for()
            gone = page.wait_for_event("close", timeout=0)
            for process in psutil.process_iter(["cmdline"]):
                line = process.info["cmdline"] or []
                if f"--user-data-dir={tmp_path / 'profile'}" in line:
                    process.kill()
            await gone
            await host.popup.title()
    async with opened_host(site, tmp_path) as host:
        await host.popup.get_by_text("cut short").wait_for()
        async with host.popup.expect_download() as awaited:
            await host.popup.get_by_role("button", name="Export").click()
        path = tmp_path / "left.export.jsonl"
        await (await awaited.value).save_as(path)
        await host.popup.get_by_role("button", name="Delete").click()
        await host.popup.wait_for_selector("#kept", state="hidden")
    trajectory = read_recording(import_export(path, tmp_path / "imported"))
    assert [e.value for e in acts(trajectory)] in (["Ada", "maths"], ["Ada", "maths", "36"])
    assert any("the browser ended" in gap for gap in trajectory.gaps)
