"""From the messages of pages to the events of one recording, whoever brings them.

A page's script tells what happened in JSON messages; the Playwright session hands them over as they
come, the browser extension's export all at once. Here they become events, in time order, with their
snapshots, gaps and the answers that came afterwards. Secrets are replaced before anything is kept.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Hashable, Iterable
from typing import Any, BinaryIO

from pydantic import ValidationError

from odokit.events import Dialog, Event, Header, Trajectory, dump_line
from odokit.record.health import HealthMeter
from odokit.record.redact import find_typed, redact, redact_text, redact_url
from odokit.record.snapshots import SnapshotFolder

logger = logging.getLogger(__name__)


class Assembler:
    """The events of one recording as they come in.

    Attributes:
        header: The recording's first line.
        events: What happened, in order of arrival; times are relative to `began`.
        health: What was missed.
        secrets: Values that must never be kept.
        began: When the recording began, in milliseconds since 1970.
    """

    def __init__(
        self,
        header: Header,
        *,
        snapshots: SnapshotFolder | None = None,
        journal: BinaryIO | None = None,
        secrets: Collection[str] = (),
        began: float | None = None,
    ) -> None:
        self.header = header
        self.events: list[Event] = []
        self.health = HealthMeter()
        self.secrets = set(secrets)
        self.began = time.time() * 1000 if began is None else began
        self._snapshots = snapshots
        self._journal = journal
        self._stamps: list[float] = []
        self._typed: dict[tuple[Hashable, str], tuple[int, int]] = {}
        self._last_snapshot: dict[Hashable, str] = {}

    def take(self, frame: Hashable, message: dict[str, Any], *, tab: int = 0) -> None:
        """Take a message of a page's script.

        Args:
            frame: Tells the frames of all pages apart.
            message: An event, a gap, or a dialog that an earlier event raised.
            tab: Number of the page, in opening order from 0.
        """
        data = redact(message, self.secrets)
        if data["kind"] == "gap":
            self.health.miss(str(data["what"]), str(data.get("where", "")))
        elif data["kind"] == "dialog":
            self._take_dialog(data, tab)
        elif data["kind"] != "ping":
            self._take_event(frame, data, tab)

    def _take_event(self, frame: Hashable, data: dict[str, Any], tab: int) -> None:
        at = float(data.pop("at"))
        page = data.pop("page", None)
        typed = data.pop("typed", None)
        if typed is not None:
            self._typed[frame, data["element"]["xpath"]] = (typed["length"], typed["hash"])
        if page is not None and self._snapshots is not None:
            if "html" in page:
                self._last_snapshot[frame] = self._snapshots.put(page["html"])
            data["snapshot"] = self._last_snapshot.get(frame)
        data["url"] = redact_url(data["url"], self.secrets)
        self.add(at, data | {"tab": tab})

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
        self._write(event)
        return position

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

    @property
    def knows_typed(self) -> bool:
        """Whether a secret was typed, so that what is sent must be searched for it."""
        return bool(self._typed)

    def learn(self, strings: Iterable[str]) -> None:
        """Know a typed secret again in what is sent, whatever the name it is sent under."""
        self.secrets |= find_typed(strings, set(self._typed.values()))

    def trajectory(self) -> Trajectory:
        """What was recorded so far, in time order, indexed from 0."""
        order = sorted(range(len(self.events)), key=lambda i: self._stamps[i])
        events = tuple(self.events[i].model_copy(update={"idx": n}) for n, i in enumerate(order))
        report = self.health.report(events, self._snapshots)
        gaps = tuple(redact_text(str(gap), self.secrets) for gap in report.gaps)
        return Trajectory(self.header, events, gaps, report)

    def close(self) -> None:
        """Write no more; what was recorded stays."""
        self._journal = None

    def _write(self, event: Event) -> None:
        if self._journal is not None:
            self._journal.write(dump_line(event))
