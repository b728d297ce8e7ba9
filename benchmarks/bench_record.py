"""What recording costs the page and the disk, against a recorder that serialises every event.

The page has 20,000 elements and changes with every act. Time is what the page's thread computes
while an event is dispatched (trusted presses, clicks, keys, inputs), from the browser's own trace,
so that other work of the machine does not count; the little that the page itself does is in it. The
naive recorder makes one JSON string of the document's `outerHTML` in its listener.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from common import Measured, Row, main, make_page, make_row, measure
from playwright.async_api import Page

from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.events import Header, Trajectory, write_recording
from odokit.record import Assembler, SnapshotFolder, page_script

URL = "http://bench.test/"
NAIVE = """
for (const type of ['click', 'input', 'keydown', 'change']) window.addEventListener(type, e => {
  window.__odokit_emit(JSON.stringify({type, at: Date.now(),
    target: e.target.outerHTML.slice(0, 2000), html: document.documentElement.outerHTML}));
}, {capture: true, passive: true});
"""
# An application that answers each act by a change somewhere in its page.
APPLICATION = """
<script>
let n = 0;
document.addEventListener('click', e => {
  const row = e.target.closest('li');
  if (!row) return;
  row.classList.toggle('open');
  row.querySelector('p').textContent = `opened ${++n} times`;
  if (n % 5 === 0) row.after(row.cloneNode(true));
  if (n % 7 === 0) document.querySelector('h1').textContent = `${n} acts`;
});
</script>
"""
AT_REST = """() => new Promise(done => {
  let n = 0;
  const idle = d => d.timeRemaining() > 30 && ++n > 30 ? done() : requestIdleCallback(idle);
  requestIdleCallback(idle);
})"""
MEASURED = ("pointerdown", "pointerup", "click", "keydown", "input")


def rows(quick: bool) -> list[Row]:
    """Compare the cost of an event, and of half an hour on disk."""
    n_nodes, n_acts, n_events = (2_000, 20, 100) if quick else (20_000, 90, 3_000)
    ours = measure(partial(use_page, n_nodes, n_acts, is_naive=False))
    naive = measure(partial(use_page, n_nodes, n_acts, is_naive=True))
    label = f"record: event on {n_nodes:,} elements"
    found = [
        make_row(f"{label}, p{share}", n_acts, _timed(ours, share), _timed(naive, share))
        for share in (50, 95)
    ]
    kept = measure(partial(keep_session, n_nodes, n_events, is_naive=False))
    lines = measure(partial(keep_session, n_nodes, n_events, is_naive=True))
    row = make_row(f"record: session of {n_events:,} events, to disk", n_events, kept, lines)
    file_mb, naive_file_mb = (round(m.result["bytes"] / 1e6, 1) for m in (kept, lines))
    found.append(replace(row, file_mb=file_mb, naive_file_mb=naive_file_mb))
    return found


def _timed(measured: Measured, share: int) -> Measured:
    """The time below which this share (percent) of the events stayed."""
    ms = sorted(measured.result["ms"])
    return replace(measured, seconds=ms[min(len(ms) - 1, len(ms) * share // 100)] / 1000)


def use_page(n_nodes: int, n_acts: int, *, is_naive: bool) -> dict[str, Any]:
    """Click and type in a big page while a recorder listens.

    Returns:
        `ms`, what each event took.
    """
    return asyncio.run(_use_page(n_nodes, n_acts, NAIVE if is_naive else page_script()))


async def _use_page(n_nodes: int, n_acts: int, script: str) -> dict[str, Any]:
    settings = Settings.load(Path(tempfile.mkdtemp()), env=dict(os.environ))
    async with open_browser(settings) as browser:
        context = await new_context(browser)
        await context.expose_binding("__odokit_emit", lambda source, text: None)
        await context.add_init_script(script)
        page = await context.new_page()
        head = "<h1>0 acts</h1><label>Note <input></label>"
        body = make_page(n_nodes).replace("<main>", f"<main>{head}") + APPLICATION
        await page.route(URL, lambda route: route.fulfill(body=body, content_type="text/html"))
        await page.goto(URL)
        await page.evaluate(AT_REST)  # a person looks at a page before using it
        await browser.start_tracing(page=page, categories=["devtools.timeline"])
        await _act(page, n_acts)
        trace = json.loads(await browser.stop_tracing())
        await context.close()
    events = [e for e in trace["traceEvents"] if e["name"] == "EventDispatch"]
    measured = [e for e in events if e["args"]["data"]["type"] in MEASURED and "tdur" in e]
    ms = [e["tdur"] / 1000 for e in measured]
    return {"ms": ms}


async def _act(page: Page, n_acts: int) -> None:
    buttons = await page.query_selector_all("li button")
    rng = random.Random(1)
    for i in range(n_acts):
        if i % 3 == 2:
            await page.get_by_label("Note").press("abcdefgh"[i % 8])
        else:
            await rng.choice(buttons).click()


def keep_session(n_nodes: int, n_events: int, *, is_naive: bool) -> dict[str, Any]:
    """Store a session on a changing page as the recorder does, or one line an event.

    Returns:
        `bytes`, what it takes on disk, whole blocks of 4 kB counted.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (_keep_naively if is_naive else _keep)(folder, n_nodes, n_events)
        sizes = [p.stat().st_size for p in folder.rglob("*") if p.is_file()]
        return {"bytes": sum(-(-size // 4096) * 4096 for size in sizes)}


def _keep(folder: Path, n_nodes: int, n_events: int) -> None:
    header = Header(
        trajectory_id="bench", task="", values={}, app="", start_url=URL, started_at="", recorder=""
    )
    with (folder / "bench.jsonl.partial").open("wb", buffering=0) as journal:
        book = Assembler(header, snapshots=SnapshotFolder(folder / "snapshots"), journal=journal)
        for message in _session(n_nodes, n_events):
            book.take("top", message)
        book.close()
        trajectory: Trajectory = book.trajectory()
    write_recording(folder / "bench.jsonl.zst", trajectory)
    (folder / "bench.jsonl.partial").unlink()


def _keep_naively(folder: Path, n_nodes: int, n_events: int) -> None:
    html = ""
    with (folder / "bench.jsonl").open("w", encoding="utf-8") as file:
        for message in _session(n_nodes, n_events):
            if message["kind"] == "page":
                html = html[: message["at"]] + message["html"] + html[len(html) - message["end"] :]
            else:
                file.write(json.dumps(message | {"page": html}) + "\n")


def _session(n_nodes: int, n_events: int) -> Iterator[dict[str, Any]]:
    """Messages as a page's script sends them: a change an event, another page every 50."""
    rng = random.Random(2)
    html, version = "", 0
    for i in range(n_events):
        if i % 50 == 0:
            html, version = _with_words(make_page(n_nodes, seed=i % 400), rng), 1
            yield {"kind": "page", "id": f"d{i}", "n": 1, "at": 0, "end": 0, "html": html}
            name = f"d{i}"
        at = html.index("</li>", rng.randrange(len(html) // 2))
        row = f"<li><p>{_words(rng, 4)}</p></li>"
        at, version = at + len("</li>"), version + 1
        yield {
            "kind": "page",
            "id": name,
            "n": version,
            "at": at,
            "end": len(html) - at,
            "html": row,
        }
        html = html[:at] + row + html[at:]
        yield _click(i, f"{URL}page/{i // 50 % 8}", f"{name}:{version}", rng)


def _click(i: int, url: str, page: str, rng: random.Random) -> dict[str, Any]:
    element = {
        "tag": "button",
        "xpath": f"/html/body/main/section[{i % 40 + 1}]/ul/li[{rng.randint(1, 9)}]/div/button",
        "role": "button",
        "name": _words(rng, 2),
        "text": "Open",
        "attributes": {},
        "landmarks": ["main:"],
        "frame": [],
        "shadow": [],
        "html": "<button>Open</button>",
    }
    return {"kind": "click", "at": 1000.0 * i, "url": url, "element": element, "page": page}


def _with_words(html: str, rng: random.Random) -> str:
    """A page whose texts are not all alike, or it would be compressed as no real one is."""
    parts = html.split("text")
    return "".join(part + _words(rng, 6) for part in parts[:-1]) + parts[-1]


def _words(rng: random.Random, n: int) -> str:
    return " ".join("".join(rng.choices("etaoinshrdlu", k=rng.randint(2, 9))) for _ in range(n))


if __name__ == "__main__":
    main(rows)
