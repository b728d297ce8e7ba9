"""What the Kolibri oracles share: moving about as a person does, and waiting for what follows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Locator, Page, Response, expect

LOAD_TIMEOUT_MS = 15_000


@asynccontextmanager
async def answered(page: Page, method: str, path: str) -> AsyncIterator[None]:
    """Leave the block only when a request made in it was answered, well or ill.

    Args:
        page: The page that sends it.
        method: HTTP method, upper case.
        path: Part of the address.
    """

    def is_it(response: Response) -> bool:
        return response.request.method == method and path in response.url

    async with page.expect_response(is_it):
        yield


async def open_facility(page: Page, tab: str) -> None:
    """Go to a tab of the facility's pages through the main menu."""
    await page.get_by_role("button", name="Open site navigation").click()
    menu = page.get_by_role("navigation", name="Main user menu")
    await menu.get_by_role("menuitem", name="Facility", exact=True).click()
    await menu.get_by_role("link", name="Classes", exact=True).click()
    await page.get_by_role("heading", name="Classes", level=1).wait_for()
    if tab != "Classes":
        await open_tab(page, tab)


async def open_tab(page: Page, tab: str) -> None:
    """Open one of the tabs in the bar on top."""
    await page.get_by_role("banner").get_by_role("link", name=tab, exact=True).click()
    await page.get_by_role("heading", name=tab, level=1).wait_for()


async def open_class(page: Page, class_name: str, tab: str) -> None:
    """From the coach's list of classes, open a tab of one class."""
    await page.get_by_role("link", name=class_name, exact=True).click()
    await page.get_by_role("heading", name=class_name, level=1).wait_for()
    await open_tab(page, tab)


async def loaded(page: Page) -> None:
    """Wait until no progress bar is left."""
    await expect(page.get_by_role("progressbar")).to_have_count(0, timeout=LOAD_TIMEOUT_MS)


async def press(box: Locator) -> None:
    """Click a check box where a person sees it: on the drawing that lies over the input."""
    await box.locator("..").click()
