"""How the coach performs the tasks about lessons."""

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

CHANNEL = "Riverside Library"
LESSONS = "/api/lessons/lesson/"


async def create_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Create a lesson for a whole class."""
    await _fill_new_lesson(page, values)
    await _save_new_lesson(page, values)


async def create_lesson_for_group(page: Page, values: Mapping[str, str]) -> None:
    """Create a lesson for one group of a class."""
    await _fill_new_lesson(page, values)
    await press(page.get_by_role("checkbox", name=values["group_name"], exact=True))
    await _save_new_lesson(page, values)


async def show_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Make a lesson visible to learners."""
    await _open_lesson(page, values)
    await _switch(page, "Lesson is visible to learners")


async def hide_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Hide a lesson from learners."""
    await _open_lesson(page, values)
    await _switch(page, "Lesson is not visible to learners")


async def edit_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Change title and description of a lesson."""
    await _open_menu(page, values, "Edit details")
    await page.get_by_label("Title").fill(values["new_title"])
    await page.get_by_label("Description").fill(values["new_description"])
    async with answered(page, "PATCH", LESSONS):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_role("heading", name=values["new_title"], level=1, exact=True).wait_for()


async def add_resource(page: Page, values: Mapping[str, str]) -> None:
    """Add an exercise from the library to a lesson."""
    await _open_lesson(page, values)
    await page.get_by_role("link", name="Manage resources").click()
    panel = page.get_by_role("region")
    await panel.get_by_role("link", name=CHANNEL, exact=True).click()
    await panel.get_by_role("link", name=values["folder"], exact=True).click()
    await press(panel.get_by_role("checkbox", name=values["resource"], exact=True))
    async with answered(page, "PATCH", LESSONS):
        await panel.get_by_role("button", name="Save & finish").click()
    await page.get_by_role("link", name=values["resource"], exact=True).wait_for()


async def move_resource(page: Page, values: Mapping[str, str]) -> None:
    """Move the first resource of a lesson one place down."""
    await _open_lesson(page, values)
    row = page.get_by_role("row").filter(
        has=page.get_by_role("link", name=values["resource"], exact=True)
    )
    button = row.get_by_role("button", name="Move down")
    await button.focus()  # it shows only then
    async with answered(page, "PATCH", LESSONS):
        await button.click()


async def remove_resource(page: Page, values: Mapping[str, str]) -> None:
    """Remove a resource from a lesson."""
    await _open_lesson(page, values)
    row = page.get_by_role("row").filter(
        has=page.get_by_role("link", name=values["resource"], exact=True)
    )
    async with answered(page, "PATCH", LESSONS):
        await row.get_by_role("button", name="Remove").click()
    await row.wait_for(state="detached")


async def copy_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Copy a lesson to another class."""
    await _open_menu(page, values, "Copy lesson")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text(values["other_class"], exact=True).click()
    await dialog.get_by_role("button", name="Continue").click()
    async with answered(page, "POST", LESSONS):
        await page.get_by_role("dialog").get_by_role("button", name="Copy").click()
    await page.get_by_role("dialog").wait_for(state="hidden")


async def delete_lesson(page: Page, values: Mapping[str, str]) -> None:
    """Delete a lesson."""
    await _open_menu(page, values, "Delete")
    async with answered(page, "DELETE", LESSONS):
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await page.get_by_role("heading", name="Lessons", level=1).wait_for()
    await row_of(page, values["title"]).wait_for(state="detached")


async def _fill_new_lesson(page: Page, values: Mapping[str, str]) -> None:
    await open_class(page, values["class_name"], "Lessons")
    await page.get_by_role("link", name="New lesson").click()
    await page.get_by_label("Title").fill(values["title"])
    await page.get_by_label("Description").fill(values["description"])


async def _save_new_lesson(page: Page, values: Mapping[str, str]) -> None:
    async with answered(page, "POST", LESSONS):
        await page.get_by_role("button", name="Save changes").click()
    await page.get_by_role("heading", name=values["title"], level=1, exact=True).wait_for()


async def _open_lesson(page: Page, values: Mapping[str, str]) -> None:
    await open_class(page, values["class_name"], "Lessons")
    await page.get_by_role("link", name=values["title"], exact=True).click()
    await page.get_by_role("heading", name=values["title"], level=1, exact=True).wait_for()
    await loaded(page)


async def _open_menu(page: Page, values: Mapping[str, str], item: str) -> None:
    await _open_lesson(page, values)
    await page.get_by_role("button", name="Options").click()
    await choose(page, item)


async def _switch(page: Page, told: str) -> None:
    async with answered(page, "PATCH", LESSONS):
        await press(page.get_by_role("checkbox", name="Visible to learners"))
    await page.get_by_text(told).first.wait_for()
