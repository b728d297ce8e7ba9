"""Record a demonstration by hand in a browser window, and rescue a killed one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import BrowserContext, Page
from playwright.async_api import Error as PlaywrightError

from odokit.browser import open_window
from odokit.config import Settings
from odokit.errors import RecordError
from odokit.events import recover_recording, write_recording
from odokit.record import Recorder, record


@dataclass(frozen=True)
class Window:
    """A browser window in which a person demonstrates a task.

    Attributes:
        page: Its first page.
        recorder: What is recorded, live.
        path: Where the recording will be once the block has ended.
    """

    page: Page
    recorder: Recorder
    path: Path
    _over: asyncio.Event

    async def closed(self) -> None:
        """Wait until the person has closed every tab, or `end` was called."""
        await self._over.wait()

    def end(self) -> None:
        """End the demonstration as if the person had closed the window."""
        self._over.set()


@asynccontextmanager
async def open_recorded_window(
    settings: Settings,
    url: str,
    folder: Path,
    *,
    task: str = "",
    app: str = "",
    values: Mapping[str, str] | None = None,
    secrets: Collection[str] | Mapping[str, str] = (),
    profile: Path | None = None,
) -> AsyncIterator[Window]:
    """Open a window at an address and record what happens in it until the block ends.

    Args:
        settings: The project.
        url: Where to begin.
        folder: Receives the recording.
        task: What will be demonstrated, in words; values in quotation marks.
        app: Name of the application; one with a URL preset gets it.
        values: Values of the task, by parameter name.
        secrets: Values that must never be stored; placeholders bear their names where they have
            some.
        profile: Browser profile to use and keep, such as one that is signed in.

    Raises:
        BrowserError: No window could be opened.
        RecordError: The address cannot be opened, or nothing was done in the window.
    """
    async with (
        open_window(settings, profile=profile) as context,
        record(
            context,
            folder,
            task=task,
            app=app,
            values=dict(values or {}),
            start_url=url,
            secrets=secrets,
            secret_rules=settings.redaction,
            attended=True,
        ) as recorder,
    ):
        over = _end_with_last_tab(context)
        page = context.pages[0] if context.pages else await context.new_page()
        name = f"{recorder.header.trajectory_id}.jsonl"
        try:
            await _open(page, url)
        except RecordError:
            (folder / f"{name}.partial").unlink()  # it would only say that nothing came
            raise
        yield Window(page, recorder, folder / f"{name}.zst", over)


def _end_with_last_tab(context: BrowserContext) -> asyncio.Event:
    over = asyncio.Event()

    def on_close(_: Page) -> None:
        if not context.pages:
            over.set()

    def watch(page: Page) -> None:
        page.on("close", on_close)

    for page in context.pages:
        watch(page)
    context.on("page", watch)
    context.on("close", lambda _: over.set())
    return over


async def _open(page: Page, url: str) -> None:
    address = url if "://" in url else f"http://{url}"
    try:
        await page.goto(address)
    except PlaywrightError as error:
        reason = error.message.splitlines()[0]
        raise RecordError(
            f"{address} could not be opened in the window: {reason}. "
            "Check the address, and that the application is running."
        ) from error


def recover_journal(journal: Path) -> Path:
    """Turn the journal of a killed session into a recording.

    Raises:
        RecordError: It is no journal, or holds nothing.
    """
    if journal.suffix != ".partial":
        raise RecordError(f"{journal} is no journal; a killed session leaves `ID.jsonl.partial`.")
    trajectory = recover_recording(journal)
    path = journal.with_name(f"{trajectory.id}.jsonl.zst")
    write_recording(path, trajectory)
    journal.unlink()
    return path
