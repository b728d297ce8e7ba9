"""Print how much of what was done is recorded: on the fixture pages, and by the test beds' oracles.

    python benchmarks/fidelity.py                                 # the fixture pages
    python benchmarks/fidelity.py --app kolibri --templates 10    # ten oracles of a test bed

On a page, the events expected are those of `tests/browser/sessions.py`. In a test bed an oracle's
actions are counted where Playwright performs them, and the writes where the browser sends them,
from the first action on; both are compared with what the recording holds. A click that only sets
the cursor in a field or editor is an action and no event.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import sys
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Locator, Page, Request
from rich.console import Console
from rich.table import Table

from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.events import Trajectory, read_recording
from odokit.record import record
from odokit.study.episodes import demonstrate
from odokit.testbeds import get_testbed
from odokit.timeline import build_timeline

TESTS = Path(__file__).parents[1] / "tests"
ACTIONS = ("click", "dblclick", "fill", "check", "uncheck", "select_option", "press_sequentially")
MUTATION = '"mutation '


@dataclass(frozen=True)
class Line:
    """One line of the table.

    Attributes:
        name: What was done.
        expected: Events of a session; or an oracle's actions.
        recorded: Those of them that the recording holds, at most as often as expected.
        writes: Writes sent.
        writes_recorded: Writes recorded.
        gaps: What the recording says it missed.
    """

    name: str
    expected: int
    recorded: int
    writes: int
    writes_recorded: int
    gaps: tuple[str, ...]


async def page_lines(browser: Browser) -> list[Line]:
    """Do the sessions of the fixture pages and compare."""
    sys.path[:0] = [str(TESTS), str(TESTS / "browser")]
    sessions = importlib.import_module("sessions")
    with importlib.import_module("site_server").SiteServer() as site:
        todo = sessions.SESSIONS.items()
        return [await _page_line(browser, site, sessions, name, s) for name, s in todo]


async def _page_line(browser: Browser, site: Any, sessions: Any, name: str, session: Any) -> Line:
    site.reset()
    context = await new_context(browser, allowed_origins=[site.origin, site.other_origin])
    page = await context.new_page()
    try:
        with tempfile.TemporaryDirectory() as folder:
            async with record(context, Path(folder), start_url=site.url(session.page)) as recorder:
                await page.goto(site.url(session.page))
                await session.act(page)
            trajectory = recorder.trajectory()
    finally:
        await context.close()
    lines = sessions.event_lines(trajectory, session.page)
    both = Counter(lines) & Counter(session.events)
    return Line(
        name=name,
        expected=len(session.events),
        recorded=both.total() - (Counter(lines) - Counter(session.events)).total(),
        writes=sum(not _is_query(w.body) for w in site.writes),
        writes_recorded=sum(e.kind.is_write for e in trajectory.events),
        gaps=tuple(sessions.gap_kinds(trajectory)),
    )


def _is_query(body: Any) -> bool:
    return isinstance(body, dict) and str(body.get("query", "")).startswith("query")


@contextmanager
def counted(counts: Counter[str]) -> Iterator[None]:
    """Count what is done through Playwright's locators."""
    originals = {name: getattr(Locator, name) for name in ACTIONS}

    def counting(name: str, original: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
        @wraps(original)
        async def action(self: Locator, *args: Any, **options: Any) -> Any:
            counts[name] += 0  # an action has begun, from now on writes count
            result = await original(self, *args, **options)
            counts[name] += not options.get("trial", False)
            return result

        return action

    for name, original in originals.items():
        setattr(Locator, name, counting(name, original))
    try:
        yield
    finally:
        for name, original in originals.items():
            setattr(Locator, name, original)


async def testbed_lines(
    settings: Settings, browser: Browser, app: str, n_templates: int
) -> list[Line]:
    """Let oracles of a test bed perform their demonstrations and compare."""
    testbed = get_testbed(app, settings)
    testbed.up()
    counts: Counter[str] = Counter()
    sent: list[Request] = []

    def watched(oracle: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def perform(page: Page, values: Any) -> None:
            page.context.on("request", lambda r: sent.append(r) if counts else None)
            with counted(counts):
                await oracle(page, values)

        return perform

    testbed.oracles = {name: watched(oracle) for name, oracle in testbed.oracles.items()}
    chosen = [i for _, i in testbed.tasks().iter_instances("demonstrate")]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for instance in chosen[:: max(1, len(chosen) // n_templates)][:n_templates]:
            counts.clear()
            sent.clear()
            (path,) = await demonstrate(testbed, browser, folder=Path(folder), only=[instance.id])
            lines.append(_testbed_line(f"{app}: {instance.id}", read_recording(path), counts, sent))
    return lines


def _testbed_line(
    name: str, trajectory: Trajectory, counts: Counter[str], sent: Sequence[Request]
) -> Line:
    steps = [s.event for s in build_timeline(trajectory).steps]
    first = next((e.idx for e in trajectory.events if e.kind.is_interaction), 0)
    writes = [r for r in sent if r.method not in ("GET", "HEAD", "OPTIONS") and _may_write(r)]
    return Line(
        name=name,
        expected=counts.total(),
        recorded=sum(e.kind.is_interaction for e in steps),
        writes=len(writes),
        writes_recorded=sum(e.kind.is_write for e in trajectory.events[first:]),
        gaps=trajectory.gaps,
    )


def _may_write(request: Request) -> bool:
    body = (request.post_data_buffer or b"").decode(errors="replace")
    return '"query":"' not in body or MUTATION in body


def show(lines: Sequence[Line]) -> None:
    """Print the table and its sums."""
    table = Table("what", "expected", "recorded", "writes sent", "writes recorded", "gaps")
    for line in lines:
        numbers = (line.expected, line.recorded, line.writes, line.writes_recorded)
        table.add_row(line.name, *map(str, numbers), "; ".join(line.gaps))
    sums = [
        sum(getattr(line, part) for line in lines)
        for part in ("expected", "recorded", "writes", "writes_recorded")
    ]
    table.add_section()
    table.add_row("all", *map(str, sums), str(sum(len(line.gaps) for line in lines)))
    Console().print(table)


async def _main(app: str | None, n_templates: int) -> None:
    settings = Settings.load()
    async with open_browser(settings) as browser:
        if app is not None:
            show(await testbed_lines(settings, browser, app, n_templates))
            return
        show(await page_lines(browser))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--app", help="test bed whose oracles to run, instead of the pages")
    parser.add_argument("--templates", type=int, default=10, help="how many of its oracles")
    chosen_options = parser.parse_args()
    asyncio.run(_main(chosen_options.app, chosen_options.templates))
