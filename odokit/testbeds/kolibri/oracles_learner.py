"""How the learner performs each of his task templates."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import answered


async def edit_profile(page: Page, values: Mapping[str, str]) -> None:
    """Change the full name in the learner's own profile."""
    await page.get_by_role("button", name="Open site navigation").click()
    await page.get_by_role("menuitem", name="Profile", exact=True).click()
    await page.get_by_role("link", name="Edit", exact=True).click()
    await page.get_by_label("Full name").fill(values["full_name"])
    async with answered(page, "PATCH", "/api/auth/facilityuser/"):
        await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()
