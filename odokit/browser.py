"""Find a Chromium, open it, and open contexts that behave the same on every run.

The order is: the `browser` setting, Playwright's own download, then what the system has. Any recent
Chromium or Chrome will do; Playwright does not need the exact build it was released with.
"""

from __future__ import annotations

import logging
import os
import platform
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from playwright.async_api import (
    Browser,
    BrowserContext,
    Playwright,
    ProxySettings,
    ViewportSize,
    async_playwright,
)
from playwright.async_api import Error as PlaywrightError
from playwright.sync_api import sync_playwright

from odokit.config import Settings
from odokit.errors import BrowserError

logger = logging.getLogger(__name__)

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
# Each switches off traffic or dialogs of the browser's own, which a recording must not contain.
FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
)
VIEWPORT = (1280, 900)
LOCALE = "en-US"
TIMEZONE = "UTC"
LAUNCH_TIMEOUT_MS = 30_000
VERSION_TIMEOUT_S = 20
# Nothing an ordinary user starts can listen on port 1, so every request sent there is refused.
_REFUSING_PROXY = "http://127.0.0.1:1"
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class BrowserChoice:
    """A browser that was found and answers.

    Attributes:
        path: Its executable.
        source: Why this one: named by the setting, downloaded by Playwright, or on the system.
        version: What `--version` prints, such as `Chromium 156.0.8078.114`.
    """

    path: Path
    source: Literal["setting", "playwright", "system"]
    version: str


def find_chromium(settings: Settings, *, playwright: Playwright | None = None) -> BrowserChoice:
    """Find the browser to use.

    Args:
        settings: A browser named there is taken, or refused, before any other is looked at.
        playwright: A started Playwright, to be asked where its own download lies; when None, one is
            started for the question, which takes about 0.3 s.

    Raises:
        BrowserError: The named browser does not work, or there is none at all; the message holds
            the command that mends it.
    """
    if settings.browser is not None:
        version = _version_of(settings.browser)
        if version is None:
            raise BrowserError(
                f"the browser set by ODOKIT_BROWSER or odokit.toml, {settings.browser}, does not "
                "exist or does not run. Correct the setting, or remove it to let odokit look for "
                "a Chromium itself."
            )
        return BrowserChoice(settings.browser, "setting", version)
    own = Path(playwright.chromium.executable_path if playwright else _ask_playwright())
    if own.exists() and (version := _version_of(own)):
        return BrowserChoice(own, "playwright", version)
    for path in _system_candidates():
        if version := _version_of(path):
            return BrowserChoice(path, "system", version)
    raise BrowserError(
        f"no Chromium found: no browser is set, Playwright's own is not at {own}, and none of "
        f"{', '.join(COMMANDS)} works on this machine. {cure()}"
    )


def cure() -> str:
    """The sentence that tells a user of this platform how to get a browser."""
    commands = ["`make browser`", "`python -m playwright install chromium`"]
    if shutil.which("apt-get"):
        commands.append("`apt-get install chromium` (as root)")
    return f"Run {', or '.join(commands)}; or set ODOKIT_BROWSER to one you have."


@asynccontextmanager
async def open_browser(settings: Settings, *, headless: bool = True) -> AsyncIterator[Browser]:
    """Open the browser for the length of a block.

    Args:
        settings: Where to look for the browser.
        headless: Whether it runs without a window.

    Raises:
        BrowserError: None is found, or it does not start.
    """
    async with _started_playwright() as playwright:
        choice = find_chromium(settings, playwright=playwright)
        with _start_errors(choice):
            browser = await playwright.chromium.launch(
                executable_path=choice.path,
                headless=headless,
                args=list(FLAGS),
                chromium_sandbox=_has_sandbox(),
                timeout=LAUNCH_TIMEOUT_MS,
            )
        logger.info("opened %s, %s, from %s", choice.version, choice.path, choice.source)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def open_window(
    settings: Settings, *, profile: Path | None = None
) -> AsyncIterator[BrowserContext]:
    """Open a browser window for a person, in which a page looks as in `new_context`.

    An interrupt (Ctrl-C) does not close it: whoever opened it decides what to do then.

    Args:
        settings: Where to look for the browser.
        profile: Folder that keeps cookies and sign-ins from one time to the next, made when it is
            not there; None for a window that forgets everything.

    Raises:
        BrowserError: There is no display, no browser is found, or it does not start.
    """
    if not has_display():
        raise BrowserError(
            "a window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set. Work in a "
            "desktop session, or connect with `ssh -X`; `xvfb-run -a` gives a display nobody sees, "
            "for scripts. Or record in a browser of your own with the extension "
            "(`odokit extension build FOLDER`)."
        )
    async with _started_playwright() as playwright:
        choice = find_chromium(settings, playwright=playwright)
        with _start_errors(choice):
            context = await playwright.chromium.launch_persistent_context(
                profile or "",  # Playwright makes a folder, and removes it when the browser is gone
                executable_path=choice.path,
                headless=False,
                args=list(FLAGS),
                chromium_sandbox=_has_sandbox(),
                handle_sigint=False,
                timeout=LAUNCH_TIMEOUT_MS,
                viewport=ViewportSize(width=VIEWPORT[0], height=VIEWPORT[1]),
                locale=LOCALE,
                timezone_id=TIMEZONE,
                reduced_motion="reduce",
                service_workers="block",
            )
        logger.info("opened a window of %s, %s", choice.version, choice.path)
        try:
            yield context
        finally:
            with suppress(PlaywrightError):  # the person has closed it already
                await context.close()


