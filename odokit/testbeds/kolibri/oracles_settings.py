"""How the administrator performs the tasks about settings of the facility and the device."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import answered, loaded, open_device, open_facility

SAVED = "Facility settings updated"


async def change_setting(page: Page, values: Mapping[str, str]) -> None:
    """Turn a facility setting on."""
    await open_facility(page, "Settings")
    await page.get_by_text(values["setting_label"], exact=True).click()
    await _save_facility(page)


async def change_sign_in(page: Page, values: Mapping[str, str]) -> None:
    """Choose how learners sign in."""
    await open_facility(page, "Settings")
    await page.get_by_text(values["mode"], exact=True).click()
    await _save_facility(page)
    # Choosing pictures starts a job that gives every learner some; it is part of the change.
    await loaded(page)


async def rename_facility(page: Page, values: Mapping[str, str]) -> None:
    """Rename the facility."""
    await open_facility(page, "Settings")
    await page.get_by_text("Edit", exact=True).click()
    dialog = page.get_by_role("dialog", name="Rename facility")
    await dialog.get_by_label("Facility name").fill(values["facility_name"])
    async with answered(page, "PATCH", "/api/auth/facility/"):
        await dialog.get_by_role("button", name="Save").click()
    await dialog.wait_for(state="hidden")


async def restrict_exploring(page: Page, values: Mapping[str, str]) -> None:
    """Choose on the device's settings who may explore resources."""
    await open_device(page, "Settings")
    # What is clicked before the settings have come is lost.
    await page.get_by_role("radio", name="Sign-in page", checked=True).wait_for()
    await page.get_by_text(values["rule"], exact=True).click()
    async with answered(page, "PATCH", "/api/device/devicesettings/"):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_text("Settings have been updated").first.wait_for()


async def _save_facility(page: Page) -> None:
    async with answered(page, "PATCH", "/save-facility-login-settings/"):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_text(SAVED).first.wait_for()
