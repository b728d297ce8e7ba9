"""From the messages of pages to the events of one recording, whoever brings them.

A page's script tells what happened in JSON messages; the Playwright session hands them over as they
come, the browser extension's export all at once. Here they become events, in time order, with their
snapshots, gaps and the answers that came afterwards. Secrets are replaced before anything is kept.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Hashable
from typing import Any, BinaryIO

from pydantic import ValidationError

from odokit.events import WRITES, Dialog, Event, EventKind, Header, Health, Trajectory, dump_line
from odokit.record.health import HealthMeter
from odokit.record.pages import Pages
from odokit.record.redact import KNOWN, PLACEHOLDER, Redactor
from odokit.record.snapshots import SnapshotFolder, page_key

logger = logging.getLogger(__name__)

CLOCK_MS = 5.0
"""How far the clocks of page and program may be apart."""
CLOCK_JUMP_MS = 60_000.0
"""Messages arrive a little out of order; a stamp that is older by more shows a changed clock."""
KEY_MS = 500.0
"""Longest time between a key and the request or the address that proves it counted."""
PROOFS = WRITES | {EventKind.LOCATION}


class Assembler:
    """The events of one recording as they come in.

    Attributes:
        header: The recording's first line.
        events: What happened, in order of arrival; times are relative to `began`.
        health: What was missed.
        redactor: Knows what must never be kept.
        began: When the recording began, in milliseconds since 1970.
    """

    def __init__(
        self,
        header: Header,
        *,
        snapshots: SnapshotFolder | None = None,
        journal: BinaryIO | None = None,
        redactor: Redactor | None = None,
        began: float | None = None,
    ) -> None:
        self.header = header
        self.events: list[Event] = []
        self.health = HealthMeter()
        self.redactor = redactor or Redactor()
        self.began = time.time() * 1000 if began is None else began
        self._snapshots = snapshots
        self._journal = journal
        self._stamps: list[float] = []
        self._learnt: list[int] = []
        self._pages = Pages()
        self._stored: dict[str, str] = {}
        self._stored_at: dict[str, int] = {}
        self._maybe: dict[int, tuple[float, Hashable, dict[str, Any]]] = {}

    def take(self, frame: Hashable, message: dict[str, Any], *, tab: int = 0) -> None:
        """Take a message of a page's script.

        Args:
            frame: Tells the frames of all pages apart.
            message: An event, a gap, a page that events refer to, or a dialog that an earlier event
                raised.
            tab: Number of the page, in opening order from 0.
        """
        if message["kind"] == "page":
            self._take_page(message)
            return
        data = self.redactor.value(message)
        if data["kind"] == "gap":
            self.health.miss(str(data["what"]), str(data.get("where", "")))
        elif data["kind"] == "dialog":
            self._take_dialog(data, tab)
        elif data["kind"] != "ping":
            self._take_event(frame, data, tab)

    def _take_event(self, frame: Hashable, data: dict[str, Any], tab: int) -> None:
        at = float(data.pop("at"))
        if data.pop("maybe", False) and not self._is_proven(at, tab):
            self._maybe[tab] = (at, frame, data)
            return
        self._maybe.pop(tab, None)
        page = data.pop("page", None)
        typed = data.pop("typed", None)
        if typed is not None:
            mark = PLACEHOLDER.search(str(data.get("value")))
            field = (frame, data["element"]["xpath"])
            self.redactor.note_typed(
                field, (typed["length"], typed["hash"]), mark[1] if mark else KNOWN
            )
        data["url"] = self.redactor.url(data["url"])
        if page is not None:
            data["snapshot"] = self._snapshot(str(page), data["url"])
        position = self.add(at, data | {"tab": tab})
        if position is not None and PLACEHOLDER.search(str(data.get("value"))):
            self._hide_beginnings(position)

    def _take_page(self, message: dict[str, Any]) -> None:
        if self._snapshots is None:
            return
        try:
            self._pages.take(message)
        except (KeyError, TypeError, ValueError) as error:
            self.health.miss("a page could not be read", str(error))

    def _snapshot(self, reference: str, url: str) -> str | None:
        """Store the page an event refers to; its hash."""
        if self._snapshots is None:
            return None
        if reference not in self._stored:
            html = self._pages.get(reference)
            if html is None:
                self.health.miss("a snapshot did not arrive", f"of {url}")
                return None
            key = self._snapshots.put(self.redactor.markup(html), page=page_key(url))
            self._stored[reference] = key
            self._stored_at.setdefault(key, self.redactor.n_learnt)
        return self._stored[reference]

    def _hide_beginnings(self, position: int) -> None:
        """Hide what was typed of a secret before it could be told that it is one."""
        last = self.events[position]
        before, mark = str(last.value).partition("{{")[0], last.value
        for i in reversed(range(position)):
            event = self.events[i]
            if event.element is None or not event.kind.is_interaction:
                continue
            is_same = last.element is not None and event.element.xpath == last.element.xpath
            value = str(event.value)
            is_part = value.startswith(before) and not PLACEHOLDER.search(value)
            if not is_same or event.kind is not last.kind or not is_part:
                return
            element = event.element.model_copy(update={"html": ""})  # it may show the value
            self.amend(i, value=mark, element=element)

    def _is_proven(self, at: float, tab: int) -> bool:
        """Whether something that only a handled key can have caused came before the key itself."""
        recent = zip(self._stamps[-5:], self.events[-5:], strict=True)
        return any(s >= at - CLOCK_MS and e.kind in PROOFS and e.tab == tab for s, e in recent)

    def _take_dialog(self, data: dict[str, Any], tab: int) -> None:
        cause = self.last_interaction(tab)
        try:
            dialog = Dialog.model_validate(data["dialog"])
        except ValidationError as error:
            self.health.miss(f"dialog: {error.errors()[0]['msg']}")
            return
        if cause is None:
            self.health.miss(f"a dialog ({dialog.type}) that no interaction raised", dialog.message)
            return
        self.amend(cause, dialogs=(*self.events[cause].dialogs, dialog))

    def add(self, at: float, data: dict[str, Any]) -> int | None:
        """Add an event.

        Args:
            at: When it happened, in milliseconds since 1970.
            data: Its fields but for index and time.

        Returns:
            Its position among `events`; None when it is no event, which is a gap.
        """
        tab = data.get("tab", 0)
        if data.get("kind") in PROOFS and tab in self._maybe:
            # A key that showed no effect of its own in the page was what caused this.
            pressed, frame, message = self._maybe.pop(tab)
            if 0 <= at - pressed <= KEY_MS:
                self._take_event(frame, message | {"at": pressed}, tab)
        at = self._steady(at)
        position = len(self.events)
        try:
            event = Event(idx=position, t_ms=max(0.0, at - self.began), **data)
        except ValidationError as error:
            # One odd element must not end a session; the gap is reported with the recording.
            self.health.miss(f"{data.get('kind')}: {error.errors()[0]['msg']}")
            logger.warning("an event could not be recorded: %s", error.errors()[0]["msg"])
            return None
        self.events.append(event)
        self._stamps.append(at)
        self._learnt.append(self.redactor.n_learnt)
        self._write(event)
        return position

    def _steady(self, at: float) -> float:
        """An event's stamp; where a clock was changed meanwhile, the order of arrival counts."""
        latest = max(self._stamps[-5:], default=at)
        if at >= latest - CLOCK_JUMP_MS:
            return at
        self.health.miss("a clock was changed; events keep the order in which they came")
        return latest

    def amend(self, position: int, **changes: Any) -> None:
        """Add to an event what became known of it later."""
        self.events[position] = self.events[position].model_copy(update=changes)
        self._write(self.events[position])

    def last_interaction(self, tab: int) -> int | None:
        """Position of the latest thing a user did in a tab."""
        return next(
            (
                i
                for i in reversed(range(len(self.events)))
                if self.events[i].kind.is_interaction and self.events[i].tab == tab
            ),
            None,
        )

    def trajectory(self) -> Trajectory:
        """What was recorded so far, in time order, indexed from 0."""
        order = sorted(range(len(self.events)), key=lambda i: self._stamps[i])
        events = tuple(self._redacted(i).model_copy(update={"idx": n}) for n, i in enumerate(order))
        report = self.health.report(events, self._snapshots)
        clean = Health.model_validate(self.redactor.value(report.model_dump(mode="json")))
        return Trajectory(self._clean_header(), events, tuple(map(str, clean.gaps)), clean)

    def _clean_header(self) -> Header:
        hide, header = self.redactor.text, self.header
        values = {name: hide(value) for name, value in header.values.items()}
        changes = {"task": hide(header.task), "values": values, "start_url": hide(header.start_url)}
        return header.model_copy(update=changes)

    def close(self) -> None:
        """Write no more; what was learnt to be secret goes from the snapshots stored before."""
        self._journal = None
        if self._snapshots is None:
            return
        mine = {k: n for k, n in self._stored_at.items() if k in self._snapshots.written}
        moved: dict[str, str] = {}
        for n in sorted({n for n in mine.values() if n < self.redactor.n_learnt}):
            keys = [key for key, at in mine.items() if at == n]
            moved |= self._snapshots.rewrite(keys, lambda s, n=n: self.redactor.markup(s, since=n))  # type: ignore[misc]
        for i, event in enumerate(self.events):
            if event.snapshot in moved:
                self.events[i] = event.model_copy(update={"snapshot": moved[event.snapshot]})

    def _redacted(self, position: int) -> Event:
        """An event without what became known as a secret after it."""
        event, since = self.events[position], self._learnt[position]
        if since == self.redactor.n_learnt:
            return event
        line = dump_line(event).decode()
        if self.redactor.markup(line, since=since) == line:
            return event
        return Event.model_validate(self.redactor.value(event.model_dump(mode="json")))

    def _write(self, event: Event) -> None:
        if self._journal is not None:
            self._journal.write(dump_line(event))
