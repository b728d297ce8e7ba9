"""How the coach performs the tasks about groups of learners."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import (
    answered,
    choose,
    loaded,
    open_class,
    press,
    row_of,
)


async def create_group(page: Page, values: Mapping[str, str]) -> None:
    """Create a group in a class."""
    await _open_groups(page, values["class_name"])
    await page.get_by_role("button", name="New group").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill(values["group_name"])
    async with answered(page, "POST", "/api/auth/learnergroup/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["group_name"], exact=True).wait_for()


async def rename_group(page: Page, values: Mapping[str, str]) -> None:
    """Rename a group."""
    await _open_menu(page, values, "Rename group")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill(values["new_name"])
    async with answered(page, "PATCH", "/api/auth/learnergroup/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["new_name"], exact=True).wait_for()


async def delete_group(page: Page, values: Mapping[str, str]) -> None:
    """Delete a group."""
    await _open_menu(page, values, "Delete")
    async with answered(page, "DELETE", "/api/auth/learnergroup/"):
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await row_of(page, values["group_name"]).wait_for(state="detached")


async def enrol_in_group(page: Page, values: Mapping[str, str]) -> None:
    """Enrol a learner in a group of his class."""
    await _open_menu(page, values, "Enroll learners")
    await press(page.get_by_role("checkbox", name=values["full_name"], exact=True))
    async with answered(page, "POST", "/api/auth/membership/"):
        await page.get_by_role("button", name="Confirm").click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()


async def _open_groups(page: Page, class_name: str) -> None:
    # The page draws itself anew, without an open dialog, when its list of groups has come.
    async with answered(page, "GET", "/api/auth/learnergroup/"):
        await open_class(page, class_name, "Groups")
    await loaded(page)


async def _open_menu(page: Page, values: Mapping[str, str], item: str) -> None:
    await _open_groups(page, values["class_name"])
    await row_of(page, values["group_name"]).get_by_role("button", name="Options").click()
    await choose(page, item)
