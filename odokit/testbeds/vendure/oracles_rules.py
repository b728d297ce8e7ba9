"""How the owner of the shop performs her tasks with offers, staff, tax and delivery."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.vendure.oracles_common import answered, open_entry, open_list, saved, search

SETTINGS = "Settings"


async def create_promotion(page: Page, values: Mapping[str, str]) -> None:
    """Create a promotion that takes a share off orders with a coupon code."""
    await open_list(page, "Promotions")
    await page.get_by_role("link", name="Create new promotion").click()
    await page.get_by_label("Name", exact=True).fill(values["name"])
    await page.get_by_label("Coupon code").fill(values["coupon"])
    await page.get_by_role("button", name="Add action").click()
    await page.get_by_role("button", name="Discount order by { discount }%").click()
    await page.locator("vdr-configurable-input").get_by_role("spinbutton").fill(values["percent"])
    async with answered(page, "CreatePromotion"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Promotion")


async def create_role(page: Page, values: Mapping[str, str]) -> None:
    """Create a role with one permission."""
    await open_list(page, "Roles", group=SETTINGS)
    await page.get_by_role("link", name="Create new role").click()
    await page.get_by_label("Description").fill(values["description"])
    await page.get_by_text(values["permission"], exact=True).click()
    async with answered(page, "CreateRole"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Role")


async def create_tax_rate(page: Page, values: Mapping[str, str]) -> None:
    """Create a tax rate for a category in a zone."""
    await open_list(page, "Tax rates", group=SETTINGS)
    await page.get_by_role("link", name="Create new tax rate").click()
    await page.get_by_label("Name", exact=True).fill(values["name"])
    await page.get_by_role("spinbutton", name="Rate").fill(values["percent"])
    await page.locator("select").select_option(values["category"])
    zone = page.locator("vdr-zone-selector").get_by_role("combobox")
    await zone.fill(values["zone"])
    await page.get_by_role("option", name=values["zone"], exact=True).click()
    async with answered(page, "CreateTaxRate"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new TaxRate")


async def change_delivery_price(page: Page, values: Mapping[str, str]) -> None:
    """Change what a shipping method costs."""
    await open_list(page, "Shipping methods", group=SETTINGS)
    await open_entry(page, "Filter by name", values["method"])
    calculator = page.locator("vdr-card", has_text="Shipping calculator")
    await calculator.locator("vdr-currency-input").get_by_role("spinbutton").fill(values["price"])
    async with answered(page, "UpdateShippingMethod"):
        await page.get_by_role("button", name="Update", exact=True).click()
    await saved(page, "Updated ShippingMethod")


async def add_country(page: Page, values: Mapping[str, str]) -> None:
    """Add a country to a zone."""
    await open_list(page, "Zones", group=SETTINGS)
    row = await search(page, "Search by name", values["zone"])
    await row.get_by_role("link", name="View members").click()
    await page.get_by_role("button", name=f"Add countries to {values['zone']}").click()
    dialog = page.get_by_role("dialog")
    found = await search(page, "Search by name", values["country"], place=dialog)
    await found.get_by_role("checkbox").check()
    async with answered(page, "AddMembersToZone"):
        await dialog.get_by_role("button", name="Add countries").click()
    await saved(page, "Added 1 country")
