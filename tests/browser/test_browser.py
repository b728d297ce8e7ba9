"""Finding, opening and walling in a browser."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from playwright.async_api import Browser, async_playwright
from playwright.async_api import PlaywrightContextManager as AsyncManager
from playwright.sync_api import PlaywrightContextManager as SyncManager

from odokit import browser as browser_module
from odokit.browser import find_chromium, new_context, open_browser
from odokit.config import Settings
from odokit.errors import BrowserError

pytestmark = pytest.mark.browser


@dataclass
class Site:
    """A server of one page that counts what it is asked for.

    Attributes:
        origin: Its address.
        paths: What it was asked for, in order.
        redirect: Where `/away` leads.
    """

    origin: str = ""
    paths: list[str] = field(default_factory=list)
    redirect: str = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request and close."""
        request = (await reader.readuntil(b"\r\n\r\n")).decode().split()
        path = request[1]
        self.paths.append(path)
        body = b"1" if path.endswith(".js") else b"<title>page</title><script src=/a.js></script>"
        kind = "text/javascript" if path.endswith(".js") else "text/html"
        head = ["HTTP/1.1 302 Found", f"Location: {self.redirect}"]
        if path != "/away":
            head = ["HTTP/1.1 200 OK", f"Content-Type: {kind}", "Access-Control-Allow-Origin: *"]
        head += ["Cache-Control: max-age=3600", f"Content-Length: {len(body)}", "Connection: close"]
        writer.write("\r\n".join([*head, "", ""]).encode() + body)
        await writer.drain()
        writer.close()


@pytest.fixture
async def sites() -> AsyncIterator[tuple[Site, Site]]:
    """The application's own server, and one that must not be reached."""
    home, away = Site(), Site()
    async with AsyncExitStack() as stack:
        for site in (home, away):
            server = await asyncio.start_server(site.answer, "127.0.0.1", 0)
            await stack.enter_async_context(server)
            site.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        home.redirect = f"{away.origin}/redirected"
        yield home, away


