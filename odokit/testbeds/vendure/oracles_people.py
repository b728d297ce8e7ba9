"""How the clerk performs his tasks with customers and orders."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.vendure.oracles_common import answered, open_entry, open_list, saved, search


async def create_customer(page: Page, values: Mapping[str, str]) -> None:
    """Create a customer."""
    await page.get_by_role("link", name="Create new customer").click()
    await page.get_by_label("First name").fill(values["first_name"])
    await page.get_by_label("Last name").fill(values["last_name"])
    await page.get_by_label("Email address").fill(values["email"])
    await page.get_by_label("Phone number").fill(values["phone"])
    async with answered(page, "CreateCustomer"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Customer")


async def add_to_group(page: Page, values: Mapping[str, str]) -> None:
    """Add a customer to a group."""
    await open_list(page, "Customer groups")
    row = await search(page, "Search by name", values["group"])
    await row.get_by_role("link", name="View group members").click()
    await page.get_by_role("button", name="Add customers to group").click()
    dialog = page.get_by_role("dialog")
    hint = "Search by email address"
    found = await search(page, hint, values["email"], place=dialog)
    await found.get_by_role("checkbox").check()
    async with answered(page, "AddCustomersToGroup"):
        await dialog.get_by_role("button", name="Add 1 customer").click()
    await saved(page, "Added 1 customer")


async def add_order_note(page: Page, values: Mapping[str, str]) -> None:
    """Add a private note to an order."""
    await open_list(page, "Orders")
    hint = "Search by name / code / transaction ID"
    await open_entry(page, hint, values["code"])
    await page.locator("vdr-order-history textarea").fill(values["note"])
    async with answered(page, "AddNoteToOrder"):
        await page.get_by_role("button", name="Add note").click()
    await saved(page, "Created new Note")
