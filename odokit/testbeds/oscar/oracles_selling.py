"""How the staff perform their tasks with offers, vouchers, ranges, orders, reviews, suppliers."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.oscar.oracles_common import choose, open_dashboard, save, write

FOR_VOUCHERS = "Voucher offer - only available after entering the appropriate voucher code"
PERCENTAGE = "Discount is a percentage off of the product's value"
NUMBER = "Depends on number of items in basket that are in condition range"


async def create_offer(page: Page, values: Mapping[str, str]) -> None:
    """Make an offer in four steps: name, incentive, condition, restrictions."""
    await open_dashboard(page, "Offers", "Offers")
    await page.get_by_role("link", name="Create new offer").click()
    await page.get_by_label("Name").fill(values["name"])
    await choose(page, "id_offer_type", FOR_VOUCHERS)
    await page.get_by_role("button", name="Continue to step 2").click()
    await page.wait_for_url("**/new/incentive/")
    await choose(page, "id_range", values["range"])
    await choose(page, "id_type", PERCENTAGE)
    await page.get_by_role("spinbutton", name="Value").fill(values["percent"])
    await page.get_by_role("button", name="Continue to step 3").click()
    await page.wait_for_url("**/new/condition/")
    await choose(page, "id_range", values["range"])
    await choose(page, "id_type", NUMBER)
    await page.get_by_role("spinbutton", name="Value").fill(values["count"])
    await page.get_by_role("button", name="Continue to step 4").click()
    await page.wait_for_url("**/new/restrictions/")
    button = page.get_by_role("button", name="Save this offer")
    await save(page, button, "/dashboard/offers/new/restrictions/", "created!")


async def create_voucher(page: Page, values: Mapping[str, str]) -> None:
    """Issue a voucher for an offer."""
    await open_dashboard(page, "Offers", "Vouchers")
    await page.get_by_role("link", name="Create new voucher", exact=True).click()
    await page.get_by_label("Name").fill(values["name"])
    await page.get_by_label("Code").fill(values["code"])
    await page.get_by_label("End datetime").fill(values["end"])
    await choose(page, "id_usage", values["usage"])
    await choose(page, "id_offers", values["offer"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/vouchers/create/", "created")


async def create_range(page: Page, values: Mapping[str, str]) -> None:
    """Make a public range of one category."""
    await open_dashboard(page, "Catalogue", "Ranges")
    await page.get_by_role("link", name="Create new range").click()
    await page.get_by_label("Name").fill(values["name"])
    await write(page, "id_description", values["description"])
    await page.get_by_label("Is public?").check()
    await choose(page, "id_included_categories", values["category"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/ranges/create/", "saved")


async def change_line_status(page: Page, values: Mapping[str, str]) -> None:
    """Change the status of one line of an order."""
    await open_dashboard(page, "Fulfilment", "Orders")
    await page.get_by_label("Order number").fill(values["number"])
    await page.get_by_role("button", name="Search", exact=True).click()
    line = page.get_by_role("row").filter(has_text=values["product"])
    await line.get_by_role("checkbox").check()
    await page.get_by_label("Change line status to").check()
    await choose(page, "new_status_select", values["status"])
    button = page.get_by_role("button", name="Go!")
    await save(page, button, f"/dashboard/orders/{values['number']}/", "Status of line")


async def moderate_review(page: Page, values: Mapping[str, str]) -> None:
    """Approve or reject a review."""
    await open_dashboard(page, "Content", "Reviews")
    await page.get_by_label("Keyword").fill(values["title"])
    await page.get_by_role("button", name="Search", exact=True).click()
    await page.get_by_role("link", name=values["title"], exact=True).click()
    await choose(page, "id_status", values["status"])
    await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("heading", name="Reviews", level=1).wait_for()


async def supplier_address(page: Page, values: Mapping[str, str]) -> None:
    """Enter the address of a supplier."""
    await open_dashboard(page, "Fulfilment", "Partners")
    await page.get_by_label("Name").fill(values["supplier"])
    await page.get_by_role("button", name="Search", exact=True).click()
    await page.get_by_role("link", name=values["supplier"], exact=True).click()
    await page.get_by_label("First line of address").fill(values["street"])
    await page.get_by_label("City").fill(values["city"])
    await page.get_by_label("Post/Zip-code").fill(values["postcode"])
    await choose(page, "id_country", values["country"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/partners/", "was updated successfully")
