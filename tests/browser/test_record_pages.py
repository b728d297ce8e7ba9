"""Pages as they leave the page: kept up with by what changed, never other than written anew."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Bench
from playwright.async_api import Page
from scenes import press, rename_in_frame

from odokit.events import EventKind
from odokit.record import Redactor, SnapshotFolder, page_script, record
from odokit.record.pages import Pages

pytestmark = pytest.mark.browser

MUTATE = (Path(__file__).parent / "mutate.js").read_text(encoding="utf-8")
SEEDS = 5
ROUNDS = 60


async def listen(page: Page, redactor: Redactor | None = None) -> list[dict[str, Any]]:
    """Put the recorder's script into a page, before it is loaded; what it sends."""
    sent: list[dict[str, Any]] = []
    await page.expose_function("__odokit_emit", lambda text: sent.append(json.loads(text)))
    await page.add_init_script(page_script(redactor))
    return sent


@pytest.mark.parametrize("seed", range(SEEDS))
async def test_what_is_kept_up_is_what_would_be_written_anew(bench: Bench, seed: int) -> None:
    async with bench.opened() as page:
        sent = await listen(page, Redactor({"word": "hush-hush"}))
        await page.goto(bench.site.url("form.html"))
        pages = Pages()
        states = await page.evaluate(MUTATE, [seed, ROUNDS])
        assert len(states) == ROUNDS and len({s["html"] for s in states}) > ROUNDS / 2
        await page.evaluate("0")  # what was sent has arrived
        messages = [m for m in sent if m["kind"] == "page"]
        written = {}
        for message in messages:
            pages.take(message)
            written[f"{message['id']}:{message['n']}"] = pages.get(
                f"{message['id']}:{message['n']}"
            )
        for state in states:
            assert state["html"] == state["anew"], state["did"]
            assert written[state["name"]] == state["html"], state["did"]
            assert "hush-hush" not in state["html"]
        assert any("<odo-shadow>" in s["html"] for s in states)
        assert any('type="password"' in s["html"] for s in states)


async def test_a_small_change_is_sent_as_one(bench: Bench) -> None:
    async with bench.opened() as page:
        sent = await listen(page)
        await page.goto(bench.site.url("form.html"))
        for text in ("one", "one", "two"):
            await page.evaluate("text => { document.querySelector('h1').textContent = text }", text)
            await page.evaluate("__odokit.snapshot()")
        first, *later = [m for m in sent if m["kind"] == "page"]
        assert (first["n"], first["at"], first["end"]) == (1, 0, 0)
        assert first["html"].startswith("<html") and first["html"].endswith("</html>")
        assert [m["html"] for m in later][-1] == "two"
        assert len(later) <= 2, "the same page is not sent again"


async def test_a_page_is_prepared_before_anything_happens(bench: Bench) -> None:
    async with bench.opened() as page:
        sent: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        await page.expose_function("__odokit_emit", lambda t: sent.put_nowait(json.loads(t)))
        await page.add_init_script(page_script())
        await page.goto(bench.site.url("form.html"))
        async with asyncio.timeout(10):
            assert (await sent.get())["kind"] == "page"


async def test_frames_of_the_site_share_the_page_of_the_top(bench: Bench) -> None:
    trajectory = await bench.demonstrate("frames.html", rename_in_frame)
    keys = {e.snapshot for e in trajectory.events if e.kind.is_interaction}
    assert None not in keys
    snapshots = SnapshotFolder(bench.folder / "snapshots")
    for key in keys:
        html = snapshots.get(str(key))
        assert "<iframe" in html and "Display name" not in html, "the page of the top window"


async def test_no_event_lacks_its_page(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").press_sequentially("Ada Lovelace")
        await page.get_by_label("About").press_sequentially("likes maths")
        await press(page, "Save member")
        await page.reload()
        await page.get_by_label("Full name").fill("Bo")

    trajectory = await bench.demonstrate("form.html", act)
    interactions = [e for e in trajectory.events if e.kind.is_interaction]
    assert len(interactions) > 20
    assert all(e.snapshot for e in interactions)
    assert not trajectory.gaps
    assert len({e.snapshot for e in interactions}) < 6


async def test_a_second_recording_of_a_page_has_its_own_rules(bench: Bench) -> None:
    async with bench.opened() as page:
        await page.goto(bench.site.url("form.html"))
        values = []
        for secrets in ((), {"name": "Ada Lovelace"}):
            async with record(page.context, bench.folder, secrets=secrets) as recorder:
                await page.get_by_label("Full name").fill("")
                await page.get_by_label("Full name").fill("Ada Lovelace")
            entries = [e for e in recorder.events if e.kind is EventKind.DATA_ENTRY]
            values.append(entries[-1].value)
        assert values == ["Ada Lovelace", "{{secret:name}}"]


async def test_a_popup_is_kept_up_with_too(bench: Bench) -> None:
    # Its window stays when the blank document gives way to the page, which must be watched as well.
    async def act(page: Page) -> None:
        async with page.expect_popup() as popup:
            await page.evaluate("() => { window.open('/palette.html'); }")
        palette = await popup.value
        await palette.wait_for_load_state()
        await palette.evaluate("window.opener = {chosen() {}}; window.close = () => {}; 0")
        await palette.get_by_role("button", name="Red").click()
        await palette.evaluate("document.querySelector('h1').textContent = 'Fewer colours'; 0")
        await palette.get_by_role("button", name="Teal").click()

    trajectory = await bench.demonstrate("form.html", act)
    clicks = [e for e in trajectory.events if e.kind is EventKind.CLICK]
    kept = SnapshotFolder(bench.folder / "snapshots")
    before, after = (kept.get(str(e.snapshot)) for e in clicks)
    assert "<h1>Palette</h1>" in before and "<h1>Fewer colours</h1>" in after
    assert trajectory.health is not None
    assert all(test.failed == () for test in trajectory.health.self_tests)