def has_display() -> bool:
    """Whether a window can be shown here."""
    if platform.system() != "Linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


async def new_context(
    browser: Browser,
    *,
    storage_state: Path | None = None,
    allowed_origins: Sequence[str] = (),
    viewport: tuple[int, int] = VIEWPORT,
) -> BrowserContext:
    """Open a context in which a page looks and behaves the same on every run.

    Requests that leave the allowed origins fail, redirects, workers and web sockets included. They
    are sent to a proxy that refuses them rather than intercepted: Playwright's routes do not see
    redirects, and they switch the HTTP cache off. Allowed origins are reached without a proxy.

    Args:
        browser: An open browser.
        storage_state: Cookies and local storage to begin with, as Playwright saves them.
        allowed_origins: Origins such as `http://127.0.0.1:8080`; when empty, all are allowed.
        viewport: Width and height of the page in CSS pixels.

    Raises:
        BrowserError: An allowed origin is not an http or https address.
    """
    width, height = viewport
    proxy = None
    if allowed_origins:
        bypass = ",".join(_host_and_port(origin) for origin in allowed_origins)
        proxy = ProxySettings(server=_REFUSING_PROXY, bypass=bypass)
    return await browser.new_context(
        storage_state=storage_state,
        proxy=proxy,
        viewport=ViewportSize(width=width, height=height),
        locale=LOCALE,
        timezone_id=TIMEZONE,
        reduced_motion="reduce",
        service_workers="block",
    )


@asynccontextmanager
async def _started_playwright() -> AsyncIterator[Playwright]:
    try:
        playwright = await async_playwright().start()
    except Exception as error:  # Playwright raises no narrower type when its driver dies
        raise _driver_error(error) from error
    try:
        yield playwright
    finally:
        await playwright.stop()


def _ask_playwright() -> str:
    """Where Playwright keeps its own Chromium, downloaded or not."""

    def ask() -> str:
        try:
            playwright = sync_playwright().start()
        except Exception as error:  # as above
            raise _driver_error(error) from error
        try:
            return playwright.chromium.executable_path
        finally:
            playwright.stop()

    # The synchronous interface refuses a thread with a running event loop, as in a notebook.
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(ask).result()


def _driver_error(error: Exception) -> BrowserError:
    return BrowserError(
        f"Playwright's driver does not start ({error}). On a bare Debian or Ubuntu it lacks "
        "libatomic: run `make browser`, or `apt-get install libatomic1` (as root). Elsewhere run "
        "`pip install --force-reinstall playwright`."
    )


def _system_candidates() -> Iterator[Path]:
    for command in COMMANDS:
        if found := shutil.which(command):
            yield Path(found)
    if platform.system() == "Darwin":
        yield from (Path(application) for application in APPLICATIONS)


def _version_of(path: Path) -> str | None:
    """What a browser says it is; None when it is not there or does not run.

    Ubuntu's `chromium-browser` without its snap, and a download without its system libraries, are
    there but do not run.
    """
    try:
        answer = subprocess.run(
            [path, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.SubprocessError) as error:
        logger.debug("%s does not run: %s", path, error)
        return None
    return answer.stdout.strip() or None


@contextmanager
def _start_errors(choice: BrowserChoice) -> Iterator[None]:
    try:
        yield
    except PlaywrightError as error:
        raise BrowserError(
            f"{choice.path} ({choice.version}) did not start: {_gist(error)}. "
            "`odokit doctor` examines the set-up."
        ) from error


def _has_sandbox() -> bool:
    """Whether Chromium can have its sandbox; Playwright's default is none at all.

    It refuses one to root, and a container has no user namespaces to build it from.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    marks = (Path("/.dockerenv"), Path("/run/.containerenv"))
    return not is_root and not any(mark.exists() for mark in marks)


def _host_and_port(origin: str) -> str:
    try:
        parts = urlsplit(origin)
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
    except (KeyError, ValueError) as error:
        raise BrowserError(
            f"allowed origin {origin!r} is not an http or https address. "
            "Write it as in http://127.0.0.1:8080."
        ) from error
    host = parts.hostname or ""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _gist(error: PlaywrightError) -> str:
    """The first line of a Playwright error; the rest is a log of many lines."""
    return error.message.splitlines()[0].rstrip(".")
