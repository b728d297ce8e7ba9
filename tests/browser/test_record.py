"""What a person does on a page of the fixture site is recorded: once, in order, without secrets."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from json import dumps
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
import zstandard
from conftest import Bench
from playwright.async_api import Page
from scenes import press, rename_in_frame
from site_server import SiteServer

from odokit.dom import parse
from odokit.errors import RecordError
from odokit.events import (
    Event,
    EventKind,
    Gesture,
    Trajectory,
    read_recording,
    recover_recording,
)
from odokit.record import Recorder, SnapshotFolder, record
from odokit.timeline import build_timeline, was_accepted

pytestmark = pytest.mark.browser

CLICK, ENTRY, RICH = EventKind.CLICK, EventKind.DATA_ENTRY, EventKind.RICH_TEXT
CHECKBOX, RADIO, SELECT = EventKind.CHECKBOX, EventKind.RADIO, EventKind.SELECT
REST, GRAPHQL = EventKind.REST_CALL, EventKind.GRAPHQL_MUTATION
LOCATION, EFFECT = EventKind.LOCATION, EventKind.DOM_EFFECT
PASSWORD = 'h"nter &2<ü>'


def brief(trajectory: Trajectory, *, without: Sequence[EventKind] = (EFFECT,)) -> list[Any]:
    """Kind, name and outcome of each step of the timeline."""
    rows: list[Any] = []
    for step in build_timeline(trajectory).steps:
        event = step.event
        if event.kind in without:
            continue
        if event.kind.is_write:
            assert event.request is not None
            path = event.request.url.split("/", 3)[3]
            rows.append((event.kind, event.request.method, path, event.request.body))
        elif event.kind is LOCATION:
            rows.append((event.kind, event.to_url.split("/", 3)[3]))
        else:
            assert event.element is not None
            state = event.checked if event.kind is CHECKBOX else event.value
            rows.append((event.kind, event.element.role, event.element.name, state))
    return rows


def interactions(trajectory: Trajectory) -> list[Event]:
    """The interactions of the timeline."""
    return [s.event for s in build_timeline(trajectory).steps if s.event.kind.is_interaction]


async def test_a_plain_form(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").press_sequentially("Ada")
        await page.get_by_label("About").fill("likes\nmaths")
        await page.get_by_label("E-mail").fill("ada@example.org")
        await page.get_by_label("Age").fill("36")
        await press(page, "Save member")

    body = {"full_name": "Ada", "about": "likes\nmaths", "email": "ada@example.org", "age": 36}
    body |= {"pw": "", "word": "", "session_id": "{{secret:session_id}}"}
    trajectory = await bench.demonstrate("form.html", act, task="t", values={"name": "Ada"})
    assert brief(trajectory) == [
        (LOCATION, "form.html"),
        (ENTRY, "textbox", "Full name", "Ada"),
        (ENTRY, "textbox", "About", "likes\nmaths"),
        (ENTRY, "textbox", "E-mail", "ada@example.org"),
        (ENTRY, "spinbutton", "Age", "36"),
        (CLICK, "button", "Save member", None),
        (REST, "POST", "api/members", body),
    ]
    assert [e.value for e in trajectory.events if e.kind is ENTRY][:3] == ["A", "Ad", "Ada"]
    write = next(e for e in trajectory.events if e.kind is REST)
    assert write.response is not None
    assert (write.response.status, write.response.body) == (201, {"ok": True, "id": 41})
    assert was_accepted(write)
    element = interactions(trajectory)[0].element
    assert element is not None
    assert element.xpath == "/html/body/main/form/p[1]/input"
    assert element.landmarks == ("main:",)
    assert element.attributes == {"id": "full", "name": "full_name"}
    assert trajectory.header.values == {"name": "Ada"}


async def test_every_event_has_the_page_before_it(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").fill("Ada")
        await press(page, "Save member")

    trajectory = await bench.demonstrate("form.html", act)
    snapshots = SnapshotFolder(bench.folder / "snapshots")
    for event in interactions(trajectory):
        assert event.element is not None and event.snapshot is not None
        document = parse(snapshots.get(event.snapshot))
        found = document.find(event.element.xpath)
        assert found is not None and document.tags[found] == event.element.tag
        assert "Saved" not in snapshots.get(event.snapshot)


async def test_checkboxes_of_four_makes(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Allow guests").click()
        await page.get_by_text("Show names").click()
        await page.locator(".draw").click()
        await page.get_by_role("switch").click()
        await press(page, "Save settings")

    body = {"guests": True, "names": False, "digest": True, "night": True}
    assert brief(await bench.demonstrate("checkboxes.html", act))[1:] == [
        (CHECKBOX, "checkbox", "Allow guests", True),
        (CHECKBOX, "checkbox", "Show names", False),
        (CHECKBOX, "checkbox", "Weekly digest", True),
        (CHECKBOX, "switch", "Night mode", True),
        (CLICK, "button", "Save settings", None),
        (REST, "POST", "api/settings", body),
    ]
    assert bench.site.bodies("POST", "/api/settings") == [body]


async def test_the_last_click_is_recorded_though_nothing_follows_it(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.locator(".draw").click()

    (event,) = interactions(await bench.demonstrate("checkboxes.html", act))
    assert (event.kind, event.checked) == (CHECKBOX, True)


async def test_radios_of_three_makes(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Extra large").click()
        await page.get_by_text("Green").click()
        await page.get_by_role("radio", name="Fast").click()
        await press(page, "Place order")

    trajectory = await bench.demonstrate("radios.html", act)
    events = [e for e in interactions(trajectory) if e.kind is RADIO]
    assert [(e.value, e.group) for e in events] == [
        ("Extra large", "size"),
        ("Green", "Colour"),
        ("Fast", "Shipping"),
    ]
    assert [[(o.label, o.selected) for o in e.options] for e in events] == [
        [("Small", False), ("Large", False), ("Extra large", True)],
        [("Red", False), ("Green", True), ("Blue", False)],
        [("Slow", False), ("Fast", True)],
    ]
    assert [o.value for o in events[0].options] == ["s", "l", "xl"]
    assert brief(trajectory)[-1][3] == {"size": "xl", "colour": "g", "shipping": "Fast"}


async def test_selects(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Country").select_option(label="Italy")
        await page.get_by_text("Choose a city").click()
        await page.get_by_text("Osaka").click()
        await press(page, "Book trip")

    trajectory = await bench.demonstrate("select.html", act)
    assert brief(trajectory)[1:] == [
        (SELECT, "combobox", "Country", "Italy"),
        (CLICK, "", "Choose a city", None),
        (CLICK, "listitem", "Osaka", None),
        (CLICK, "button", "Book trip", None),
        (REST, "POST", "api/trips", {"country": "it", "city": "Osaka"}),
    ]
    chosen = interactions(trajectory)[0].options
    assert [(o.value, o.label, o.selected) for o in chosen] == [
        ("", "Choose…", False),
        ("ca", "Canada", False),
        ("it", "Italy", True),
        ("jp", "Japan", False),
    ]
    effects = [(f.action, f.tag) for e in trajectory.events for f in e.effects]
    assert ("shown", "ul") in effects and ("hidden", "ul") in effects


async def test_a_content_editable(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Message").fill("Hello there")
        await press(page, "Send note")

    assert brief(await bench.demonstrate("rich.html", act))[1:] == [
        (RICH, "textbox", "Message", "Hello there"),
        (CLICK, "button", "Send note", None),
        (REST, "POST", "api/notes", {"text": "Hello there"}),
    ]


async def test_an_editor_in_a_frame(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Title").fill("News")
        body = page.frame_locator("iframe").locator("body")
        await body.click()
        await body.press_sequentially("Big")
        await press(page, "Publish")

    trajectory = await bench.demonstrate("tiny.html", act)
    assert brief(trajectory)[1:] == [
        (ENTRY, "textbox", "Title", "News"),
        (RICH, "", "Rich Text Area", "Big"),
        (CLICK, "button", "Publish", None),
        (REST, "POST", "api/announcements", {"title": "News", "message": "Big"}),
    ]
    event = interactions(trajectory)[1]
    assert event.element is not None
    # The element is the frame itself, which stands in the page: there is no way into it to go.
    assert (event.editor_id, event.element.tag, event.element.frame) == ("body", "iframe", ())


async def test_nested_frames(bench: Bench) -> None:
    trajectory = await bench.demonstrate("frames.html", rename_in_frame)
    assert brief(trajectory)[1:] == [
        (ENTRY, "textbox", "Display name", "Ada"),
        (CLICK, "button", "Save changes", None),
        (REST, "POST", "api/profile", {"name": "Ada"}),
    ]
    element = interactions(trajectory)[0].element
    assert element is not None
    assert element.frame == ("/html/body/main/iframe", "/html/body/iframe")
    assert {e.url for e in trajectory.events} == {bench.site.url("frames.html")}


@pytest.mark.parametrize(
    ("page_name", "link", "there"),
    [
        ("hash.html", "Grace Hopper", "hash.html#/people/2"),
        ("push", "Grace Hopper", "push/people/2"),
        ("turbo/people", "Classes", "turbo/classes"),
        ("form.html", "Home", "done.html"),
    ],
)
async def test_each_way_to_another_page(
    bench: Bench, page_name: str, link: str, there: str
) -> None:
    async def act(page: Page) -> None:
        await page.get_by_role("link", name=link).click()
        await page.wait_for_url(f"**/{there}")

    trajectory = await bench.demonstrate(page_name, act)
    assert brief(trajectory) == [
        (LOCATION, page_name),
        (CLICK, "link", link, None),
        (LOCATION, there),
    ]
    moved = [e for e in trajectory.events if e.kind is LOCATION][-1]
    assert moved.from_url == bench.site.url(page_name)


async def test_events_go_on_after_the_body_was_replaced(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_role("link", name="Classes").click()
        await page.get_by_role("link", name="New class").click()
        await page.get_by_label("Class name").fill("Maths")
        await press(page, "Create class")

    assert brief(await bench.demonstrate("turbo/people", act))[-4:] == [
        (ENTRY, "textbox", "Class name", "Maths"),
        (CLICK, "button", "Create class", None),
        (REST, "POST", "api/classes", {"name": "Maths"}),
        (LOCATION, "turbo/classes"),
    ]


async def test_a_button_in_a_row_and_a_menu(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.locator("li", has_text="Decimals").get_by_role("button").click()
        await page.get_by_role("menuitem", name="Delete").click()
        await page.get_by_role("status").wait_for()

    trajectory = await bench.demonstrate("rows.html", act)
    assert brief(trajectory)[1:] == [
        (CLICK, "button", "Options", None),
        (CLICK, "menuitem", "Delete", None),
        (REST, "DELETE", "api/lessons/2", None),
    ]
    element = interactions(trajectory)[0].element
    assert element is not None and element.xpath.endswith("/ul/li[2]/span[2]/button")


async def test_regions_tell_buttons_of_one_name_apart(bench: Bench) -> None:
    async def act(page: Page) -> None:
        for edit in await page.get_by_role("button", name="Edit").all():
            await edit.click()
        await page.get_by_role("status").wait_for()

    events = interactions(await bench.demonstrate("regions.html", act))
    assert [e.element.landmarks for e in events if e.element] == [
        ("navigation:Account",),
        ("main:", "region:Billing"),
        ("main:", "region:Delivery"),
        ("complementary:Hints",),
    ]


async def test_names_are_as_written_not_as_drawn(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Display name").fill("Ada")
        await press(page, "Save changes")

    names = [
        e.element.name
        for e in interactions(await bench.demonstrate("upper.html", act))
        if e.element
    ]
    assert names == ["Display name", "Save changes"]


async def test_a_quiz_whose_questions_share_an_xpath(bench: Bench) -> None:
    async def act(page: Page) -> None:
        for answer in ("Four", "Lovelace"):
            await page.get_by_label(answer).click()
            async with page.expect_response("**/answers"):
                await page.get_by_role("button", name="Next").click()
        await page.get_by_label("Yes").click()

    trajectory = await bench.demonstrate("quiz.html", act)
    radios = [e.element for e in interactions(trajectory) if e.kind is RADIO and e.element]
    assert len({r.xpath for r in radios}) == 1
    assert [r.landmarks[-1] for r in radios] == [
        "group:What is 2 + 2?",
        "group:Who wrote the first program?",
        "group:Is water wet?",
    ]
    vertices = [v for v in bench.model().vertices if v.kind is RADIO]
    assert len(vertices) == 3


async def test_graphql(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Course name").fill("Algebra")
        for name in ("Rename course", "List courses", "Save and list", "Delete everything"):
            async with page.expect_response("**/graphql"):
                await page.get_by_role("button", name=name).click()

    trajectory = await bench.demonstrate("graphql.html", act)
    writes = [e for e in trajectory.events if e.kind.is_write]
    assert {e.kind for e in writes} == {GRAPHQL}, "queries are reads, and none is a REST call"
    assert [e.request.operation for e in writes if e.request] == [
        "RenameCourse",
        "RenameCourse",
        "Forbidden",
    ]
    assert [was_accepted(e) for e in writes] == [True, True, False]
    first = writes[0].request
    assert first is not None and first.body["variables"] == {"id": 7, "name": "Algebra"}


async def test_a_confirmed_deletion(bench: Bench) -> None:
    async def act(page: Page) -> None:
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        await press(page, "Delete page")

    assert brief(await bench.demonstrate("confirm.html", act))[1:] == [
        (CLICK, "button", "Delete page", None),
        (REST, "DELETE", "api/pages/7", None),
    ]


async def test_a_form_that_is_answered_by_a_redirect(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Title").fill("News")
        await page.get_by_role("button", name="Update page").click()
        await page.get_by_role("heading", name="Done").wait_for()

    trajectory = await bench.demonstrate("redirect.html", act)
    body = {"_method": "put", "csrf_token": "{{secret:csrf_token}}", "title": "News"}
    assert brief(trajectory)[1:] == [
        (ENTRY, "textbox", "Title", "News"),
        (CLICK, "button", "Update page", None),
        (REST, "PUT", "redirect", body),
        (LOCATION, "done.html?token={{secret:token}}"),
    ]
    write = next(e for e in trajectory.events if e.kind is REST)
    assert write.request is not None and write.response is not None
    assert write.request.resource_type == "document"
    assert (write.response.status, write.response.location) == (
        302,
        "/done.html?token={{secret:token}}",
    )


async def test_a_multipart_form(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Story").fill("Once upon")
        await page.get_by_role("button", name="Upload story").click()
        await page.get_by_role("heading", name="Done").wait_for()

    trajectory = await bench.demonstrate("redirect.html", act)
    assert (REST, "POST", "redirect", {"story": "Once upon"}) in brief(trajectory)


@pytest.mark.parametrize(
    ("role", "name", "written"), [("link", "Help", 1), ("button", "Print in a new tab", 2)]
)
async def test_a_new_tab_is_watched_too(bench: Bench, role: Any, name: str, written: int) -> None:
    async def act(page: Page) -> None:
        async with page.expect_popup() as popup:
            await page.get_by_role(role, name=name).click()
        await press(await popup.value, "Acknowledge")

    trajectory = await bench.demonstrate("redirect.html", act)
    kinds = [row[0] for row in brief(trajectory)]
    assert kinds == [LOCATION, CLICK, *[REST] * (written - 1), LOCATION, CLICK, REST]
    writes = [e for e in trajectory.events if e.kind is REST]
    assert writes[0].url.split("?")[0] in (
        bench.site.url("redirect.html"),
        bench.site.url("done.html"),
    )


async def test_open_shadow_roots(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Card title").fill("Ace")
        await press(page, "Save card")

    trajectory = await bench.demonstrate("shadow.html", act)
    assert brief(trajectory)[1:] == [
        (ENTRY, "textbox", "Card title", "Ace"),
        (CLICK, "button", "Save card", None),
        (REST, "POST", "api/cards", {"title": "Ace"}),
    ]
    save = interactions(trajectory)[1].element
    assert save is not None
    assert save.shadow == ("/html/body/main/x-card", "/section/x-save")
    assert save.landmarks == ("main:", "region:Card")


async def test_a_page_that_polls(bench: Bench) -> None:
    async def act(page: Page) -> None:
        async with page.expect_response("**/ping"):
            await page.get_by_label("Entry").press_sequentially("Rain")
        await press(page, "Keep entry")

    trajectory = await bench.demonstrate("polling.html", act)
    entries = [row for row in brief(trajectory) if row[0] in (ENTRY, CLICK)]
    assert entries == [
        (ENTRY, "textbox", "Entry", "Rain"),
        (CLICK, "button", "Keep entry", None),
    ]
    drafts = [e for e in trajectory.events if e.request and e.request.url.endswith("/draft")]
    # The page looks at no answer of these, and still each has its status.
    assert [e.response.status for e in drafts if e.response] == [200] * len(drafts)
    assert len(drafts) == 4


async def test_enter_leaving_and_appearing(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Search").fill("cats")
        async with page.expect_response("**/searches"):
            await page.get_by_label("Search").press("Enter")
        await page.get_by_role("button", name="Reveal").click()
        await page.get_by_label("Colour").select_option("Blue")
        await page.get_by_text("Open the next page").click()
        await page.get_by_role("heading", name="Done").wait_for()

    trajectory = await bench.demonstrate("tricks.html", act)
    assert brief(trajectory)[1:] == [
        (ENTRY, "textbox", "Search", "cats\n"),  # Enter, and no click on the hidden button
        (REST, "POST", "api/searches", {"q": "cats"}),
        (CLICK, "button", "Reveal", None),
        (SELECT, "combobox", "Colour", "Blue"),
        (CLICK, "", "Open the next page", None),  # beside a checkbox, and the page goes at once
        (LOCATION, "done.html"),
    ]
    write = next(e for e in trajectory.events if e.kind is REST)
    assert write.response is not None and write.response.status == 201, "though nobody read it"
    assert ("shown", "p") in [(f.action, f.tag) for e in trajectory.events for f in e.effects]


async def test_what_a_script_clicks_is_no_interaction(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").fill("Ada")
        await page.evaluate("document.querySelector('[data-show]').click()")

    assert [e.kind for e in interactions(await bench.demonstrate("form.html", act))] == [ENTRY]


def every_byte(folder: Path) -> bytes:
    """Everything in a folder, decompressed."""
    data = b""
    for path in sorted(folder.rglob("*")):
        if path.parent.parent.name == "snapshots":
            data += SnapshotFolder(folder / "snapshots").get_bytes(path.name[:32])
        elif path.suffix == ".zst":
            data += zstandard.ZstdDecompressor().decompressobj().decompress(path.read_bytes())
        elif path.is_file():
            data += path.read_bytes()
    return data


def spellings(secret: str) -> list[bytes]:
    """A secret as it may be written in JSON, HTML or a URL."""
    forms = {secret, escape(secret), escape(secret, quote=False), quote(secret)}
    forms |= {quote_plus(secret), dumps(secret)[1:-1], dumps(secret, ensure_ascii=False)[1:-1]}
    forms |= {dumps(escape(secret, quote=False), ensure_ascii=False)[1:-1]}
    return [form.encode() for form in forms]


@pytest.mark.parametrize("known", [(), (PASSWORD,)], ids=["typed", "typed and known"])
async def test_a_password_is_nowhere(bench: Bench, known: Sequence[str]) -> None:
    journals: list[bytes] = []

    async def act(page: Page) -> None:
        field = page.get_by_label("Password")
        await field.press_sequentially(PASSWORD[:5])
        await page.get_by_role("button", name="Show password").click()
        await field.press_sequentially("x")  # in clear now
        await field.fill(PASSWORD)
        await page.get_by_label("Code word").fill("opensesame")  # nothing but its type tells
        if known:
            await page.get_by_label("About").fill(f"mine is {PASSWORD}, nice")
        await press(page, "Save member")
        journals.append(every_byte(bench.folder))

    trajectory = await bench.demonstrate(
        "form.html", act, task=f"x {' '.join(known)}", secrets=known
    )
    sent = bench.site.bodies("POST", "/api/members")[0]
    assert sent["pw"] == PASSWORD, "the application got it"
    assert sent["word"] == "opensesame"
    typed = {(e.element.name, e.value) for e in trajectory.events if e.element and e.value}
    assert {pair for pair in typed if pair[0] != "About"} == {
        ("Password", "{{secret:password}}"),
        ("Code word", "{{secret:code-word}}"),
    }
    assert b"opensesame" not in every_byte(bench.folder) + journals[0] + repr(trajectory).encode()
    assert len(journals[0]) > 1000
    for form in [*spellings(PASSWORD), PASSWORD[:5].encode(), b"x" + PASSWORD[:5].encode()]:
        assert form not in journals[0]
        assert form not in every_byte(bench.folder)
        assert form not in repr(trajectory).encode()


async def test_nothing_is_recorded_twice(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.reload()
        second = await page.context.new_page()
        await second.goto(bench.site.url("upper.html"))
        await page.get_by_label("Display name").fill("Ada")
        await press(page, "Save changes")
        await second.close()

    events = [
        e for e in (await bench.demonstrate("upper.html", act)).events if e.kind is not EFFECT
    ]
    assert [e.kind for e in events] == [LOCATION, LOCATION, ENTRY, CLICK, REST]
    assert [e.idx for e in events] == sorted(e.idx for e in events)
    assert len(bench.site.writes) == 1


async def test_a_context_is_recorded_again_and_left_alone_in_between(bench: Bench) -> None:
    async with bench.opened() as page:
        await page.goto(bench.site.url("upper.html"))
        for name in ("first", "second"):
            async with record(page.context, bench.folder, trajectory_id=name) as recorder:
                await page.get_by_label("Display name").fill(name)
                await page.get_by_role("button", name="Save changes").click()
                await page.get_by_role("status").wait_for()
            n_events = len(recorder.events)
            await page.get_by_label("Display name").fill("unrecorded")
            await page.evaluate("fetch('/api/profile', {method: 'POST', body: '{}'})")
            await page.reload()
            assert len(recorder.events) == n_events
    for name in ("first", "second"):
        rows = brief(read_recording(bench.folder / f"{name}.jsonl.zst"))
        assert rows[0] == (ENTRY, "textbox", "Display name", name)
        assert rows[-1] == (REST, "POST", "api/profile", {"name": name})
        assert len(rows) == 3


async def test_an_open_page_is_watched_from_the_middle(bench: Bench) -> None:
    async with bench.opened() as page:
        await page.goto(bench.site.url("frames.html"))
        inner = page.frame_locator("iframe").frame_locator("iframe")
        await inner.get_by_label("Display name").wait_for()
        async with record(page.context, None) as recorder:
            await inner.get_by_label("Display name").fill("Ada")
        assert [e.kind for e in recorder.events] == [ENTRY]


async def test_an_empty_recording_is_refused_and_leaves_nothing(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_role("heading", name="New member").wait_for()

    with pytest.raises(RecordError, match="no click or entry"):
        await bench.demonstrate("form.html", act)
    assert list(bench.folder.glob("*.jsonl*")) == []


async def test_a_failed_demonstration_can_be_recovered(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").fill("Ada")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await bench.demonstrate("form.html", act)
    (journal,) = bench.folder.glob("*.partial")
    assert interactions(recover_recording(journal))[0].value == "Ada"


async def test_the_live_stream_can_be_waited_on(bench: Bench) -> None:
    async with bench.opened() as page, record(page.context, None) as recorder:
        await page.goto(bench.site.url("polling.html"))

        def answered(event: Event) -> bool:
            return event.kind is REST and event.response is not None

        seen = await recorder.wait_for(answered, since=0, timeout_ms=3_000)
        assert seen is not None and seen.response is not None and seen.response.status == 201
        never = await recorder.wait_for(lambda e: e.kind is RADIO, since=0, timeout_ms=50)
        assert never is None


VICTIM = """
import asyncio, sys
from pathlib import Path
from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.record import record

