"""What the shop's oracles share: moving about as a person does, and waiting for what follows."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Locator, Page, Response


@asynccontextmanager
async def answered(page: Page, *operations: str) -> AsyncIterator[None]:
    """Leave the block only when GraphQL operations sent in it were answered, well or ill.

    Args:
        page: The page that sends them.
        operations: Names of the operations.
    """
    waiting = set(operations)

    def was_last(response: Response) -> bool:
        sent = response.request.post_data if response.request.method == "POST" else None
        if sent and "/admin-api" in response.url:
            waiting.discard(json.loads(sent).get("operationName"))
        return not waiting

    async with page.expect_response(was_last):
        yield


async def saved(page: Page, how: str) -> None:
    """Wait until the page says that it is done.

    Args:
        page: The page.
        how: Beginning of the message, such as `Created`.
    """
    await page.locator("vdr-notification").get_by_text(how).first.wait_for()


async def open_list(page: Page, entry: str, *, group: str = "") -> None:
    """Go to a list through the menu at the side.

    Args:
        page: The page.
        entry: Its entry in the menu, which is its heading too.
        group: The part of the menu to unfold first, if any.
    """
    menu = page.get_by_role("navigation")
    if group:
        part = menu.locator("vdr-ui-extension-point", has=page.get_by_text(group, exact=True))
        await part.get_by_role("button", name="Expand entries").click()
    await menu.get_by_role("link", name=f"{entry} {entry}", exact=True).click()
    await page.get_by_role("heading", name=entry, level=1).wait_for()


async def search(
    page: Page, hint: str, text: str, *, place: Page | Locator | None = None
) -> Locator:
    """Narrow a list down to what holds a text.

    Args:
        page: The page.
        hint: What the empty search field shows.
        text: What to look for.
        place: Where the list is, such as a dialog; the page itself when None.

    Returns:
        The row.
    """
    rows = (place or page).locator("tbody").get_by_role("row")
    # A list that comes late, or is drawn anew under the pointer, swallows the next click.
    await rows.first.wait_for()
    await (place or page).get_by_placeholder(hint).fill(text)
    await rows.filter(has_not_text=text).first.wait_for(state="detached")
    return rows.filter(has=page.get_by_text(text, exact=True))


async def open_entry(page: Page, hint: str, text: str) -> None:
    """Search a list for an entry and open it; see `search`."""
    row = await search(page, hint, text)
    await row.get_by_role("link", name=text, exact=True).click()


async def write(page: Page, text: str) -> None:
    """Replace what the rich-text editor of the page holds."""
    await page.locator("vdr-rich-text-editor [contenteditable=true]").fill(text)
