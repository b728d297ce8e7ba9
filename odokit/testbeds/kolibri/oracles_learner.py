"""How the learner performs each of his task templates."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import answered
from odokit.testbeds.kolibri.oracles_lessons import CHANNEL

N_QUESTIONS = 3
PROGRESS = "/api/logger/trackprogress/"


async def edit_profile(page: Page, values: Mapping[str, str]) -> None:
    """Change the full name in the learner's own profile."""
    await page.get_by_role("button", name="Open site navigation").click()
    await page.get_by_role("menuitem", name="Profile", exact=True).click()
    await page.get_by_role("link", name="Edit", exact=True).click()
    await page.get_by_label("Full name").fill(values["full_name"])
    async with answered(page, "PATCH", "/api/auth/facilityuser/"):
        await page.get_by_role("button", name="Save", exact=True).click()
    await page.get_by_role("cell", name=values["full_name"], exact=True).wait_for()


async def take_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Answer a quiz one question after the other, on one page, and submit it."""
    await page.get_by_role("link", name="View all").first.click()
    await page.get_by_role("link", name=values["class_name"], exact=True).click()
    async with answered(page, "POST", PROGRESS):
        await page.get_by_role("link", name=values["title"], exact=True).click()
    for number in range(1, N_QUESTIONS + 1):
        await page.get_by_role("heading", name=f"Question {number} of {N_QUESTIONS}").wait_for()
        choice = page.get_by_role("listitem").filter(has_text=values[f"answer_{number}"])
        await choice.click()
        await page.get_by_text(f"{number} of {N_QUESTIONS} questions answered").wait_for()
        if number < N_QUESTIONS:
            await page.get_by_role("button", name="Next").click()
    async with answered(page, "PUT", PROGRESS):
        await page.get_by_role("button", name="Submit quiz").click()
    await page.get_by_text("Score:").first.wait_for()


async def bookmark_resource(page: Page, values: Mapping[str, str]) -> None:
    """Bookmark a resource of the library."""
    await _open_resource(page, values)
    async with answered(page, "POST", "/api/bookmarks/"):
        await page.get_by_role("button", name="Save to bookmarks").click()
    await page.get_by_role("button", name="Remove from bookmarks").wait_for()


async def rate_reading(page: Page, values: Mapping[str, str]) -> None:
    """Open a reading, which lives in a frame of another origin, and press a button in it."""
    await _open_resource(page, values)
    reading = page.frame_locator("iframe").frame_locator("iframe")
    async with answered(page, "PUT", PROGRESS):
        await reading.get_by_role("button", name=values["opinion"]).click()
        await reading.get_by_text(f"Noted: {values['opinion']}").wait_for()
        await page.get_by_role("button", name="Go back").click()


async def _open_resource(page: Page, values: Mapping[str, str]) -> None:
    await page.get_by_role("link", name="Library", exact=True).click()
    await page.get_by_role("link", name=CHANNEL).first.click()
    folders = page.get_by_role("region", name="Filter and search")
    await folders.get_by_role("link", name=values["folder"], exact=True).click()
    async with answered(page, "POST", PROGRESS):
        await page.get_by_role("link", name=values["resource"]).click()
