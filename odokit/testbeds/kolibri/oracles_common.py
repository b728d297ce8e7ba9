"""What the Kolibri oracles share: moving about as a person does, and waiting for what follows."""

from __future__ import annotations

import re
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


async def choose(page: Page, item: str) -> None:
    """Choose an item of the menu that is open."""
    entries = page.get_by_role("dialog").get_by_role("listitem")
    await entries.filter(has_text=re.compile(rf"^\s*{re.escape(item)}\s*$")).click()


async def select(page: Page, field: str, option: str) -> None:
    """Select an option of a drop-down list, which Kolibri draws by itself."""
    box = page.locator(".ui-select").filter(has=page.get_by_text(field, exact=True))
    await box.click()
    exact = re.compile(rf"^\s*{re.escape(option)}\s*$")
    # The list is not inside the box but at the end of the page.
    await page.locator(".ui-select-option:visible").filter(has_text=exact).click()


async def open_device(page: Page, tab: str) -> None:
    """Go to a tab of the device's pages through the main menu."""
    await page.get_by_role("button", name="Open site navigation").click()
    menu = page.get_by_role("navigation", name="Main user menu")
    await menu.get_by_role("link", name=tab, exact=True).click()
    await page.get_by_role("heading", name=f"Device {tab.lower()}", level=1).wait_for()


def row_of(page: Page, name: str) -> Locator:
    """The row of a table that has a cell of this name."""
    cell = page.get_by_role("gridcell", name=name, exact=True)
    return page.get_by_role("row").filter(
        has=cell.or_(page.get_by_role("cell", name=name, exact=True))
    )


async def find_user(page: Page, full_name: str) -> Locator:
    """Search for a user on the facility's page of users; the row found."""
    await open_facility(page, "Users")
    # What is typed before the list has come is lost.
    await page.get_by_role("gridcell").get_by_role("checkbox").first.wait_for()
    await page.get_by_role("searchbox").fill(full_name)
    await page.get_by_text("1 - 1 of 1", exact=True).wait_for()
    return row_of(page, full_name)
