"""How the coach performs each of her task templates."""

from __future__ import annotations

from collections.abc import Mapping

from playwright.async_api import Page

from odokit.testbeds.kolibri.oracles_common import answered, loaded, open_class, press

CHANNEL = "Riverside Library"
N_QUESTIONS = 5


async def create_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Create a lesson for a whole class."""
    await open_class(page, values["class_name"], "Lessons")
    await page.get_by_role("link", name="New lesson").click()
    await page.get_by_label("Title").fill(values["title"])
    await page.get_by_label("Description").fill(values["description"])
    async with answered(page, "POST", "/api/lessons/lesson/"):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_role("heading", name=values["title"], level=1, exact=True).wait_for()


async def show_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Make a lesson visible to learners."""
    await open_class(page, values["class_name"], "Lessons")
    await page.get_by_role("link", name=values["title"], exact=True).click()
    async with answered(page, "PATCH", "/api/lessons/lesson/"):
        await press(page.get_by_role("checkbox", name="Visible to learners"))
    await page.get_by_text("Lesson is visible to learners").first.wait_for()


async def create_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Create a quiz of all questions of one exercise."""
    await open_class(page, values["class_name"], "Quizzes")
    await page.get_by_role("link", name="New quiz").click()
    await page.get_by_label("Title").fill(values["title"])
    await page.get_by_role("button", name="Add questions").click()
    await page.get_by_label("Number of questions").fill(str(N_QUESTIONS))
    await page.get_by_role("button", name="Continue").click()
    panel = page.get_by_role("region")
    await panel.get_by_role("link", name=CHANNEL, exact=True).click()
    await panel.get_by_role("link", name=values["folder"], exact=True).click()
    await press(panel.get_by_role("checkbox", name=values["exercise"], exact=True))
    await panel.get_by_role("button", name=f"Add {N_QUESTIONS} questions").click()
    async with answered(page, "POST", "/api/exams/exam/"):
        await page.get_by_role("button", name="Save and close").click()
    await page.get_by_role("link", name=values["title"], exact=True).wait_for()


async def create_group(page: Page, values: Mapping[str, str]) -> None:
    """Create a group in a class."""
    # The page draws itself anew, without an open dialog, when its list of groups has come.
    async with answered(page, "GET", "/api/auth/learnergroup/"):
        await open_class(page, values["class_name"], "Groups")
    await loaded(page)
    await page.get_by_role("button", name="New group").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill(values["group_name"])
    async with answered(page, "POST", "/api/auth/learnergroup/"):
        await dialog.get_by_role("button", name="Save").click()
    await page.get_by_role("link", name=values["group_name"], exact=True).wait_for()
