"""How the coach performs the tasks about quizzes."""

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
from odokit.testbeds.kolibri.oracles_lessons import CHANNEL

N_QUESTIONS = 5
QUIZZES = "/api/exams/exam/"


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
    async with answered(page, "POST", QUIZZES):
        await page.get_by_role("button", name="Save and close").click()
    await page.get_by_role("link", name=values["title"], exact=True).wait_for()


async def start_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Start a quiz."""
    await open_class(page, values["class_name"], "Quizzes")
    await row_of(page, values["title"]).get_by_role("button", name="Start quiz").click()
    async with answered(page, "PATCH", QUIZZES):
        await page.get_by_role("dialog").get_by_role("button", name="Continue").click()
    await row_of(page, values["title"]).get_by_role("button", name="End quiz").wait_for()


async def rename_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Change the title of a quiz."""
    await _open_menu(page, values, "Edit")
    await page.get_by_label("Title").fill(values["new_title"])
    async with answered(page, "PATCH", QUIZZES):
        await page.get_by_role("button", name="Save and close").click()
    await page.get_by_role("link", name=values["new_title"], exact=True).wait_for()


async def copy_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Copy a quiz to another class."""
    await _open_menu(page, values, "Copy quiz")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text(values["other_class"], exact=True).click()
    await dialog.get_by_role("button", name="Continue").click()
    async with answered(page, "POST", QUIZZES):
        await page.get_by_role("dialog").get_by_role("button", name="Copy").click()
    await page.get_by_role("dialog").wait_for(state="hidden")


async def delete_quiz(page: Page, values: Mapping[str, str]) -> None:
    """Delete a quiz."""
    await _open_menu(page, values, "Delete")
    async with answered(page, "DELETE", QUIZZES):
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.get_by_role("heading", name="Quizzes", level=1).wait_for()
    await row_of(page, values["title"]).wait_for(state="detached")


async def _open_menu(page: Page, values: Mapping[str, str], item: str) -> None:
    await open_class(page, values["class_name"], "Quizzes")
    await page.get_by_role("link", name=values["title"], exact=True).click()
    await page.get_by_role("heading", name=values["title"], level=1, exact=True).wait_for()
    await loaded(page)
    await page.get_by_role("button", name="Options").click()
    await choose(page, item)
