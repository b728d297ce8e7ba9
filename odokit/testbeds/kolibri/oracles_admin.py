"""How the administrator performs each of her task templates."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.accounts import FIELD_SECRETS
from odokit.testbeds.kolibri.oracles_common import answered, loaded, open_facility, press

SAVED = "Facility settings updated"


async def create_class(page: Page, values: Mapping[str, str]) -> None:
    """Create a class."""
    await open_facility(page, "Classes")
    await page.get_by_role("button", name="New class").click()
    dialog = page.get_by_role("dialog", name="Create new class")
    await dialog.get_by_label("Class name").fill(values["class_name"])
    async with answered(page, "POST", "/api/auth/classroom/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["class_name"], exact=True).wait_for()


async def create_learner(page: Page, values: Mapping[str, str]) -> None:
    """Create a learner's account."""
    await open_facility(page, "Users")
    await page.get_by_role("link", name="New user", exact=True).click()
    form = page.get_by_role("region")
    await form.get_by_label("Full name").fill(values["full_name"])
    await form.get_by_label("Username").fill(values["username"])
    await form.get_by_label("Password", exact=True).fill(FIELD_SECRETS["password"])
    await form.get_by_label("Re-enter password").fill(FIELD_SECRETS["re-enter-password"])
    async with answered(page, "POST", "/api/auth/facilityuser/"):
        await form.get_by_role("button", name="Save and close").click()
    await page.get_by_role("gridcell", name=values["username"], exact=True).wait_for()


async def enrol_learner(page: Page, values: Mapping[str, str]) -> None:
    """Enrol a learner in a class."""
    await open_facility(page, "Classes")
    await page.get_by_role("link", name=values["class_name"], exact=True).click()
    await page.get_by_role("link", name="Enroll learners").click()
    await press(page.get_by_role("checkbox", name=values["full_name"], exact=True))
    async with answered(page, "POST", "/api/auth/membership/"):
        await page.get_by_role("button", name="Confirm").click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()


async def change_setting(page: Page, values: Mapping[str, str]) -> None:
    """Turn a facility setting on."""
    await open_facility(page, "Settings")
    await page.get_by_text(values["setting_label"], exact=True).click()
    async with answered(page, "PATCH", "/save-facility-login-settings/"):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_text(SAVED).first.wait_for()


async def change_sign_in(page: Page, values: Mapping[str, str]) -> None:
    """Choose how learners sign in."""
    await open_facility(page, "Settings")
    await page.get_by_text(values["mode"], exact=True).click()
    async with answered(page, "PATCH", "/save-facility-login-settings/"):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_text(SAVED).first.wait_for()
    # Choosing pictures starts a job that gives every learner some; it is part of the change.
    await loaded(page)
