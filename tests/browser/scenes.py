"""Tasks of the fixture site: how each is demonstrated, and what the server must get for another.

A scene knows a demonstration (by a person, here Playwright) and a task of the same wording with
other values, with the write that carries it out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Page


@dataclass(frozen=True)
class Scene:
    """A task of the site.

    Attributes:
        page: Where it begins.
        act: How a person does it with the demonstrated values.
        wording: The task, with `{parameter}` slots.
        demonstrated: Values of the demonstration.
        other: Values of the task to execute.
        method: Method of the write that carries it out.
        path: Its path.
        body: Its body.
    """

    page: str
    act: Callable[[Page], Awaitable[None]]
    wording: str
    demonstrated: Mapping[str, str]
    other: Mapping[str, str]
    method: str
    path: str
    body: Any = field(default_factory=dict)

    def task(self, values: Mapping[str, str] | None = None) -> str:
        """The task with some values, by default those to execute."""
        return self.wording.format(**(self.other if values is None else values))


async def press(page: Page, name: str) -> None:
    """Press a button and wait until the page says that its write was answered."""
    await page.get_by_role("button", name=name, exact=True).click()
    await page.get_by_role("status").wait_for()


async def fill_form(page: Page) -> None:
    await page.get_by_label("Full name").fill("Ada Byron")
    await page.get_by_label("About").fill("likes maths")
    await page.get_by_label("E-mail").fill("ada@example.org")
    await page.get_by_label("Age").fill("36")
    await press(page, "Save member")


async def set_boxes(page: Page) -> None:
    await page.get_by_label("Allow guests").click()
    await page.get_by_text("Show names").click()
    await page.locator(".draw").click()
    await page.get_by_role("switch").click()
    await press(page, "Save settings")


async def choose_radios(page: Page) -> None:
    await page.get_by_label("Extra large").click()
    await page.get_by_text("Green").click()
    await page.get_by_role("radio", name="Fast").click()
    await press(page, "Place order")


async def choose_selects(page: Page) -> None:
    await page.get_by_label("Country").select_option(label="Italy")
    await page.get_by_text("Choose a city").click()
    await page.get_by_text("Turin").click()
    await press(page, "Book trip")


async def write_note(page: Page) -> None:
    await page.get_by_label("Message").fill("Hello there")
    await press(page, "Send note")


async def announce(page: Page) -> None:
    await page.get_by_label("Title").fill("Picnic")
    await page.frame_locator("iframe").locator("body").press_sequentially("Bring a hat")
    await press(page, "Publish")


async def nickname(page: Page) -> None:
    await page.get_by_role("link", name="Grace Hopper").click()
    await page.get_by_label("Nickname").fill("Amazing")
    await press(page, "Save nickname")


async def mark_present(page: Page) -> None:
    await page.get_by_role("link", name="Alan Turing").click()
    await press(page, "Mark as present")


async def new_class(page: Page) -> None:
    await page.get_by_role("link", name="Classes").click()
    await page.get_by_role("link", name="New class").click()
    await page.get_by_label("Class name").fill("Maths")
    await press(page, "Create class")


async def delete_lesson(page: Page) -> None:
    await page.locator("li", has_text="Decimals").get_by_role("button").click()
    await page.get_by_role("menuitem", name="Delete").click()
    await page.get_by_role("status").wait_for()


async def new_group(page: Page) -> None:
    await page.get_by_role("button", name="New group").click()
    await page.locator("body[data-loaded]").wait_for()
    await page.get_by_label("Name").fill("Owls")
    await press(page, "Save")


async def invite(page: Page) -> None:
    await press(page, "Invite Alan Turing")


async def enrol(page: Page) -> None:
    await page.get_by_label("Grace Hopper").click()
    await press(page, "Confirm")


async def take_quiz(page: Page) -> None:
    for answer in ("Four", "Lovelace", "Yes"):
        await page.get_by_label(answer).click()
        async with page.expect_response("**/answers"):
            await page.get_by_role("button", name="Next").click()
    async with page.expect_response("**/submissions"):
        await page.get_by_role("button", name="Submit quiz").click()


async def rename_course(page: Page) -> None:
    await page.get_by_label("Course name").fill("Algebra")
    await press(page, "Rename course")


async def delete_page(page: Page) -> None:
    page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
    await press(page, "Delete page")


async def update_page(page: Page) -> None:
    await page.get_by_label("Title").fill("News")
    await page.get_by_role("button", name="Update page").click()
    await page.get_by_role("heading", name="Done").wait_for()


async def acknowledge(page: Page) -> None:
    async with page.expect_popup() as popup:
        await page.get_by_role("link", name="Help").click()
    await press(await popup.value, "Acknowledge")


async def new_card(page: Page) -> None:
    await page.get_by_label("Card title").fill("Ace")
    await press(page, "Save card")


async def keep_entry(page: Page) -> None:
    await page.get_by_label("Entry").fill("Rain all day")
    await press(page, "Keep entry")


async def rename_me(page: Page) -> None:
    await page.get_by_label("Display name").fill("Ada")
    await press(page, "Save changes")


async def edit_billing(page: Page) -> None:
    await page.get_by_role("region", name="Billing").get_by_role("button").click()
    await page.get_by_role("status").wait_for()


async def search(page: Page) -> None:
    await page.get_by_label("Search").fill("cats")
    async with page.expect_response("**/searches"):
        await page.get_by_label("Search").press("Enter")


async def rename_in_frame(page: Page) -> None:
    inner = page.frame_locator("iframe").frame_locator("iframe")
    await inner.get_by_label("Display name").fill("Ada")
    await inner.get_by_role("button", name="Save changes").click()
    await inner.get_by_role("status").wait_for()


SCENES: Mapping[str, Scene] = {
    "form": Scene(
        "form.html",
        fill_form,
        'Register "{name}", aged {age}, who "{about}", with the address {mail}',
        {"name": "Ada Byron", "age": "36", "about": "likes maths", "mail": "ada@example.org"},
        {"name": "Bo Li", "age": "41", "about": "sings well", "mail": "bo@example.org"},
        "POST",
        "/api/members",
        {
            "full_name": "Bo Li",
            "about": "sings well",
            "email": "bo@example.org",
            "age": 41,
            "pw": "",
            "word": "",
            "session_id": "f00d",
        },
    ),
    "checkboxes": Scene(
        "checkboxes.html",
        set_boxes,
        "Turn {state} guests",
        {"state": "on"},
        {"state": "on"},
        "POST",
        "/api/settings",
        {"guests": True, "names": False, "digest": True, "night": True},
    ),
    "radios": Scene(
        "radios.html",
        choose_radios,
        "Order it in size {size} and colour {colour}, shipped {speed}",
        {"size": "Extra large", "colour": "Green", "speed": "Fast"},
        {"size": "Small", "colour": "Blue", "speed": "Slow"},
        "POST",
        "/api/orders",
        {"size": "s", "colour": "b", "shipping": "Slow"},
    ),
    "select": Scene(
        "select.html",
        choose_selects,
        "Book a trip to {city} in {country}",
        {"city": "Turin", "country": "Italy"},
        {"city": "Osaka", "country": "Japan"},
        "POST",
        "/api/trips",
        {"country": "jp", "city": "Osaka"},
    ),
    "rich": Scene(
        "rich.html",
        write_note,
        'Send a note saying "{text}"',
        {"text": "Hello there"},
        {"text": "See you & me at 5"},
        "POST",
        "/api/notes",
        {"text": "See you & me at 5"},
    ),
    "tiny": Scene(
        "tiny.html",
        announce,
        'Announce "{title}" with the message "{message}"',
        {"title": "Picnic", "message": "Bring a hat"},
        {"title": "Concert", "message": "Bring an umbrella"},
        "POST",
        "/api/announcements",
        {"title": "Concert", "message": "Bring an umbrella"},
    ),
    "hash": Scene(
        "hash.html",
        nickname,
        'Give {person} the nickname "{nick}"',
        {"person": "Grace Hopper", "nick": "Amazing"},
        {"person": "Zoë O'Neil", "nick": "Zed"},
        "PUT",
        "/api/people/6",
        {"nickname": "Zed"},
    ),
    "push": Scene(
        "push",
        mark_present,
        "Mark {person} as present",
        {"person": "Alan Turing"},
        {"person": "Anna"},
        "POST",
        "/api/people/4/present",
    ),
    "turbo": Scene(
        "turbo/people",
        new_class,
        "Create a class named {name}",
        {"name": "Maths"},
        {"name": "Year 7"},
        "POST",
        "/api/classes",
        {"name": "Year 7"},
    ),
    "rows": Scene(
        "rows.html",
        delete_lesson,
        'Delete the lesson "{lesson}"',
        {"lesson": "Decimals"},
        {"lesson": "Fractions of time"},
        "DELETE",
        "/api/lessons/3",
        None,
    ),
    "dialog": Scene(
        "dialog.html",
        new_group,
        "Create a group named {name}",
        {"name": "Owls"},
        {"name": "Foxes"},
        "POST",
        "/api/groups",
        {"name": "Foxes"},
    ),
    "late": Scene(
        "late.html",
        invite,
        "Invite {person} to the party",
        {"person": "Alan Turing"},
        {"person": "Ada Byron"},
        "POST",
        "/api/invitations",
        {"person": 1},
    ),
    "picks": Scene(
        "picks.html",
        enrol,
        "Enrol {person} in the class",
        {"person": "Grace Hopper"},
        {"person": "Anna"},
        "POST",
        "/api/enrolments",
        {"learners": [4]},
    ),
    "quiz": Scene("quiz.html", take_quiz, "Take the quiz", {}, {}, "POST", "/api/quiz/submissions"),
    "graphql": Scene(
        "graphql.html",
        rename_course,
        'Rename the course to "{name}"',
        {"name": "Algebra"},
        {"name": "Geometry"},
        "POST",
        "/api/graphql",
        {
            "operationName": "RenameCourse",
            "variables": {"id": 7, "name": "Geometry"},
            "query": "mutation RenameCourse($id: ID!, $name: String!) "
            "{ renameCourse(id: $id, name: $name) { id } }",
        },
    ),
    "confirm": Scene(
        "confirm.html", delete_page, "Delete the page", {}, {}, "DELETE", "/api/pages/7", None
    ),
    "redirect": Scene(
        "redirect.html",
        update_page,
        'Retitle the page "{title}"',
        {"title": "News"},
        {"title": "Olds"},
        "POST",
        "/redirect",
        {"_method": "put", "csrf_token": "tok-998877", "title": "Olds"},
    ),
    "tab": Scene("redirect.html", acknowledge, "Acknowledge the help", {}, {}, "POST", "/api/acks"),
    "shadow": Scene(
        "shadow.html",
        new_card,
        "Make a card titled {title}",
        {"title": "Ace"},
        {"title": "Queen of hearts"},
        "POST",
        "/api/cards",
        {"title": "Queen of hearts"},
    ),
    "polling": Scene(
        "polling.html",
        keep_entry,
        'Note "{text}" in the journal',
        {"text": "Rain all day"},
        {"text": "Sun at last"},
        "POST",
        "/api/entries",
        {"text": "Sun at last"},
    ),
    "upper": Scene(
        "upper.html",
        rename_me,
        "Change my name to {name}",
        {"name": "Ada"},
        {"name": "Grace"},
        "POST",
        "/api/profile",
        {"name": "Grace"},
    ),
    "regions": Scene(
        "regions.html",
        edit_billing,
        "Edit the billing",
        {},
        {},
        "POST",
        "/api/edits",
        {"what": "billing"},
    ),
    "search": Scene(
        "tricks.html",
        search,
        "Search for {query}",
        {"query": "cats"},
        {"query": "dogs"},
        "POST",
        "/api/searches",
        {"q": "dogs"},
    ),
    "frames": Scene(
        "frames.html",
        rename_in_frame,
        "Change my name to {name}",
        {"name": "Ada"},
        {"name": "Grace"},
        "POST",
        "/api/profile",
        {"name": "Grace"},
    ),
}
