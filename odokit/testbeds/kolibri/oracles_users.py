"""How the administrator performs the tasks about people's accounts."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Locator, Page

from odokit.testbeds.kolibri.accounts import FIELD_SECRETS
from odokit.testbeds.kolibri.oracles_common import (
    answered,
    choose,
    find_user,
    open_device,
    open_facility,
    press,
    row_of,
    select,
)


async def create_learner(page: Page, values: Mapping[str, str]) -> None:
    """Create a learner's account."""
    await _fill_new_user(page, values)
    await _save_new_user(page, "/api/auth/facilityuser/")


async def create_coach(page: Page, values: Mapping[str, str]) -> None:
    """Create a class coach's account."""
    await _fill_new_user(page, values)
    await select(page, "User type", "Coach")
    await _save_new_user(page, "/api/auth/role/")


async def create_admin(page: Page, values: Mapping[str, str]) -> None:
    """Create an administrator's account."""
    await _fill_new_user(page, values)
    await select(page, "User type", "Admin")
    await _save_new_user(page, "/api/auth/role/")


async def edit_user(page: Page, values: Mapping[str, str]) -> None:
    """Enter identifier, birth year and gender of a user."""
    await _open_menu(page, values["full_name"], "Edit details")
    await page.get_by_label("Identifier").fill(values["identifier"])
    await select(page, "Birth year", values["birth_year"])
    await select(page, "Gender", values["gender"])
    await _save_user(page, "PATCH", "/api/auth/facilityuser/")


async def change_user_type(page: Page, values: Mapping[str, str]) -> None:
    """Make a learner a coach of classes or of the facility."""
    await _open_menu(page, values["full_name"], "Edit details")
    await select(page, "User type", "Coach")
    await page.get_by_text(values["coach_type"], exact=True).click()
    await _save_user(page, "POST", "/api/auth/role/")


async def reset_password(page: Page, values: Mapping[str, str]) -> None:
    """Give a user a new password."""
    await _open_menu(page, values["full_name"], "Reset password")
    dialog = page.get_by_role("dialog", name="Reset user password")
    await dialog.get_by_label("Password", exact=True).fill(FIELD_SECRETS["password"])
    await dialog.get_by_label("Re-enter password").fill(FIELD_SECRETS["re-enter-password"])
    async with answered(page, "PATCH", "/api/auth/facilityuser/"):
        await dialog.get_by_role("button", name="Save").click()
    await dialog.wait_for(state="hidden")


async def delete_user(page: Page, values: Mapping[str, str]) -> None:
    """Delete a user."""
    await _open_menu(page, values["full_name"], "Delete")
    dialog = page.get_by_role("dialog", name="Delete 1 user")
    async with answered(page, "DELETE", "/api/auth/facilityuser/"):
        await dialog.get_by_role("button", name="Delete").click()
    await dialog.wait_for(state="hidden")


async def restore_user(page: Page, values: Mapping[str, str]) -> None:
    """Bring a deleted user back."""
    await open_facility(page, "Users")
    await page.get_by_role("button", name="Options").click()
    await choose(page, "View deleted users")
    row = row_of(page, values["full_name"])
    await row.get_by_role("button").click()
    async with answered(page, "POST", "/api/auth/deletedfacilityuser/restore/"):
        await choose(page, "Recover")
    await row.wait_for(state="detached")


async def allow_managing(page: Page, values: Mapping[str, str]) -> None:
    """Let a user manage the resources of the device."""
    await _open_permissions(page, values["full_name"])
    await press(page.get_by_role("checkbox", name="Can manage resources on this device"))
    await _save_permissions(page)


async def _fill_new_user(page: Page, values: Mapping[str, str]) -> Locator:
    await open_facility(page, "Users")
    await page.get_by_role("link", name="New user", exact=True).click()
    form = page.get_by_role("region")
    await form.get_by_label("Full name").fill(values["full_name"])
    await form.get_by_label("Username").fill(values["username"])
    await form.get_by_label("Password", exact=True).fill(FIELD_SECRETS["password"])
    await form.get_by_label("Re-enter password").fill(FIELD_SECRETS["re-enter-password"])
    return form


async def _save_new_user(page: Page, last_path: str) -> None:
    form = page.get_by_role("region")
    async with answered(page, "POST", last_path):
        await form.get_by_role("button", name="Save and close").click()
    await form.wait_for(state="hidden")


async def _open_menu(page: Page, full_name: str, item: str) -> None:
    row = await find_user(page, full_name)
    await row.get_by_role("button").click()
    await choose(page, item)


async def _save_user(page: Page, method: str, path: str) -> None:
    async with answered(page, method, path):
        await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("heading", name="Users", level=1).wait_for()


async def _open_permissions(page: Page, full_name: str) -> None:
    await open_device(page, "Permissions")
    await page.get_by_role("searchbox").fill(full_name)
    await row_of(page, full_name).get_by_role("button", name="Edit Permissions").click()
    await page.get_by_role("heading", name=full_name, level=1).wait_for()


async def _save_permissions(page: Page) -> None:
    async with answered(page, "POST", "/api/device/devicepermissions/"):
        await page.get_by_role("button", name="Save Changes").click()
    await page.get_by_role("heading", name="Device permissions", level=1).wait_for()
