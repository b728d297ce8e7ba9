"""What was demonstrated by another gesture than a click is executed with other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import sessions
from conftest import Act, Bench
from playwright.async_api import Page
from scenes import press
from test_execute import story, written

from odokit.execute import Outcome, act

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("impatient")]


@dataclass(frozen=True)
class Case:
    """A task demonstrated on a page, and what the server must get for another of its kind.

    Attributes:
        page: Where it begins.
        act: How a person does it with the demonstrated values.
        wording: The task, with `{parameter}` slots.
        demonstrated: Values of the demonstration.
        other: Values of the task to execute.
        writes: What the server must get.
    """

    page: str
    act: Act
    wording: str
    writes: tuple[tuple[str, str, Any], ...]
    demonstrated: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)


async def pick_mentor(page: Page) -> None:
    await page.locator("body[data-loaded]").wait_for()
    await page.get_by_label("Mentor", exact=True).press_sequentially("Grace Hopper")
    await page.get_by_role("option", name="Grace Hopper").click()
    await press(page, "Assign mentor")


async def describe(page: Page) -> None:
    box = page.get_by_label("Description")
    await box.click()
    await box.press_sequentially("Warm and dry")
    await press(page, "Save description")


async def write_essay(page: Page) -> None:
    await page.locator(".ql-editor").press_sequentially("My day")
    await press(page, "Hand in essay")


async def edit_room(page: Page) -> None:
    await page.get_by_role("button", name="Edit course").click()
    await page.get_by_label("Room").fill("B12")
    await press(page, "Save room")


async def move_up(page: Page) -> None:
    button = page.get_by_role("listitem").filter(has_text="Decimals").get_by_label("Move up")
    await button.focus()  # a person presses Tab until it shows
    await button.click()
    await page.get_by_role("status").wait_for()


async def archive(page: Page) -> None:
    row = page.get_by_role("listitem").filter(has_text="Decimals")
    await row.hover()
    await row.get_by_label("Archive").click()
    await page.get_by_role("status").wait_for()


async def answer_test(page: Page) -> None:
    await page.get_by_role("button", name="Maps").click()
    await page.get_by_role("button", name="900 km").click()
    await press(page, "Submit")


CASES: Mapping[str, Case] = {
    "options behind letters": Case(
        "options.html",
        answer_test,
        'Answer the test "{test}" with "{answer}"',
        (
            (
                "POST",
                "/api/answers",
                {
                    "choices": [{"content": f"{n} kg"} for n in (940, 530, 490, 220)],
                    "selectedChoices": [True, False, False, False],
                },
            ),
        ),
        {"test": "Maps", "answer": "900 km"},
        {"test": "Islands", "answer": "940 kg"},
    ),
    "button in front while it has the focus": Case(
        "raised.html",
        move_up,
        "Move {lesson} up",
        (("POST", "/api/moves", {"lesson": "Percentages"}),),
        {"lesson": "Decimals"},
        {"lesson": "Percentages"},
    ),
    "button in front while its row is pointed at": Case(
        "raised.html",
        archive,
        "Archive {lesson}",
        (("POST", "/api/archive", {"lesson": "Percentages"}),),
        {"lesson": "Decimals"},
        {"lesson": "Percentages"},
    ),
    "hover by style sheet": Case(
        "hover.html",
        sessions.hover_menu,
        "Look at the {what}",
        (("POST", "/api/views", {"what": "Boots"}),),
        {"what": "Sandals"},
        {"what": "Boots"},
    ),
    "hover by script": Case(
        "hoverjs.html",
        sessions.hover_card,
        "Hide the course",
        (("POST", "/api/hidden", {"course": "Algebra"}),),
    ),
    "double click": Case(
        "double.html",
        sessions.rename_group,
        "Call the group {old} {new}",
        (("PUT", "/api/groups/1", {"name": "Bears"}),),
        {"old": "Owls", "new": "Eagles"},
        {"old": "Foxes", "new": "Bears"},
    ),
    "context menu": Case(
        "context.html",
        sessions.duplicate,
        "Duplicate the file {file}",
        (("POST", "/api/duplicates", {"file": "notes.txt"}),),
        {"file": "photo.png"},
        {"file": "notes.txt"},
    ),
    "drag and drop": Case(
        "drag.html",
        sessions.move_card,
        "Move {card} to {lane}",
        (("POST", "/api/moves", {"card": "Write report", "lane": "doing"}),),
        {"card": "Call Ada", "lane": "Done"},
        {"card": "Write report", "lane": "Doing"},
    ),
    "drag by pointer": Case(
        "sortable.html",
        sessions.sort_rows,
        "Begin with the percentages",
        (("PUT", "/api/order", {"order": ["Percentages", "Fractions", "Decimals"]}),),
    ),
    "keyboard shortcuts": Case(
        "shortcut.html",
        sessions.use_shortcuts,
        "Delete the second message",
        (("DELETE", "/api/mails/1", None),),
    ),
    "arrow keys": Case(
        "listbox.html",
        sessions.choose_theme,
        "Choose the last theme",
        (("PUT", "/api/theme", {"theme": "Sepia"}),),
    ),
    "autocomplete": Case(
        "autocomplete.html",
        pick_mentor,
        "Make {who} the mentor",
        (("POST", "/api/mentors", {"name": "Alan Turing"}),),
        {"who": "Grace Hopper"},
        {"who": "Alan Turing"},
    ),
    "Enter sends": Case(
        "chat.html",
        sessions.chat,
        'Say "{text}" and comment "{note}"',
        (
            ("POST", "/api/chat", {"text": "Good morning"}),
            ("POST", "/api/comments", {"text": "Well done"}),
        ),
        {"text": "Hello", "note": "Nice"},
        {"text": "Good morning", "note": "Well done"},
    ),
    "ProseMirror-like editor": Case(
        "prosemirror.html",
        describe,
        'Describe it as "{text}"',
        (("PUT", "/api/descriptions/1", {"text": "Light as a feather"}),),
        {"text": "Warm and dry"},
        {"text": "Light as a feather"},
    ),
    "editor in a frame": Case(
        "written.html",
        sessions.write_letter,
        'Send the letter "{text}"',
        (("POST", "/api/letters", {"text": "Dear Grace"}),),
        {"text": "Dear Ada"},
        {"text": "Dear Grace"},
    ),
    "Quill-like editor": Case(
        "quill.html",
        write_essay,
        'Hand in the essay "{text}"',
        (("POST", "/api/essays", {"text": "On whales", "bold": False}),),
        {"text": "My day"},
        {"text": "On whales"},
    ),
    "CodeMirror-like editor": Case(
        "codemirror.html",
        sessions.write_codemirror,
        'Run the program "{code}"',
        (("POST", "/api/programs", {"code": "y = 22 * 7"}),),
        {"code": "x = 1"},
        {"code": "y = 22 * 7"},
    ),
    "prompt": Case(
        "prompt.html",
        sessions.rename_folder,
        'Rename the folder to "{name}"',
        (("PUT", "/api/folders/3", {"name": "Physics"}),),
        {"name": "Maths"},
        {"name": "Physics"},
    ),
    "confirm refused": Case(
        "prompt.html",
        sessions.archive_folder,
        "Archive the folder without a copy",
        (("POST", "/api/archives", {"copy": False}),),
    ),
    "popup": Case(
        "popup.html",
        sessions.pick_in_popup,
        "Choose the colour {colour}",
        (("POST", "/api/colours", {"colour": "Red"}),),
        {"colour": "Teal"},
        {"colour": "Red"},
    ),
    "frame of another origin": Case(
        "crossframe.html",
        sessions.rate_book,
        'Rate it "{comment}" as {name}',
        (
            ("POST", "/api/ratings", {"comment": "Splendid"}),
            ("POST", "/api/profile", {"name": "Grace"}),
        ),
        {"comment": "Good", "name": "Ada"},
        {"comment": "Splendid", "name": "Grace"},
    ),
    "date picker": Case(
        "datepicker.html",
        sessions.book_day,
        "Book June {day}",
        (("POST", "/api/bookings", {"day": "2026-06-23"}),),
        {"day": "17"},
        {"day": "23"},
    ),
    "select that opens on the press": Case(
        "ngselect.html",
        sessions.choose_facet,
        "Choose the facet {facet}",
        (("POST", "/api/facets", {"facet": "Size"}),),
        {"facet": "Colour"},
        {"facet": "Size"},
    ),
    "modal dialog": Case(
        "modal.html",
        edit_room,
        "Put the course into room {room}",
        (("PUT", "/api/rooms/1", {"room": "C07"}),),
        {"room": "B12"},
        {"room": "C07"},
    ),
}


@pytest.mark.parametrize("name", CASES)
async def test_the_case_with_other_values(bench: Bench, name: str) -> None:
    case = CASES[name]
    task = case.wording.format(**case.demonstrated)
    await bench.demonstrate(case.page, case.act, task=task, values=case.demonstrated)
    episode = await bench.execute(case.wording.format(**case.other), case.page)
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert tuple(written(bench)) == case.writes, story(episode)


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name].page == "raised.html"])
async def test_what_stays_covered_is_not_clicked(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(act, "CLICK_TIMEOUT_MS", 1_000.0)
    case = CASES[name]
    task = case.wording.format(**case.demonstrated)
    await bench.demonstrate(case.page, case.act, task=task, values=case.demonstrated)
    episode = await bench.execute(case.wording.format(**case.other), case.page, drift="sheet")
    assert episode.outcome is Outcome.FAILURE and "something covers it" in episode.reason
    assert written(bench) == []


async def test_an_option_that_is_not_offered_is_not_replaced(bench: Bench) -> None:
    case = CASES["options behind letters"]
    task = case.wording.format(**case.demonstrated)
    await bench.demonstrate(case.page, case.act, task=task, values=case.demonstrated)
    episode = await bench.execute(case.wording.format(test="Coins", answer="900 km"), case.page)
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert written(bench) == []


async def test_the_place_of_a_row_does_not_tell_another_row(bench: Bench) -> None:
    case = CASES["button in front while its row is pointed at"]
    task = case.wording.format(**case.demonstrated)
    await bench.demonstrate(case.page, case.act, task=task, values=case.demonstrated, drift="long")
    episode = await bench.execute(case.wording.format(**case.other), case.page, drift="long")
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert written(bench) == []
    episode = await bench.execute(task, case.page, drift="long")
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert written(bench) == [("POST", "/api/archive", {"lesson": "Decimals"})]


async def test_a_file_comes_from_the_one_folder(bench: Bench, tmp_path: Path) -> None:
    task = "Hand in {}"
    await bench.demonstrate(
        "file.html", sessions.hand_in, task=task.format("essay.txt"), values={"file": "essay.txt"}
    )
    (tmp_path / "poem.txt").write_text("Roses are red", encoding="utf-8")
    episode = await bench.execute(task.format("poem.txt"), "file.html", uploads=tmp_path)
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    (write,) = bench.site.writes
    assert "Roses are red" in write.body and 'filename="poem.txt"' in write.body


@pytest.mark.parametrize("has_folder", [False, True])
async def test_a_file_that_may_not_be_uploaded(
    bench: Bench, tmp_path: Path, has_folder: bool
) -> None:
    await bench.demonstrate(
        "file.html", sessions.hand_in, task="Hand in essay.txt", values={"file": "essay.txt"}
    )
    (tmp_path / "private.txt").write_text("mine", encoding="utf-8")
    folder = tmp_path / "uploads"
    folder.mkdir()
    episode = await bench.execute(
        "Hand in ../private.txt", "file.html", uploads=folder if has_folder else None
    )
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert "ODOKIT_UPLOADS" in episode.reason
    assert bench.site.writes == []
