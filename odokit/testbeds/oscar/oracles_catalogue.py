"""How the staff perform their tasks with pages, products, categories and product types."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.oscar.oracles_common import choose, open_dashboard, save, write


async def create_page(page: Page, values: Mapping[str, str]) -> None:
    """Publish a page."""
    await open_dashboard(page, "Content", "Pages")
    await page.get_by_role("link", name="Create new page").click()
    await page.get_by_label("Title").fill(values["title"])
    await page.get_by_label("URL").fill(values["url"])
    await write(page, "id_content", values["content"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/pages/create/", "saved!")


async def create_product(page: Page, values: Mapping[str, str]) -> None:
    """Add a product with its shelf, supplier, price and stock."""
    await open_dashboard(page, "Catalogue", "Products")
    await choose(page, "id_product_class", values["product_type"])
    await page.get_by_role("button", name="New Product").click()
    await page.get_by_label("Title", exact=True).fill(values["title"])
    await page.get_by_label("UPC", exact=True).fill(values["upc"])
    await page.get_by_role("link", name="Categories", exact=True).last.click()
    await choose(page, "id_productcategory_set-0-category", values["category"])
    await page.get_by_role("link", name="Stock and pricing").click()
    await choose(page, "id_stockrecords-0-partner", values["supplier"])
    await page.locator("#id_stockrecords-0-partner_sku").fill(values["upc"])
    await page.locator("#id_stockrecords-0-num_in_stock").fill(values["stock"])
    await page.locator("#id_stockrecords-0-price").fill(values["price"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/catalogue/products/create/", "Created product")


async def edit_description(page: Page, values: Mapping[str, str]) -> None:
    """Find a product and write its description anew."""
    await open_dashboard(page, "Catalogue", "Products")
    await page.get_by_label("Product title").fill(values["title"])
    await page.get_by_role("button", name="Search", exact=True).click()
    await page.get_by_role("link", name=values["title"], exact=True).click()
    await write(page, "id_description", values["description"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/catalogue/products/", "Updated product")


async def create_category(page: Page, values: Mapping[str, str]) -> None:
    """Add a category below another, left out of the menu."""
    await open_dashboard(page, "Catalogue", "Categories")
    await page.get_by_role("link", name="Create new category").click()
    await page.get_by_label("Name").fill(values["name"])
    await page.get_by_label("Exclude from menu").check()
    await choose(page, "id_treebeard_ref_node", values["parent"])
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/catalogue/categories/create/", "created successfully")


async def create_product_type(page: Page, values: Mapping[str, str]) -> None:
    """Set up a product type without stock levels and with one required attribute."""
    await open_dashboard(page, "Catalogue", "Product Types")
    await page.get_by_role("link", name="Create new product type").click()
    await page.get_by_label("Name", exact=True).first.fill(values["name"])
    await page.get_by_label("Track stock levels?").uncheck()
    await page.get_by_role("link", name="Product attributes").click()
    await page.locator("#id_attributes-0-name").fill(values["attribute"])
    await choose(page, "id_attributes-0-type", values["kind"])
    await page.locator("#id_attributes-0-required").check()
    button = page.get_by_role("button", name="Save", exact=True)
    await save(page, button, "/dashboard/catalogue/product-type/create/", "successfully")