async def main(url, folder):
    async with open_browser(Settings.load(Path(folder))) as browser:
        context = await new_context(browser)
        page = await context.new_page()
        async with record(context, Path(folder), trajectory_id="victim", task="type"):
            await page.goto(url)
            await page.get_by_label("Full name").press_sequentially("Ada")
            async with page.expect_response("**/api/members"):
                await page.get_by_role("button", name="Save member").click()
            await page.get_by_role("status").wait_for()
            print("ready", flush=True)
            await asyncio.Event().wait()

asyncio.run(main(*sys.argv[1:]))
"""


def test_a_killed_session_is_recovered_from_its_journal(site: SiteServer, tmp_path: Path) -> None:
    command = [sys.executable, "-c", VICTIM, site.url("form.html"), str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as victim:
        assert victim.stdout is not None
        assert victim.stdout.readline() == "ready\n"
        victim.kill()  # Playwright's driver sees it go and closes the browser
    journal = tmp_path / "victim.jsonl.partial"
    with pytest.raises(RecordError, match="victim"):
        read_recording(journal)
    recovered = recover_recording(journal)
    assert recovered.header.task == "type" and recovered.gaps
    assert [row[0] for row in brief(recovered)] == [LOCATION, ENTRY, CLICK, REST]
    assert brief(recovered)[1] == (ENTRY, "textbox", "Full name", "Ada")
    (write,) = (e for e in recovered.events if e.kind is REST)
    assert was_accepted(write)


async def test_a_strange_event_is_a_gap_and_ends_nothing(bench: Bench) -> None:
    async with bench.opened() as page, record(page.context, None) as recorder:
        await page.goto(bench.site.url("form.html"))
        await page.evaluate(
            "window.__odokit_emit(JSON.stringify("
            "{kind: 'click', at: Date.now(), url: 'x', odd: 1}))"
        )
        await page.get_by_label("Full name").fill("Ada")
    assert isinstance(recorder, Recorder)
    assert len(recorder.gaps) == 1 and recorder.gaps[0].startswith("click: ")
    assert ENTRY in [e.kind for e in recorder.events]


async def test_a_chosen_file_and_a_drag(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Photo").set_input_files(__file__)
        await page.get_by_text("Card").drag_to(page.get_by_label("Tray"))
        await page.get_by_role("button", name="Reveal").click()

    trajectory = await bench.demonstrate("tricks.html", act)
    chosen, dragged, _ = interactions(trajectory)
    assert (chosen.kind, chosen.value) == (ENTRY, "test_record.py")
    assert [(f.name, f.size) for f in chosen.files] == [
        ("test_record.py", Path(__file__).stat().st_size)
    ], "name and size only"
    assert (dragged.kind, dragged.gesture) == (CLICK, Gesture.DRAG)
    assert dragged.element is not None and dragged.element.name == "Card"
    assert dragged.drop is not None and dragged.drop.name == "Tray"
    assert dragged.drop_at is not None and all(0 <= share <= 1 for share in dragged.drop_at)
    assert trajectory.gaps == ()


@pytest.mark.parametrize("part", ["describe.js", "capture.js"])
def test_the_scripts_stay_small(part: str) -> None:
    assert len(files("odokit.record").joinpath(part).read_bytes()) < 20_000
