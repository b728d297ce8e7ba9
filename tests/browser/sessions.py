"""What a person does on each page of the fixture site, and what a recorder that misses nothing has.

`SESSIONS` is the table behind the fidelity test and `benchmarks/fidelity.py`: for each page a
scripted session, the events expected of it (one line each, DOM effects left out because what a page
changes is the browser's to say), and the gaps that the recording must report.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

import scenes
from playwright.async_api import Dialog, FilePayload, Page
from playwright.async_api import Error as PlaywrightError
from scenes import press

from odokit.events import Event, EventKind, Gesture, Trajectory
from odokit.timeline import build_timeline

Act = Callable[[Page], Awaitable[None]]
POLLS = frozenset({"POST api/ping"})
"""Sent by a page by itself, as often as there is time for."""
HOMEWORK = FilePayload(name="essay.txt", mimeType="text/plain", buffer=b"Once upon a time")


@dataclass(frozen=True)
class Session:
    """A scripted session on a page.

    Attributes:
        page: The page.
        act: What a person does there.
        events: What must be recorded after the page was reached, as `event_line` tells it.
        gaps: What must be reported as missed.
    """

    page: str
    act: Act
    events: tuple[str, ...]
    gaps: tuple[str, ...] = ()


def event_line(event: Event) -> str:
    """Tell an event in a line: what was done to what, with which value, and what it raised."""
    if event.kind is EventKind.LOCATION:
        return f"at {event.to_url.split('/', 3)[3]}{_tab(event)}"
    if event.request is not None:
        path = event.request.url.split("/", 3)[3]
        return f"{event.request.method} {path} {event.request.operation}".strip()
    assert event.element is not None
    what = f"{event.element.role or event.element.tag} “{event.element.name}”"
    value = (event.value or "").replace("\n", "⏎")
    verb = str(event.gesture if event.kind is EventKind.CLICK else event.kind)
    if event.gesture is Gesture.KEY:
        verb = f"key {value} in"
    elif event.kind is EventKind.CHECKBOX:
        what += f" {'on' if event.checked else 'off'}"
    elif event.kind is EventKind.RADIO:
        what = f"“{event.group}” = {value}"
    elif event.kind is not EventKind.CLICK:
        what += f" = {value}"
    if event.drop is not None:
        what += f" to “{event.drop.name}”"
    return f"{verb} {what}{_place(event)}{_raised(event)}{_tab(event)}"


def _place(event: Event) -> str:
    assert event.element is not None
    frames, roots = len(event.element.frame), len(event.element.shadow)
    return (f" [{frames} frames]" if frames else "") + (f" [{roots} shadow roots]" if roots else "")


def _raised(event: Event) -> str:
    said = [f"{d.type} {'yes' if d.accepted else 'no'} {d.text}".strip() for d in event.dialogs]
    files = [f"{f.name}: {f.size} bytes" for f in event.files]
    download = [f"download {event.download}"] if event.download else []
    all_of_it = [*said, *files, *download]
    return f" ({'; '.join(all_of_it)})" if all_of_it else ""


def _tab(event: Event) -> str:
    return f" [tab {event.tab}]" if event.tab else ""


def event_lines(trajectory: Trajectory, page: str) -> list[str]:
    """Tell what was recorded after a page was reached, DOM effects left out."""
    steps = [s.event for s in build_timeline(trajectory).steps]
    lines = [event_line(e) for e in steps if e.kind is not EventKind.DOM_EFFECT]
    lines = lines[1:] if lines[:1] == [f"at {page}"] else lines
    return [line for line in lines if line not in POLLS]


def in_order(lines: Sequence[str]) -> tuple[list[str], list[str]]:
    """Sort lines into what the person did, in order, and what the application did, in any order.

    Requests and addresses come by ways of their own, so that their order may differ by chance.
    """
    ours = [line for line in lines if not _BY_APPLICATION.match(line)]
    return ours, sorted(line for line in lines if _BY_APPLICATION.match(line))


_BY_APPLICATION = re.compile("at |POST |PUT |PATCH |DELETE ")


def gap_kinds(trajectory: Trajectory) -> list[str]:
    """What was missed, without where."""
    return [gap.what for gap in trajectory.health.gaps] if trajectory.health else []


def answer(page: Page, *answers: str | bool) -> None:
    """Answer the dialogs to come as a person does: a text, yes or no."""
    left = list(answers)

    async def on_dialog(dialog: Dialog) -> None:
        given = left.pop(0)
        if isinstance(given, str):
            await dialog.accept(given)
        elif given:
            await dialog.accept()
        else:
            await dialog.dismiss()

    page.on("dialog", lambda dialog: asyncio.ensure_future(on_dialog(dialog)))


async def rename_folder(page: Page) -> None:
    answer(page, "Maths", True)
    await press(page, "Rename folder")


async def archive_folder(page: Page) -> None:
    answer(page, False)
    await press(page, "Archive folder")


async def keep_photo(page: Page) -> None:
    answer(page, False)
    await press(page, "Delete photo")


async def pick_by_keys(page: Page) -> None:
    await page.locator("body[data-loaded]").wait_for()
    field = page.get_by_label("Mentor", exact=True)
    await field.press_sequentially("An")
    await field.press("ArrowDown")
    await field.press("ArrowDown")
    await field.press("Enter")
    await press(page, "Assign mentor")


async def pick_by_mouse(page: Page) -> None:
    await page.locator("body[data-loaded]").wait_for()
    await page.get_by_label("Mentor", exact=True).press_sequentially("Gr")
    await page.get_by_role("option", name="Grace Hopper").click()
    await press(page, "Assign mentor")


async def move_card(page: Page) -> None:
    await page.get_by_text("Call Ada").drag_to(page.get_by_role("region", name="Done"))
    await page.get_by_role("status").wait_for()


async def sort_rows(page: Page) -> None:
    row = await page.get_by_text("Percentages").bounding_box()
    first = await page.get_by_text("Fractions").bounding_box()
    assert row is not None and first is not None
    await page.mouse.move(row["x"] + 30, row["y"] + 20)
    await page.mouse.down()
    await page.mouse.move(first["x"] + 30, first["y"] + 15, steps=12)
    await page.mouse.up()
    await press(page, "Save order")


async def press_sealed(page: Page) -> None:
    await page.locator("x-sealed").click()
    await page.get_by_role("status").wait_for()


async def rate_book(page: Page) -> None:
    frame = page.frame_locator("iframe")
    await frame.get_by_label("Comment").fill("Good")
    await frame.get_by_role("button", name="Send rating").click()
    await frame.get_by_role("status").wait_for()
    inner = frame.frame_locator("iframe")
    await inner.get_by_label("Display name").fill("Ada")
    await inner.get_by_role("button", name="Save changes").click()
    await inner.get_by_role("status").wait_for()


async def book_day(page: Page) -> None:
    await page.get_by_label("Day", exact=True).click()
    await page.get_by_role("button", name="Next month").click()
    await page.get_by_role("button", name="17", exact=True).click()
    await press(page, "Book day")


async def choose_facet(page: Page) -> None:
    await page.get_by_label("Facet").click()
    await page.get_by_role("option", name="Colour").click()
    await press(page, "Save facet")


async def pick_size(page: Page) -> None:
    await page.get_by_text("Large").click()
    await press(page, "Order shirt")


async def pick_in_popup(page: Page) -> None:
    async with page.expect_popup() as popup:
        await page.get_by_role("button", name="Open the palette").click()
    palette = await popup.value
    async with palette.expect_event("close"):
        with contextlib.suppress(PlaywrightError):  # the window is closed by the click itself
            await palette.get_by_role("button", name="Teal").click()
    await press(page, "Save colour")


async def export_grades(page: Page) -> None:
    async with page.expect_download():
        await press(page, "Export grades")


async def reply(page: Page) -> None:
    await press(page, "Reply")


async def give_feedback(page: Page) -> None:
    field = page.get_by_label("Feedback")
    await field.press_sequentially("Fine,")
    await field.press("Enter")
    await field.press_sequentially("thanks")
    await press(page, "Send feedback")


async def chat(page: Page) -> None:
    area = page.get_by_label("Chat message")
    await area.press_sequentially("Hello")
    async with page.expect_response("**/chat"):
        await area.press("Enter")
    box = page.get_by_label("Comment")
    await box.press_sequentially("Nice")
    async with page.expect_response("**/comments"):
        await box.press("Enter")


async def write_prosemirror(page: Page) -> None:
    box = page.get_by_label("Description")
    await box.click()
    await box.press_sequentially("Warm")
    await box.press("Enter")
    await box.press_sequentially("Dry")
    await press(page, "Save description")


async def write_letter(page: Page) -> None:
    await page.frame_locator("iframe").locator("body").press_sequentially("Dear Ada")
    await press(page, "Send letter")


async def write_quill(page: Page) -> None:
    box = page.locator(".ql-editor")
    await box.press_sequentially("My day")
    await box.press("Control+b")
    await press(page, "Hand in essay")


async def write_codemirror(page: Page) -> None:
    await page.locator(".CodeMirror").click()
    await page.keyboard.type("x = 1", delay=30)
    await page.get_by_text("x = 1").wait_for()
    await press(page, "Run program")


async def use_shortcuts(page: Page) -> None:
    await page.keyboard.press("j")
    await page.keyboard.press("Control+k")
    await page.get_by_label("Command", exact=True).fill("archive")
    await page.keyboard.press("Escape")
    await page.keyboard.press("#")
    await page.get_by_role("status").wait_for()


async def hover_menu(page: Page) -> None:
    await page.get_by_role("link", name="Shoes").hover()
    await press(page, "Sandals")


async def hover_card(page: Page) -> None:
    # A person's pointer comes some time after the page was loaded.
    await page.wait_for_function("performance.now() > 900")
    await page.get_by_role("button", name="Algebra").hover()
    await press(page, "Hide course")


async def hand_in(page: Page) -> None:
    await page.get_by_label("Homework").set_input_files(HOMEWORK)
    await page.get_by_role("button", name="Hand in").click()
    await page.get_by_role("heading", name="Done").wait_for()


async def use_graphql(page: Page) -> None:
    for name in ("Archive two", "Publish course", "Upload picture", "List courses"):
        async with page.expect_response("**/graphql"):
            await page.get_by_role("button", name=name).click()


async def find_course(page: Page) -> None:
    await page.get_by_label("Course").fill("Algebra")
    await page.get_by_label("Course").press("Enter")
    await page.get_by_role("heading", name="Done").wait_for()


async def wave(page: Page) -> None:
    await page.get_by_label("Directory").evaluate("el => { el.scrollTop = 600; }")
    await page.locator(".row", has_text="Person 22").get_by_role("button").click()
    await page.get_by_role("status").wait_for()


async def rename_group(page: Page) -> None:
    await page.get_by_text("Owls").dblclick()
    await page.get_by_label("Group name").fill("Eagles")
    await page.get_by_label("Group name").press("Enter")
    await page.get_by_role("status").wait_for()


async def duplicate(page: Page) -> None:
    await page.get_by_text("photo.png").click(button="right")
    await page.get_by_role("menuitem", name="Duplicate").click()
    await page.get_by_role("status").wait_for()


async def draw(page: Page) -> None:
    await page.locator("canvas").click()
    await page.get_by_role("status").wait_for()


async def set_inputs(page: Page) -> None:
    await page.get_by_label("Volume").fill("8")
    await page.get_by_label("Birthday").fill("1990-05-17")
    await page.get_by_label("Alarm").fill("07:30")
    await press(page, "Save preferences")


async def edit_room(page: Page) -> None:
    await page.get_by_role("button", name="Edit course").click()
    await page.get_by_label("Room").fill("B12")
    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="Edit course").click()
    await press(page, "Save room")


async def go_on(page: Page) -> None:
    await press(page, "Go on")


async def choose_theme(page: Page) -> None:
    await page.get_by_role("listbox").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await press(page, "Save theme")


async def answer_and_leave(page: Page) -> None:
    await page.get_by_label("Answer").fill("42")
    await page.get_by_role("link", name="Leave").click()
    await page.get_by_role("heading", name="Done").wait_for()


SESSIONS: Mapping[str, Session] = {
    "form": Session(
        "form.html",
        scenes.fill_form,
        (
            "data_entry textbox “Full name” = Ada Byron",
            "data_entry textbox “About” = likes maths",
            "data_entry textbox “E-mail” = ada@example.org",
            "data_entry spinbutton “Age” = 36",
            "click button “Save member”",
            "POST api/members",
        ),
    ),
    "checkboxes of four makes": Session(
        "checkboxes.html",
        scenes.set_boxes,
        (
            "checkbox checkbox “Allow guests” on",
            "checkbox checkbox “Show names” off",
            "checkbox checkbox “Weekly digest” on",
            "checkbox switch “Night mode” on",
            "click button “Save settings”",
            "POST api/settings",
        ),
    ),
    "radios of three makes": Session(
        "radios.html",
        scenes.choose_radios,
        (
            "radio “size” = Extra large",
            "radio “Colour” = Green",
            "radio “Shipping” = Fast",
            "click button “Place order”",
            "POST api/orders",
        ),
    ),
    "selects": Session(
        "select.html",
        scenes.choose_selects,
        (
            "select combobox “Country” = Italy",
            "click div “Choose a city”",
            "click listitem “Turin”",
            "click button “Book trip”",
            "POST api/trips",
        ),
    ),
    "content-editable": Session(
        "rich.html",
        scenes.write_note,
        (
            "rich_text textbox “Message” = Hello there",
            "click button “Send note”",
            "POST api/notes",
        ),
    ),
    "editor in a frame": Session(
        "tiny.html",
        scenes.announce,
        (
            "data_entry textbox “Title” = Picnic",
            "rich_text iframe “Rich Text Area” = Bring a hat",
            "click button “Publish”",
            "POST api/announcements",
        ),
    ),
    "addresses by hash": Session(
        "hash.html",
        scenes.nickname,
        (
            "click link “Grace Hopper”",
            "at hash.html#/people/2",
            "data_entry textbox “Nickname” = Amazing",
            "click button “Save nickname”",
            "PUT api/people/2",
        ),
    ),
    "addresses by History API": Session(
        "push",
        scenes.mark_present,
        (
            "click link “Alan Turing”",
            "at push/people/3",
            "click button “Mark as present”",
            "POST api/people/3/present",
        ),
    ),
    "body replaced": Session(
        "turbo/people",
        scenes.new_class,
        (
            "click link “Classes”",
            "at turbo/classes",
            "click link “New class”",
            "at turbo/new",
            "data_entry textbox “Class name” = Maths",
            "click button “Create class”",
            "POST api/classes",
            "at turbo/classes",
        ),
    ),
    "menu of a row": Session(
        "rows.html",
        scenes.delete_lesson,
        (
            "click button “Options”",
            "click menuitem “Delete”",
            "DELETE api/lessons/2",
        ),
    ),
    "dialog of the page": Session(
        "dialog.html",
        scenes.new_group,
        (
            "click button “New group”",
            "data_entry textbox “Name” = Owls",
            "click button “Save”",
            "POST api/groups",
        ),
    ),
    "late content": Session(
        "late.html",
        scenes.invite,
        (
            "click button “Invite Alan Turing”",
            "POST api/invitations",
        ),
    ),
    "list of check boxes": Session(
        "picks.html",
        scenes.enrol,
        (
            "checkbox checkbox “Grace Hopper” on",
            "click button “Confirm”",
            "POST api/enrolments",
        ),
    ),
    "quiz on one xpath": Session(
        "quiz.html",
        scenes.take_quiz,
        (
            "radio “answer” = Four",
            "click button “Next”",
            "POST api/quiz/answers",
            "radio “answer” = Lovelace",
            "click button “Next”",
            "POST api/quiz/answers",
            "radio “answer” = Yes",
            "click button “Next”",
            "POST api/quiz/answers",
            "click button “Submit quiz”",
            "POST api/quiz/submissions",
        ),
    ),
    "GraphQL": Session(
        "graphql.html",
        scenes.rename_course,
        (
            "data_entry textbox “Course name” = Algebra",
            "click button “Rename course”",
            "POST api/graphql RenameCourse",
        ),
    ),
    "confirmed deletion": Session(
        "confirm.html",
        scenes.delete_page,
        (
            "click button “Delete page” (confirm yes)",
            "DELETE api/pages/7",
        ),
    ),
    "form answered by a redirect": Session(
        "redirect.html",
        scenes.update_page,
        (
            "data_entry textbox “Title” = News",
            "click button “Update page”",
            "PUT redirect",
            "at done.html?token={{secret:token}}",
        ),
    ),
    "new tab": Session(
        "redirect.html",
        scenes.acknowledge,
        (
            "click link “Help”",
            "at done.html [tab 1]",
            "click button “Acknowledge” [tab 1]",
            "POST api/acks",
        ),
    ),
    "open shadow roots": Session(
        "shadow.html",
        scenes.new_card,
        (
            "data_entry textbox “Card title” = Ace [1 shadow roots]",
            "click button “Save card” [2 shadow roots]",
            "POST api/cards",
        ),
    ),
    "polling": Session(
        "polling.html",
        scenes.keep_entry,
        (
            "data_entry textbox “Entry” = Rain all day",
            "PUT api/draft",
            "click button “Keep entry”",
            "POST api/entries",
        ),
    ),
    "text drawn in capitals": Session(
        "upper.html",
        scenes.rename_me,
        (
            "data_entry textbox “Display name” = Ada",
            "click button “Save changes”",
            "POST api/profile",
        ),
    ),
    "regions": Session(
        "regions.html",
        scenes.edit_billing,
        (
            "click button “Edit”",
            "POST api/edits",
        ),
    ),
    "Enter in a form of scripts": Session(
        "tricks.html",
        scenes.search,
        (
            "data_entry textbox “Search” = cats⏎",
            "POST api/searches",
        ),
    ),
    "nested frames": Session(
        "frames.html",
        scenes.rename_in_frame,
        (
            "data_entry textbox “Display name” = Ada [2 frames]",
            "click button “Save changes” [2 frames]",
            "POST api/profile",
        ),
    ),
    "prompt": Session(
        "prompt.html",
        rename_folder,
        ("click button “Rename folder” (prompt yes Maths; alert yes)", "PUT api/folders/3"),
    ),
    "confirm refused": Session(
        "prompt.html",
        archive_folder,
        ("click button “Archive folder” (confirm no)", "POST api/archives"),
    ),
    "confirm refused, nothing sent": Session(
        "canceldelete.html", keep_photo, ("click button “Delete photo” (confirm no)",)
    ),
    "autocomplete by keys": Session(
        "autocomplete.html",
        pick_by_keys,
        (
            "data_entry combobox “Mentor” = An",
            "key ArrowDown in combobox “Mentor”",
            "key ArrowDown in combobox “Mentor”",
            "key Enter in combobox “Mentor”",
            "data_entry combobox “Mentor” = Anna Maria Ortiz",
            "click button “Assign mentor”",
            "POST api/mentors",
        ),
    ),
    "autocomplete by mouse": Session(
        "autocomplete.html",
        pick_by_mouse,
        (
            "data_entry combobox “Mentor” = Gr",
            "click option “Grace Hopper”",
            "data_entry combobox “Mentor” = Grace Hopper",
            "click button “Assign mentor”",
            "POST api/mentors",
        ),
    ),
    "drag and drop": Session(
        "drag.html", move_card, ("drag p “Call Ada” to “Done”", "POST api/moves")
    ),
    "sortable by pointer": Session(
        "sortable.html",
        sort_rows,
        (
            # The row moves along under the pointer, so that the list is all there is below it.
            "drag listitem “Percentages” to “Lessons”",
            "click button “Save order”",
            "PUT api/order",
        ),
    ),
    "closed shadow root": Session(
        "closed.html",
        press_sealed,
        ("click x-sealed “”", "POST api/sealed"),
        ("a closed shadow root was used",),
    ),
    "frame of another origin": Session(
        "crossframe.html",
        rate_book,
        (
            "data_entry textbox “Comment” = Good [1 frames]",
            "click button “Send rating” [1 frames]",
            "POST api/ratings",
            "data_entry textbox “Display name” = Ada [2 frames]",
            "click button “Save changes” [2 frames]",
            "POST api/profile",
        ),
    ),
    "date picker": Session(
        "datepicker.html",
        book_day,
        (
            "click textbox “Day”",
            "click button “Next month”",
            "click button “17”",
            "click button “Book day”",
            "POST api/bookings",
        ),
    ),
    "select that opens on the press": Session(
        "ngselect.html",
        choose_facet,
        (
            "click combobox “Facet”",
            "click option “Colour”",
            "click button “Save facet”",
            "POST api/facets",
        ),
    ),
    "choice gone on the press": Session(
        "pressgone.html",
        pick_size,
        ("click span “Large”", "click button “Order shirt”", "POST api/shirts"),
    ),
    "popup": Session(
        "popup.html",
        pick_in_popup,
        (
            "click button “Open the palette”",
            "at palette.html [tab 1]",
            "click button “Teal” [tab 1]",
            "click button “Save colour”",
            "POST api/colours",
        ),
    ),
    "download": Session(
        "download.html",
        export_grades,
        ("click button “Export grades” (download grades.csv)", "POST api/exports"),
    ),
    "prompt injection": Session(
        "injection.html", reply, ("click button “Reply”", "POST api/replies")
    ),
    "textarea": Session(
        "textarea.html",
        give_feedback,
        (
            "data_entry textbox “Feedback” = Fine,⏎thanks",
            "click button “Send feedback”",
            "POST api/feedback",
        ),
    ),
    "Enter sends": Session(
        "chat.html",
        chat,
        (
            "data_entry textbox “Chat message” = Hello",
            "key Enter in textbox “Chat message”",
            "POST api/chat",
            "rich_text textbox “Comment” = Nice",
            "key Enter in textbox “Comment”",
            "POST api/comments",
        ),
    ),
    "ProseMirror-like editor": Session(
        "prosemirror.html",
        write_prosemirror,
        (
            "rich_text textbox “Description” = Warm⏎Dry",
            "click button “Save description”",
            "PUT api/descriptions/1",
        ),
    ),
    "editor in a frame written anew": Session(
        "written.html",
        write_letter,
        (
            "rich_text textbox “” = Dear Ada [1 frames]",
            "click button “Send letter”",
            "POST api/letters",
        ),
    ),
    "Quill-like editor": Session(
        "quill.html",
        write_quill,
        (
            "rich_text textbox “” = My day",
            "key Control+b in textbox “”",
            "click button “Hand in essay”",
            "POST api/essays",
        ),
    ),
    "CodeMirror-like editor": Session(
        "codemirror.html",
        write_codemirror,
        (
            "rich_text div “Program” = x = 1",
            "click button “Run program”",
            "POST api/programs",
        ),
    ),
    "keyboard shortcuts": Session(
        "shortcut.html",
        use_shortcuts,
        (
            "key j in body “”",
            "key Control+k in body “”",
            "data_entry textbox “Command” = archive",
            "key Escape in textbox “Command”",
            "key # in body “”",
            "DELETE api/mails/1",
        ),
    ),
    "hover by style sheet": Session(
        "hover.html",
        hover_menu,
        ("hover link “Shoes”", "click button “Sandals”", "POST api/views"),
    ),
    "hover by script": Session(
        "hoverjs.html",
        hover_card,
        ("hover button “Algebra”", "click button “Hide course”", "POST api/hidden"),
    ),
    "file": Session(
        "file.html",
        hand_in,
        (
            "data_entry file “Homework” = essay.txt (essay.txt: 16 bytes)",
            "click button “Hand in”",
            "POST redirect",
            "at done.html?token={{secret:token}}",
        ),
    ),
    "GraphQL batch, persisted, multipart": Session(
        "batch.html",
        use_graphql,
        (
            "click button “Archive two”",
            "POST api/graphql Archive+Archive",
            "click button “Publish course”",
            "POST api/graphql Publish",
            "click button “Upload picture”",
            "POST api/graphql Upload",
            "click button “List courses”",
        ),
    ),
    "Enter submits": Session(
        "enter.html",
        find_course,
        ("data_entry textbox “Course” = Algebra⏎", "at done.html?q=Algebra"),
    ),
    "virtual list": Session("virtual.html", wave, ("click button “Wave”", "POST api/waves")),
    "double click": Session(
        "double.html",
        rename_group,
        (
            "double listitem “Owls”",
            "data_entry textbox “Group name” = Eagles⏎",
            "PUT api/groups/1",
        ),
    ),
    "context menu": Session(
        "context.html",
        duplicate,
        ("context listitem “photo.png”", "click menuitem “Duplicate”", "POST api/duplicates"),
    ),
    "canvas": Session(
        "canvas.html", draw, ("click canvas “”", "POST api/strokes"), ("a canvas was used",)
    ),
    "range, date, time": Session(
        "inputs.html",
        set_inputs,
        (
            "data_entry slider “Volume” = 8",
            "data_entry textbox “Birthday” = 1990-05-17",
            "data_entry textbox “Alarm” = 07:30",
            "click button “Save preferences”",
            "PUT api/preferences",
        ),
    ),
    "modal dialog and Escape": Session(
        "modal.html",
        edit_room,
        (
            "click button “Edit course”",
            "data_entry textbox “Room” = B12",
            "key Escape in textbox “Room”",
            "click button “Edit course”",
            "click button “Save room”",
            "PUT api/rooms/1",
        ),
    ),
    "frame without scripts": Session(
        "sandbox.html",
        go_on,
        ("click button “Go on”", "POST api/oks"),
        ("a frame could not be entered",),
    ),
    "list by arrow keys": Session(
        "listbox.html",
        choose_theme,
        (
            "key ArrowDown in listbox “Theme”",
            "key ArrowDown in listbox “Theme”",
            "click button “Save theme”",
            "PUT api/theme",
        ),
    ),
    "sent while leaving": Session(
        "beacon.html",
        answer_and_leave,
        (
            "data_entry textbox “Answer” = 42",
            "click link “Leave”",
            "POST api/answers",
            "at done.html",
        ),
    ),
}
