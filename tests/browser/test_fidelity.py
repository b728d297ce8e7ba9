"""Everything a person does on any page of the fixture site is recorded, or reported as a gap."""

from __future__ import annotations

import pytest
from conftest import Bench
from scenes import press
from sessions import SESSIONS, event_lines, gap_kinds, in_order, rate_book

from odokit.record import record, self_test_script

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", SESSIONS)
async def test_the_session_is_recorded_whole(bench: Bench, name: str) -> None:
    session = SESSIONS[name]
    trajectory = await bench.demonstrate(session.page, session.act)
    assert in_order(event_lines(trajectory, session.page)) == in_order(session.events)
    assert gap_kinds(trajectory) == list(session.gaps)
    assert trajectory.health is not None
    assert [t.failed for t in trajectory.health.self_tests] == [()] * len(
        trajectory.health.self_tests
    )


async def test_the_way_into_a_frame_of_another_origin_is_whole(bench: Bench) -> None:
    trajectory = await bench.demonstrate("crossframe.html", rate_book)
    done = [e for e in trajectory.events if e.element is not None]
    outer, inner = "/html/body/main/div/iframe", "/html/body/main/iframe"
    assert [e.element.frame for e in done if e.element] == [(outer,)] * 2 + [(outer, inner)] * 2
    assert {e.url for e in done} == {bench.site.url("crossframe.html")}, "the page's, not a frame's"


async def test_a_request_tells_which_script_sent_it(bench: Bench) -> None:
    trajectory = await bench.demonstrate("injection.html", lambda page: press(page, "Reply"))
    (request,) = [e.request for e in trajectory.events if e.request]
    assert request.initiator.startswith(f"{bench.site.origin}/site.js:")


async def test_the_self_test_leaves_no_trace(bench: Bench) -> None:
    async with bench.opened() as page, record(page.context, None) as recorder:
        await page.goto(bench.site.url("form.html"))
        before = await page.content()
        seen = "window.seen = []; for (const t of ['click', 'input']) document.addEventListener"
        await page.evaluate(f"() => {{ {seen}(t, e => seen.push(t), true) }}")
        assert await page.evaluate(self_test_script()) == []
        assert await page.content() == before
        assert await page.evaluate("window.seen") == []
    assert [e.kind for e in recorder.events] == ["location"]


async def test_the_self_test_names_what_does_not_work(bench: Bench) -> None:
    async with bench.opened() as page, record(page.context, None):
        await page.goto(bench.site.url("form.html"))
        await page.evaluate(
            "window.__odokit.serialize = () => ''; window.MutationObserver = null;"
            "window.addEventListener('click', e => e.stopImmediatePropagation(), true)"
        )
        assert await page.evaluate(self_test_script()) == ["snapshot"]
        await page.evaluate("delete window.__odokit")
        assert await page.evaluate(self_test_script()) == ["script"]
