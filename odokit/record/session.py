"""Record a browser context: page events from capture.js, writes and navigations from Playwright.

`record(...)` is the whole interface: an async context manager that watches a context while a person
(or an oracle, or the executor) works in it, and on exit leaves a recording file and its snapshots.
Each event is flushed to a `.partial` file as it happens, so a killed session can be recovered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any, BinaryIO

from playwright.async_api import BrowserContext, Frame, Page
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Request as PageRequest
from playwright.async_api import Response as PageResponse
from pydantic import ValidationError

from odokit import __version__
from odokit.errors import RecordError
from odokit.events import (
    Event,
    EventKind,
    Header,
    Response,
    Trajectory,
    dump_header,
    dump_line,
    write_recording,
)
from odokit.record import network
from odokit.record.redact import find_typed, redact, redact_text, redact_url
from odokit.record.snapshots import SnapshotFolder

logger = logging.getLogger(__name__)

DRAIN_MS = 3_000.0
LOADING = frozenset({"document", "fetch", "xhr", "script"})
LONG_POLL_S = 2.0
STATUS_ALONE_S = 0.3

Predicate = Callable[[Event], bool]


class Recorder:
    """The live event stream of a browser context.

    Events arrive in `events` in the order they happened; a request is there from the moment it is
    sent and is replaced by its answered self. `wait_for` lets the executor follow an application.
    """

    def __init__(
        self,
        header: Header,
        *,
        snapshots: SnapshotFolder | None = None,
        journal: BinaryIO | None = None,
        secrets: Collection[str] = (),
    ) -> None:
        self.header = header
        self._journal = journal
        self.events: list[Event] = []
        self.gaps: list[str] = []
        self.n_requests = 0
        self._snapshots = snapshots
        self._secrets = set(secrets)
        self._typed: dict[tuple[Frame, str], tuple[int, int]] = {}
        self._stamps: list[float] = []
        self._began = time.time() * 1000
        self._last_snapshot: dict[Frame, str] = {}
        self._pending: dict[PageRequest, int] = {}
        self._in_flight: dict[PageRequest, float] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Condition()
        self._urls: dict[Page, str] = {}
        self._context: BrowserContext | None = None
        self._in_page = AsyncExitStack()

    async def attach(self, context: BrowserContext) -> None:
        """Start watching a context and every page it has or opens."""
        self._context = context
        script = files("odokit.record").joinpath("capture.js").read_text(encoding="utf-8")
        emit = await context.expose_binding("__odokit_emit", self._on_emit)
        self._in_page.push_async_exit(emit)
        self._in_page.push_async_exit(await context.add_init_script(script))
        context.on("request", self._on_request)
        context.on("response", self._on_response)
        context.on("requestfinished", self._on_finished)
        context.on("requestfailed", self._on_failed)
        context.on("page", self._on_page)
        for page in context.pages:
            self._watch(page)
            for frame in page.frames:
                await frame.evaluate(script)

    def trajectory(self) -> Trajectory:
        """What was recorded so far, in time order, indexed from 0."""
        order = sorted(range(len(self.events)), key=lambda i: self._stamps[i])
        events = tuple(self.events[i].model_copy(update={"idx": n}) for n, i in enumerate(order))
        return Trajectory(self.header, events, tuple(self.gaps))

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

    async def drain(self) -> None:
        """Wait, at most `DRAIN_MS`, until pages have told all and what they asked is answered."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_MS / 1000):
                for frame in [f for page in self._urls for f in page.frames]:
                    with contextlib.suppress(PlaywrightError):  # closed, or navigating
                        await frame.evaluate("() => window.__odokit && window.__odokit.rest()")
        asked = set(self._pending)  # what a polling page asks from now on is not waited for
        async with self._changed:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(DRAIN_MS / 1000):
                    await self._changed.wait_for(lambda: asked.isdisjoint(self._pending))
        if self._tasks:
            await asyncio.wait(set(self._tasks), timeout=DRAIN_MS / 1000)

    async def detach(self) -> None:
        """Stop listening; what was recorded stays."""
        if self._context is None:
            return
        self._context.remove_listener("request", self._on_request)
        self._context.remove_listener("response", self._on_response)
        self._context.remove_listener("requestfinished", self._on_finished)
        self._context.remove_listener("requestfailed", self._on_failed)
        self._context.remove_listener("page", self._on_page)
        for page in self._urls:
            page.remove_listener("framenavigated", self._on_navigated)
        self._context, self._journal = None, None
        await self._in_page.aclose()

    def _on_page(self, page: Page) -> None:
        self._watch(page)
        # A page that was opened by another is announced when it is already somewhere.
        self._urls[page] = ""
        self._on_navigated(page.main_frame)

    def _watch(self, page: Page) -> None:
        self._urls[page] = page.url
        page.on("framenavigated", self._on_navigated)

    async def _on_emit(self, source: dict[str, Any], payload: str) -> None:
        if self._context is None:
            return
        data = redact(json.loads(payload), self._secrets)
        if data["kind"] == "gap":
            self.gaps.append(data["text"])
            return
        frame = source["frame"]
        at = float(data.pop("at"))
        page = data.pop("page", None)
        typed = data.pop("typed", None)
        if typed is not None:
            self._typed[frame, data["element"]["xpath"]] = (typed["length"], typed["hash"])
        if page is not None and self._snapshots is not None:
            if "html" in page:
                self._last_snapshot[frame] = self._snapshots.put(page["html"])
            data["snapshot"] = self._last_snapshot.get(frame)
        data["url"] = redact_url(data["url"], self._secrets)
        await self._add(at, data)

    async def _add(self, at: float, data: dict[str, Any]) -> None:
        try:
            event = Event(idx=len(self.events), t_ms=max(0.0, at - self._began), **data)
        except ValidationError as error:
            # One odd element must not end a session; the gap is reported with the recording.
            self.gaps.append(f"{data.get('kind')}: {error.errors()[0]['msg']}")
            logger.warning("an event could not be recorded: %s", error)
            return
        self.events.append(event)
        self._stamps.append(at)
        self._write(event)
        await self._notify()

    def _write(self, event: Event) -> None:
        if self._journal is not None:
            self._journal.write(dump_line(event))

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
        self._learn(network.query_strings(after))
        data = {
            "kind": EventKind.LOCATION,
            "url": redact_url(after, self._secrets),
            "from_url": redact_url(before, self._secrets),
            "to_url": redact_url(after, self._secrets),
        }
        self._spawn(self._add(time.time() * 1000, data))

    def _on_request(self, request: PageRequest) -> None:
        if request.resource_type in LOADING:
            self._in_flight[request] = time.monotonic()
            self.n_requests += 1
        if not network.is_recorded(request) or request in self._pending:
            return
        if self._typed:
            self._learn(network.sent_strings(request))
        read = network.read_request(request, self._secrets)
        if read is None:
            return
        kind, parsed = read
        self._pending[request] = len(self.events)
        self._stamps.append(time.time() * 1000)
        self.events.append(
            Event(
                kind=kind,
                idx=len(self.events),
                t_ms=max(0.0, self._stamps[-1] - self._began),
                url=redact_url(self._page_url(request), self._secrets),
                request=parsed,
            )
        )
        self._write(self.events[-1])
        self._spawn(self._notify())

    def _learn(self, strings: Iterable[str]) -> None:
        """Know a typed secret again in what is sent, whatever the name it is sent under."""
        self._secrets |= find_typed(strings, set(self._typed.values()))

    def _page_url(self, request: PageRequest) -> str:
        try:
            return request.frame.page.url
        except PlaywrightError:  # it opens a new page, or a worker sends it
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
        reading = asyncio.ensure_future(network.read_response(response, self._secrets))
        request = self.events[position].request
        if request is not None and not request.operation:
            # The status tells of all but a mutation; the body follows when the page reads it.
            await asyncio.wait({reading}, timeout=STATUS_ALONE_S)
            if not reading.done():
                await self._settle(position, network.read_status(response, self._secrets))
        await self._settle(position, await reading)

    async def _settle(self, position: int, response: Response) -> None:
        event = self.events[position]
        if event.response != response:
            self.events[position] = event.model_copy(update={"response": response})
            self._write(self.events[position])
            await self._notify()


