"""The live recorder of a browser context: the pages' own events, and what only the browser sees.

The scripts in the pages tell what a person does; Playwright tells of requests, navigations, tabs
and downloads. An `Assembler` makes events of both.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Dialog, Download, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as PageRequest
from playwright.async_api import Response as PageResponse

from odokit.events import (
    Event,
    EventKind,
    Header,
    Response,
    Trajectory,
)
from odokit.record import network
from odokit.record.assemble import Assembler
from odokit.record.frames import complete_message, is_blind, self_test
from odokit.record.script import page_script, requests_script
from odokit.record.sent import SentNotes

logger = logging.getLogger(__name__)

DRAIN_MS = 3_000.0
SCRIPTED = frozenset({"fetch", "xhr"})
LOADING = frozenset({"document", "fetch", "xhr", "script"})
BRIDGE_S = 2.0
BLIND_S = 1.0
LONG_POLL_S = 2.0
STATUS_ALONE_S = 0.3

Predicate = Callable[[Event], bool]


class Recorder:
    """The live event stream of a browser context.

    Events arrive in `events` in the order they happened; a request is there from the moment it is
    sent and is replaced by its answered self. `wait_for` lets the executor follow an application.
    """

    def __init__(self, assembler: Assembler, *, attended: bool = False) -> None:
        self.n_requests = 0
        self._book = assembler
        self._attended = attended
        self._pending: dict[PageRequest, int] = {}
        self._in_flight: dict[PageRequest, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._urls: dict[Page, str] = {}
        self._tabs: dict[Page, int] = {}
        self._tested: set[tuple[Page, str]] = set()
        self._heard: set[Frame] = set()
        self._notes = SentNotes()
        self._requests: dict[int, PageRequest] = {}
        self._context: BrowserContext | None = None
        self._in_page = AsyncExitStack()

    @property
    def header(self) -> Header:
        """The recording's first line."""
        return self._book.header

    @property
    def events(self) -> list[Event]:
        """What happened so far, in order of arrival."""
        return self._book.events

    @property
    def gaps(self) -> list[str]:
        """What was missed so far, in words."""
        return [str(gap) for gap in self._book.health.gaps]

    async def attach(self, context: BrowserContext) -> None:
        """Start watching a context and every page it has or opens."""
        self._context = context
        script = page_script(self._book.redactor)
        emit = await context.expose_binding("__odokit_emit", self._on_emit)
        self._in_page.push_async_exit(emit)
        script = f"{script}\n{requests_script()}"
        self._in_page.push_async_exit(await context.add_init_script(script))
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfinished", self._on_finished)
        context.on("requestfailed", self._on_failed)
        context.on("page", self._on_page)
        if self._attended:
            context.on("dialog", _leave_to_the_person)
        for page in context.pages:
            self._watch(page)
            for frame in page.frames:
                await frame.evaluate(script)
            await self._self_test(page)

    def trajectory(self) -> Trajectory:
        """What was recorded so far, in time order, indexed from 0."""
        return self._book.trajectory()

    async def wait_for(
        self, predicate: Predicate, *, since: int, timeout_ms: float
    ) -> Event | None:
        """Wait until an event recorded at or after position `since` satisfies a predicate.

        Returns:
            The first such event, or None when the time is over.
        """

        def found() -> Event | None:
            return next((e for e in self.events[since:] if predicate(e)), None)

        async with self._changed:
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    await self._changed.wait_for(lambda: found() is not None)
            except TimeoutError:
                return None
        return found()

    async def wait_idle(self, *, timeout_ms: float) -> bool:
        """Wait until the pages load nothing; a request open for two seconds is a long poll.

        Returns:
            Whether they came to rest in time.
        """

        def idle() -> bool:
            now = time.monotonic()
            return all(now - began > LONG_POLL_S for began in self._in_flight.values())

        async with self._changed:
            try:
                async with asyncio.timeout(timeout_ms / 1000):
                    await self._changed.wait_for(idle)
            except TimeoutError:
                return False
        return True

    def learn(self, value: str, name: str) -> None:
        """Know a secret that is about to be used, wherever it occurs from now on."""
        self._book.redactor.learn(value, name)

    def hide(self, text: str) -> str:
        """Give a text without the secrets known so far."""
        return self._book.redactor.text(text)

    async def drain(self) -> None:
        """Wait, at most `DRAIN_MS`, until pages have told all and what they asked is answered."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_MS / 1000):
                for frame in [f for page in self._urls for f in page.frames]:
                    with contextlib.suppress(PlaywrightError):  # closed, or navigating
                        await frame.evaluate("() => window.__odokit?.rest?.()")
        asked = set(self._pending)  # what a polling page asks from now on is not waited for
        async with self._changed:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_MS / 1000):
                    await self._changed.wait_for(lambda: asked.isdisjoint(self._pending))
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=DRAIN_MS / 1000)
        for frame in [f for page in self._urls if not page.is_closed() for f in page.frames]:
            if await is_blind(frame, BLIND_S):
                self._book.health.miss("a frame could not be entered", f"of {frame.url}")

    async def detach(self) -> None:
        """Stop listening; what was recorded stays."""
        if self._context is None:
            return
        self._context.remove_listener("request", self._on_request)
        self._context.remove_listener("response", self._on_response)
        self._context.remove_listener("requestfinished", self._on_finished)
        self._context.remove_listener("requestfailed", self._on_failed)
        self._context.remove_listener("page", self._on_page)
        if self._attended:
            self._context.remove_listener("dialog", _leave_to_the_person)
        for page in self._urls:
            page.remove_listener("framenavigated", self._on_navigated)
            page.remove_listener("domcontentloaded", self._on_loaded)
            page.remove_listener("download", self._on_download)
        self._context = None
        self._book.close()
        await self._in_page.aclose()

    def _on_page(self, page: Page) -> None:
        self._watch(page)
        # A page that was opened by another is announced when it is already somewhere.
        self._urls[page] = ""
        self._on_navigated(page.main_frame)

    def _watch(self, page: Page) -> None:
        self._urls[page] = page.url
        self._tabs.setdefault(page, len(self._tabs))
        page.on("framenavigated", self._on_navigated)
        page.on("domcontentloaded", self._on_loaded)
        page.on("download", self._on_download)

    def _on_loaded(self, page: Page) -> None:
        self._spawn(self._self_test(page))

    async def _self_test(self, page: Page) -> None:
        """Prove that capture works on a page, once for each site a tab goes to."""
        site = (page, urlsplit(page.url).netloc)
        if site in self._tested or not page.url.startswith("http"):
            return
        self._tested.add(site)
        failed = await self_test(page.main_frame)
        if failed is None:
            self._tested.discard(site)
            return
        async with self._changed:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BRIDGE_S):
                    await self._changed.wait_for(lambda: page.main_frame in self._heard)
        heard = [] if page.main_frame in self._heard else ["bridge"]
        self._book.health.tested(self._book.redactor.url(page.url), [*failed, *heard])

    def _on_download(self, download: Download) -> None:
        tab = self._tabs.get(download.page, 0)
        cause = self._book.last_interaction(tab)
        if cause is None and tab:  # a tab that only opened for it
            cause = self._book.last_interaction(tab - 1)
        name = self._book.redactor.text(download.suggested_filename)
        if cause is None:
            self._book.health.miss("a download that no interaction began", name)
        else:
            self._book.amend(cause, download=name)

    async def _on_emit(self, source: dict[str, Any], payload: str) -> None:
        if self._context is None:
            return
        message, frame = json.loads(payload), source["frame"]
        if message["kind"] == "ping":
            self._heard.add(frame)
        if message["kind"] == "sent":
            await self._on_sent(message)
            return
        await complete_message(frame, message)
        self._book.take(frame, message, tab=self._tabs.get(source["page"], 0))
        await self._notify()

    async def _add(self, at: float, data: dict[str, Any]) -> None:
        if self._book.add(at, data) is not None:
            await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _on_navigated(self, frame: Frame) -> None:
        page = frame.page
        if frame.parent_frame is not None:
            return
        before, after = self._urls.get(page, ""), frame.url
        self._urls[page] = after
        if before == after or after in ("about:blank", ""):
            return
        redactor = self._book.redactor
        redactor.learn_sent(network.query_strings(after))
        data = {
            "kind": EventKind.LOCATION,
            "url": redactor.url(after),
            "from_url": redactor.url(before),
            "to_url": redactor.url(after),
            "tab": self._tabs.get(page, 0),
        }
        self._spawn(self._add(time.time() * 1000, data))

    def _on_request(self, request: PageRequest) -> None:
        if request.resource_type in LOADING:
            self._in_flight[request] = time.monotonic()
            self.n_requests += 1
        if not network.is_recorded(request) or request in self._pending:
            return
        redactor = self._book.redactor
        if redactor.has_typed:
            redactor.learn_sent(network.sent_strings(request))
        note = self._notes.find(request.method, request.url)
        read = network.read_request(request, redactor, note)
        if read is None:
            return
        kind, parsed = read
        page = _page_of(request)
        data = {
            "kind": kind,
            "url": redactor.url(self._page_url(request)),
            "request": parsed,
            "tab": self._tabs.get(page, 0) if page is not None else 0,
        }
        position = self._book.add(time.time() * 1000, data)
        if position is not None:
            self._pending[request] = position
            if note is None and request.resource_type in SCRIPTED:
                self._requests[position] = request
                self._notes.wait(request.method, request.url, position)
            self._spawn(self._notify())

    async def _on_sent(self, note: dict[str, Any]) -> None:
        """Add to a request that came first what the page tells of it."""
        position = self._notes.note(note)
        request = self._requests.pop(position, None) if position is not None else None
        if position is None or request is None:
            return
        read = network.read_request(request, self._book.redactor, note)
        if read is not None:
            self._book.amend(position, kind=read[0], request=read[1])
            await self._notify()

    def _page_url(self, request: PageRequest) -> str:
        page = _page_of(request)
        if page is not None:
            return page.url
        interactions = (e.url for e in reversed(self.events) if e.kind.is_interaction)
        return next(interactions, request.url)

    def _on_response(self, response: PageResponse) -> None:
        # A page that only looks at the status never finishes the request, and may cancel it.
        request = response.request
        self._landed(request)
        position = self._pending.pop(request, None)
        if position is not None:
            self._spawn(self._answer(position, response))

    def _on_finished(self, request: PageRequest) -> None:
        self._landed(request)

    def _on_failed(self, request: PageRequest) -> None:
        self._landed(request)
        position = self._pending.pop(request, None)
        if position is not None:
            self._spawn(self._settle(position, Response(status=0)))

    def _landed(self, request: PageRequest) -> None:
        if self._in_flight.pop(request, None) is not None:
            self._spawn(self._notify())

    async def _answer(self, position: int, response: PageResponse) -> None:
        redactor = self._book.redactor
        reading = asyncio.ensure_future(network.read_response(response, redactor))
        request = self.events[position].request
        if request is not None and not request.operation:
            # The status tells of all but a mutation; the body follows when the page reads it.
            await asyncio.wait({reading}, timeout=STATUS_ALONE_S)
            if not reading.done():
                await self._settle(position, network.read_status(response, redactor))
        await self._settle(position, await reading)

    async def _settle(self, position: int, response: Response) -> None:
        if self.events[position].response != response:
            self._book.amend(position, response=response)
            await self._notify()


def _page_of(request: PageRequest) -> Page | None:
    try:
        return request.frame.page
    except PlaywrightError:  # it opens a new page, or a worker sends it
        return None


def _leave_to_the_person(dialog: Dialog) -> None:
    """Keep Playwright from dismissing a dialog: whoever sits there answers it."""
    logger.debug("a dialog (%s) waits for its answer", dialog.type)
