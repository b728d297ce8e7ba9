"""What the shop's oracles share: moving about as a person does, and its two odd widgets."""

from __future__ import annotations

from playwright.async_api import Locator, Page


async def open_dashboard(page: Page, menu: str, entry: str) -> None:
    """Go to one of the dashboard's pages through its menu.

    Args:
        page: A page of the dashboard.
        menu: Name of the menu, such as `Catalogue`.
        entry: Entry of the menu, such as `Products`.
    """
    await page.get_by_role("button", name=menu, exact=True).click()
    await page.get_by_role("link", name=entry, exact=True).first.click()
    await page.get_by_role("heading", name=entry, level=1).wait_for()


async def choose(page: Page, select_id: str, option: str) -> None:
    """Choose from a list that the dashboard draws itself over a `select` element.

    Args:
        page: The page.
        select_id: Id of the element that is drawn over.
        option: Text of the option.
    """
    await page.locator(f"#{select_id} + .select2").click()
    drawn = page.locator(".select2-results")
    await drawn.get_by_role("option", name=option, exact=True).click()
    await drawn.wait_for(state="detached")


async def write(page: Page, textarea_id: str, text: str) -> None:
    """Replace what a TinyMCE editor holds by typing.

    Args:
        page: The page.
        textarea_id: Id of the element that the editor stands for.
        text: What to type.
    """
    body = page.frame_locator(f"#{textarea_id}_ifr").locator("body")
    await body.click()
    await body.fill(text)


async def save(page: Page, button: Locator, path: str, message: str) -> None:
    """Send a form and see what the next page says of it.

    Args:
        page: The page.
        button: The form's button.
        path: Part of the address that the form is sent to.
        message: What is said when the form was accepted.
    """
    async with page.expect_response(lambda r: r.request.method == "POST" and path in r.url):
        await button.click()
    await page.locator(".alert", has_text=message).first.wait_for()