@asynccontextmanager
async def record(
    context: BrowserContext,
    folder: Path | None,
    *,
    task: str = "",
    values: dict[str, str] | None = None,
    app: str = "",
    start_url: str = "",
    trajectory_id: str | None = None,
    secrets: Collection[str] = (),
) -> AsyncIterator[Recorder]:
    """Record what happens in a browser context until the block ends.

    Args:
        context: A Playwright (async) browser context; its present and future pages are watched.
        folder: Receives `<id>.jsonl.zst` and `snapshots/`; None keeps the recording in memory.
        task: What is being demonstrated, in words.
        values: Known parameter values of the task, by name.
        app: Name of the application.
        start_url: Where the work begins.
        trajectory_id: Id to record under; a random one when None.
        secrets: Values that must never be stored, wherever they occur.

    Raises:
        RecordError: Nothing at all was recorded although `folder` was given.
    """
    header = Header(
        trajectory_id=trajectory_id or uuid.uuid4().hex[:12],
        task=redact_text(task, secrets),
        values={k: redact_text(v, secrets) for k, v in (values or {}).items()},
        app=app,
        start_url=start_url,
        started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
        recorder=f"odokit {__version__}",
    )
    if folder is None:
        async with _attached(Recorder(header, secrets=secrets), context) as recorder:
            yield recorder
        return
    folder.mkdir(parents=True, exist_ok=True)
    journal_path = folder / f"{header.trajectory_id}.jsonl.partial"
    with journal_path.open("wb", buffering=0) as journal:
        journal.write(dump_header(header))
        snapshots = SnapshotFolder(folder / "snapshots")
        made = Recorder(header, snapshots=snapshots, journal=journal, secrets=secrets)
        async with _attached(made, context) as recorder:
            yield recorder
    trajectory = recorder.trajectory()
    if not any(e.kind.is_interaction for e in trajectory.events):
        journal_path.unlink()
        raise RecordError(
            f"recording {trajectory.id} holds no click or entry, so nothing was saved. "
            "Check that the page was open in the recorded context."
        )
    write_recording(folder / f"{trajectory.id}.jsonl.zst", trajectory)
    journal_path.unlink()


@asynccontextmanager
async def _attached(recorder: Recorder, context: BrowserContext) -> AsyncIterator[Recorder]:
    await recorder.attach(context)
    try:
        yield recorder
    finally:
        await recorder.drain()
        await recorder.detach()
