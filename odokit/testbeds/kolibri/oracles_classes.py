"""How the administrator performs the tasks about classes and who is in them."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import (
    answered,
    choose,
    find_user,
    loaded,
    open_facility,
    press,
    row_of,
)


async def create_class(page: Page, values: Mapping[str, str]) -> None:
    """Create a class."""
    await _open_classes(page)
    await page.get_by_role("button", name="New class").click()
    dialog = page.get_by_role("dialog", name="Create new class")
    await dialog.get_by_label("Class name").fill(values["class_name"])
    async with answered(page, "POST", "/api/auth/classroom/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["class_name"], exact=True).wait_for()


async def rename_class(page: Page, values: Mapping[str, str]) -> None:
    """Rename a class."""
    await _open_menu(page, values["class_name"], "Rename class")
    dialog = page.get_by_role("dialog", name="Rename class")
    await dialog.get_by_label("Class name").fill(values["new_name"])
    async with answered(page, "PATCH", "/api/auth/classroom/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["new_name"], exact=True).wait_for()


async def copy_class(page: Page, values: Mapping[str, str]) -> None:
    """Copy a class with its learners."""
    await _open_menu(page, values["class_name"], "Copy class")
    dialog = page.get_by_role("dialog", name="Copy class")
    await dialog.get_by_label("Class name").fill(values["new_name"])
    async with answered(page, "POST", "/api/auth/membership/"):
        await dialog.get_by_role("button", name="Make a copy").click()
    await page.get_by_role("link", name=values["new_name"], exact=True).wait_for()


async def delete_class(page: Page, values: Mapping[str, str]) -> None:
    """Delete a class."""
    await _open_menu(page, values["class_name"], "Delete class")
    dialog = page.get_by_role("dialog", name="Delete class")
    async with answered(page, "DELETE", "/api/auth/classroom/"):
        await dialog.get_by_role("button", name="Delete").click()
    await page.get_by_role("link", name=values["class_name"], exact=True).wait_for(state="detached")


async def enrol_learner(page: Page, values: Mapping[str, str]) -> None:
    """Enrol a learner in a class."""
    await _open_class(page, values["class_name"])
    await page.get_by_role("link", name="Enroll learners").click()
    await _find_candidate(page, values["full_name"])
    async with answered(page, "POST", "/api/auth/membership/"):
        await page.get_by_role("button", name="Confirm").click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()


async def assign_coach(page: Page, values: Mapping[str, str]) -> None:
    """Make a coach one of a class."""
    await _open_class(page, values["class_name"])
    await page.get_by_role("link", name="Assign coaches").click()
    await _find_candidate(page, values["full_name"])
    async with answered(page, "POST", "/api/auth/role/"):
        await page.get_by_role("button", name="Confirm").click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()


async def unenrol_learner(page: Page, values: Mapping[str, str]) -> None:
    """Remove a learner from a class."""
    await _remove(page, values, "/api/auth/membership/")


async def remove_coach(page: Page, values: Mapping[str, str]) -> None:
    """Remove a coach from a class."""
    await _remove(page, values, "/api/auth/role/")


async def enrol_from_users(page: Page, values: Mapping[str, str]) -> None:
    """Enrol a learner in a class, starting from the list of users."""
    row = await find_user(page, values["full_name"])
    await press(row.get_by_role("checkbox"))
    await page.get_by_role("button", name="Enroll in class").click()
    panel = page.get_by_role("region")
    await panel.get_by_role("option", name=values["class_name"], exact=True).click()
    async with answered(page, "POST", "/api/auth/membership/"):
        await panel.get_by_role("button", name="Enroll", exact=True).click()
    await panel.wait_for(state="hidden")


async def _open_classes(page: Page) -> None:
    # The page draws itself anew, without an open dialog, when its list of classes has come.
    await open_facility(page, "Classes")
    await page.get_by_role("grid").get_by_role("link").first.wait_for()
    await loaded(page)


async def _open_menu(page: Page, class_name: str, item: str) -> None:
    await _open_classes(page)
    await row_of(page, class_name).get_by_role("button").click()
    await choose(page, item)


async def _open_class(page: Page, class_name: str) -> None:
    await _open_classes(page)
    await page.get_by_role("link", name=class_name, exact=True).click()
    await page.get_by_role("heading", name=class_name, level=1).wait_for()


async def _find_candidate(page: Page, full_name: str) -> None:
    """Search for somebody to add to a class, and tick the box."""
    await page.get_by_role("cell").get_by_role("checkbox").first.wait_for()
    await page.get_by_role("searchbox").fill(full_name)
    await page.get_by_text("1 - 1 of 1", exact=True).wait_for()
    await press(page.get_by_role("checkbox", name=full_name, exact=True))


async def _remove(page: Page, values: Mapping[str, str], path: str) -> None:
    await _open_class(page, values["class_name"])
    row = row_of(page, values["full_name"])
    await row.get_by_role("button", name="Remove").click()
    dialog = page.get_by_role("dialog", name="Remove user")
    async with answered(page, "DELETE", path):
        await dialog.get_by_role("button", name="Remove").click()
    await row.wait_for(state="detached")
