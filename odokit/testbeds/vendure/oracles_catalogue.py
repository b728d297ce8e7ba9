"""How the owner of the shop performs her tasks in the catalogue."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.vendure.oracles_common import answered, open_entry, open_list, saved, write

SEARCH_PRODUCTS = "Search by product name or SKU"


async def create_product(page: Page, values: Mapping[str, str]) -> None:
    """Create a product with one variant."""
    await page.get_by_role("link", name="New product").click()
    await page.get_by_label("Product name").fill(values["name"])
    await write(page, values["description"])
    await page.get_by_role("textbox", name="SKU").fill(values["sku"])
    price, stock = await page.get_by_role("spinbutton").all()
    await price.fill(values["price"])
    await stock.fill(values["stock"])
    async with answered(page, "CreateProduct", "CreateProductVariants"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Product")


async def edit_description(page: Page, values: Mapping[str, str]) -> None:
    """Write a new description of a product."""
    await open_entry(page, SEARCH_PRODUCTS, values["name"])
    await write(page, values["description"])
    async with answered(page, "UpdateProduct"):
        await page.get_by_role("button", name="Update", exact=True).click()
    await saved(page, "Updated Product")


async def change_price(page: Page, values: Mapping[str, str]) -> None:
    """Change the price of a product's variant."""
    await _open_variant(page, values["name"])
    await page.locator("vdr-currency-input").get_by_role("spinbutton").fill(values["price"])
    await _update_variant(page)


async def change_stock(page: Page, values: Mapping[str, str]) -> None:
    """Change how many of a product's variant are in stock."""
    await _open_variant(page, values["name"])
    await page.get_by_label("Default Stock Location: Stock").fill(values["stock"])
    await _update_variant(page)


async def create_facet(page: Page, values: Mapping[str, str]) -> None:
    """Create a facet."""
    await open_list(page, "Facets")
    await page.get_by_role("link", name="Create new facet").click()
    await page.get_by_label("Name", exact=True).fill(values["name"])
    async with answered(page, "CreateFacet"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Facet")


async def add_facet_value(page: Page, values: Mapping[str, str]) -> None:
    """Add a value to a facet."""
    await open_list(page, "Facets")
    await open_entry(page, "Filter by name", values["facet"])
    await page.get_by_role("button", name="Add facet value").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("textbox").first.fill(values["value"])
    async with answered(page, "CreateFacetValues"):
        await dialog.get_by_role("button", name="Confirm").click()
    await saved(page, "Created new FacetValue")


async def create_collection(page: Page, values: Mapping[str, str]) -> None:
    """Create a collection."""
    await open_list(page, "Collections")
    await page.get_by_role("link", name="Create new collection").click()
    await page.get_by_label("Name", exact=True).fill(values["name"])
    await write(page, values["description"])
    async with answered(page, "CreateCollection"):
        await page.get_by_role("button", name="Create", exact=True).click()
    await saved(page, "Created new Collection")


async def _open_variant(page: Page, name: str) -> None:
    await page.get_by_role("link", name="Product variants", exact=True).click()
    await open_entry(page, SEARCH_PRODUCTS, name)
    await page.get_by_role("heading", name=name, level=1).wait_for()


async def _update_variant(page: Page) -> None:
    async with answered(page, "ProductVariantUpdateMutation"):
        await page.get_by_role("button", name="Update", exact=True).click()
    await saved(page, "Updated ProductVariant")
