"""Record a demonstration by hand in a browser window, and rescue a killed one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from playwright.async_api import Page

from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.errors import RecordError
from odokit.events import recover_recording, write_recording
from odokit.record import record


async def record_by_hand(
    settings: Settings, url: str, task: str, folder: Path, *, app: str = ""
) -> Path:
    """Open a window at an address and record until the person closes it.

    Args:
        settings: The project.
        url: Where to begin.
        task: What will be demonstrated, in words; values in quotation marks.
        folder: Receives the recording.
        app: Name of the application; one with a URL preset gets it.

    Returns:
        The recording file.

    Raises:
        BrowserError: No window could be opened.
        RecordError: Nothing was done in it.
    """
    async with open_browser(settings, headless=False) as browser:
        context = await new_context(browser)
        # Playwright dismisses a dialog nobody listens for; here the person answers it.
        context.on("dialog", lambda _: None)
        async with record(context, folder, task=task, app=app, start_url=url) as recorder:
            page = await context.new_page()
            await page.goto(url)
            await _closed(page)
        await context.close()
    return folder / f"{recorder.header.trajectory_id}.jsonl.zst"


async def _closed(page: Page) -> None:
    gone = asyncio.Event()
    page.once("close", lambda _: gone.set())
    await gone.wait()


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