def script(path: Path, text: str) -> Path:
    """An executable file that stands for a browser."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_browser_is_found_and_says_its_version(settings: Settings) -> None:
    choice = find_chromium(settings)
    assert choice.path.exists()
    assert "Chrom" in choice.version


async def test_a_browser_is_found_where_an_event_loop_runs(settings: Settings) -> None:
    async with async_playwright() as playwright:
        assert find_chromium(settings, playwright=playwright) == find_chromium(settings)


def test_the_setting_comes_first(settings: Settings, tmp_path: Path) -> None:
    fake = script(tmp_path / "fake", "echo Chromium 1.2.3")
    choice = find_chromium(dataclasses.replace(settings, browser=fake))
    assert (choice.path, choice.source, choice.version) == (fake, "setting", "Chromium 1.2.3")


@pytest.mark.parametrize("exists", [False, True])
def test_a_set_browser_that_does_not_work_is_named(
    settings: Settings, tmp_path: Path, exists: bool
) -> None:
    path = script(tmp_path / "broken", "exit 1") if exists else tmp_path / "gone"
    with pytest.raises(BrowserError) as caught:
        find_chromium(dataclasses.replace(settings, browser=path))
    message = str(caught.value)
    assert str(path) in message
    assert "ODOKIT_BROWSER" in message
    assert "Correct the setting" in message


def test_playwrights_own_comes_before_the_system_and_a_stub_is_passed_over(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = dataclasses.replace(settings, browser=None)
    own = tmp_path / "own"
    monkeypatch.setattr(browser_module, "_ask_playwright", lambda: str(own))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser_module.platform, "system", lambda: "Linux")
    script(tmp_path / "chromium", "echo get the snap; exit 10")
    system = script(tmp_path / "google-chrome", "echo Chrome 2")
    assert find_chromium(settings).path == system
    assert find_chromium(settings).source == "system"
    script(own, "echo Chromium 3")
    assert find_chromium(settings).source == "playwright"


def test_no_browser_at_all_is_told_with_the_cure(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser_module, "_ask_playwright", lambda: str(tmp_path / "own"))
    monkeypatch.setattr(browser_module, "APPLICATIONS", ())
    script(tmp_path / "apt-get", "exit 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BrowserError) as caught:
        find_chromium(dataclasses.replace(settings, browser=None))
    message = str(caught.value)
    for command in (
        "make browser",
        "python -m playwright install chromium",
        "apt-get install chromium",
    ):
        assert f"`{command}`" in message
    assert "\n" not in message


async def test_a_browser_that_does_not_start_is_told_in_a_line(
    settings: Settings, tmp_path: Path
) -> None:
    fake = script(tmp_path / "fake", 'test "$1" = --version && echo Chromium 9')
    with pytest.raises(BrowserError, match=r"Chromium 9.*did not start.*odokit doctor") as caught:
        async with open_browser(dataclasses.replace(settings, browser=fake)):
            pass
    assert "\n" not in str(caught.value)


async def test_a_driver_that_does_not_start_is_told_with_the_cure(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = dataclasses.replace(settings, browser=None)
    # What Playwright itself raises where its driver lacks a library.
    failing = AsyncMock(side_effect=Exception("Connection closed while reading from the driver"))
    monkeypatch.setattr(AsyncManager, "start", failing)
    monkeypatch.setattr(SyncManager, "start", lambda self: asyncio.run(failing()))
    with pytest.raises(BrowserError, match=r"Connection closed.*apt-get install libatomic1"):
        find_chromium(settings)
    with pytest.raises(BrowserError, match=r"Connection closed.*apt-get install libatomic1"):
        async with open_browser(settings):
            pass


async def test_the_choice_is_logged(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="odokit.browser"):
        async with open_browser(settings) as opened:
            assert opened.is_connected()
    assert not opened.is_connected(), "the browser is closed with the block"
    assert "opened" in caplog.text


async def test_a_page_looks_the_same_on_every_machine(browser: Browser) -> None:
    context = await new_context(browser, viewport=(900, 700))
    page = await context.new_page()
    facts = await page.evaluate(
        """() => ({
            size: [innerWidth, innerHeight],
            language: navigator.language,
            zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
            still: matchMedia('(prefers-reduced-motion: reduce)').matches,
        })"""
    )
    expected = {"size": [900, 700], "language": "en-US", "zone": "UTC", "still": True}
    assert facts == expected
    await context.close()


async def test_a_context_begins_with_a_stored_state(browser: Browser, tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    cookie = '{"name":"a","value":"1","domain":"127.0.0.1","path":"/","expires":-1,'
    flags = '"httpOnly":false,"secure":false,"sameSite":"Lax"}'
    state.write_text(f'{{"cookies":[{cookie}{flags}],"origins":[]}}')
    context = await new_context(browser, storage_state=state)
    assert [(c.get("name"), c.get("value")) for c in await context.cookies()] == [("a", "1")]
    await context.close()


LEAKS = {
    "fetch": "fetch(`${away}/fetch`)",
    "redirected fetch": "fetch('/away')",
    "image": """new Promise((done, failed) => {
        const image = new Image(); image.onload = done; image.onerror = failed;
        image.src = `${away}/image`; })""",
    "web socket": """new Promise((done, failed) => {
        const socket = new WebSocket(away.replace('http', 'ws'));
        socket.onopen = done; socket.onerror = failed; })""",
    "worker": """new Promise((done, failed) => {
        const code = `fetch('${away}/worker').then(() => postMessage(1), () => postMessage(0))`;
        const worker = new Worker(URL.createObjectURL(new Blob([code])));
        worker.onmessage = (m) => m.data ? done() : failed(); })""",
    "other name of this machine": "fetch(`${away.replace('127.0.0.1', 'localhost')}/name`)",
}


@pytest.mark.parametrize("leak", LEAKS)
async def test_nothing_leaves_the_allowed_origins(
    browser: Browser, sites: tuple[Site, Site], leak: str
) -> None:
    home, away = sites
    context = await new_context(browser, allowed_origins=[home.origin])
    page = await context.new_page()
    await page.goto(home.origin)
    attempt = f"(away) => {LEAKS[leak]}.then(() => 'reached', () => 'refused')"
    assert await page.evaluate(attempt, away.origin) == "refused"
    assert away.paths == []
    await context.close()


async def test_what_is_no_request_passes(browser: Browser, sites: tuple[Site, Site]) -> None:
    home, _ = sites
    context = await new_context(browser, allowed_origins=[home.origin])
    page = await context.new_page()
    await page.goto("about:blank")
    await page.goto(home.origin)
    read = "(url) => fetch(url).then((answer) => answer.text())"
    assert await page.evaluate(read, "data:,text") == "text"
    blob = await page.evaluate("URL.createObjectURL(new Blob(['blob']))")
    assert await page.evaluate(read, blob) == "blob"
    await context.close()


async def test_the_wall_leaves_the_http_cache_on(
    browser: Browser, sites: tuple[Site, Site]
) -> None:
    home, _ = sites
    context = await new_context(browser, allowed_origins=[home.origin])
    page = await context.new_page()
    await page.goto(f"{home.origin}/first")
    await page.goto(f"{home.origin}/second")
    assert home.paths.count("/a.js") == 1
    await context.close()


async def test_several_origins_may_be_allowed_or_all(
    browser: Browser, sites: tuple[Site, Site]
) -> None:
    for allowed in ([site.origin for site in sites], []):
        context = await new_context(browser, allowed_origins=allowed)
        page = await context.new_page()
        for site in sites:
            answer = await page.goto(site.origin)
            assert answer is not None
            assert answer.ok
        await context.close()


@pytest.mark.parametrize("origin", ["127.0.0.1:8080", "ftp://127.0.0.1", "http://a:b", ""])
async def test_an_allowed_origin_must_be_a_web_address(browser: Browser, origin: str) -> None:
    with pytest.raises(BrowserError, match="not an http or https address"):
        await new_context(browser, allowed_origins=[origin])
