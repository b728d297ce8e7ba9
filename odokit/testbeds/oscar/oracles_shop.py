"""How the customer performs her tasks in the shop."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.oscar.oracles_common import save

N_STARS = 5


async def add_address(page: Page, values: Mapping[str, str]) -> None:
    """Add an address to the address book."""
    await page.get_by_role("link", name="Account", exact=True).click()
    await page.get_by_role("link", name="Address Book", exact=True).click()
    await page.get_by_role("link", name="Add a new address").click()
    await _fill_address(page, values)
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/accounts/addresses/add/", "created")


async def write_review(page: Page, values: Mapping[str, str]) -> None:
    """Write a review with five stars."""
    await _open_product(page, values)
    await page.get_by_role("link", name="Write a review").click()
    await page.get_by_label("Title").fill(values["title"])
    await page.locator(".reviewrating .star-rating i").nth(N_STARS - 1).click()
    await page.get_by_label("Body").fill(values["body"])
    button = page.get_by_role("button", name="Save review")
    await save(page, button, "/reviews/add/", "Thank you for reviewing this product")


async def add_to_basket(page: Page, values: Mapping[str, str]) -> None:
    """Put several of a product into the basket."""
    await _open_product(page, values)
    await _add(page)
    await page.get_by_role("button", name="View basket").first.click()
    line = page.locator(".basket-items", has_text=values["product"])
    await line.get_by_role("spinbutton").fill(values["count"])
    # The page sends this form itself and puts the answer in its place.
    async with page.expect_response(lambda r: r.request.method == "POST" and "/basket/" in r.url):
        await line.get_by_role("button", name="Update").click()


async def place_order(page: Page, values: Mapping[str, str]) -> None:
    """Buy one of a product and have it sent to a new address."""
    await _open_product(page, values)
    await _add(page)
    await page.get_by_role("button", name="View basket").first.click()
    await page.get_by_role("link", name="Proceed to checkout").click()
    await _fill_address(page, values)
    await page.get_by_role("button", name="Continue").click()
    await page.get_by_role("link", name="Continue").click()
    await page.get_by_role("button", name="Place order").click()
    await page.get_by_role("heading", name="Confirmation", level=1).wait_for()


async def _open_product(page: Page, values: Mapping[str, str]) -> None:
    await page.get_by_role("link", name=values["shelf"], exact=True).click()
    await page.get_by_role("heading", name=values["shelf"], level=1).wait_for()
    await page.get_by_role("heading").get_by_role("link", name=values["product"]).click()
    await page.get_by_role("heading", name=values["product"], level=1).wait_for()


async def _add(page: Page) -> None:
    button = page.get_by_role("button", name="Add to basket")
    await save(page, button, "/basket/add/", "has been added to your basket")


async def _fill_address(page: Page, values: Mapping[str, str]) -> None:
    await page.get_by_label("First name").fill(values["first_name"])
    await page.get_by_label("Last name").fill(values["last_name"])
    await page.get_by_label("First line of address").fill(values["street"])
    await page.get_by_label("City").fill(values["city"])
    await page.get_by_label("Post/Zip-code").fill(values["postcode"])
    await page.get_by_label("Country").select_option(label=values["country"])
