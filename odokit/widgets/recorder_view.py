"""Watch a recording grow, while somebody demonstrates a task."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import TYPE_CHECKING

import ipywidgets

from odokit.events import EventKind
from odokit.record import Recorder
from odokit.widgets.panes import escaped, make_table

if TYPE_CHECKING:
    import plotly.graph_objects as go


class RecorderView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """How many events of each kind a recorder has seen so far, live.

    It follows the recorder as long as the event loop runs in which it was made, which in a notebook
    is the kernel's.
    """

    def __init__(self, recorder: Recorder, title: str = "") -> None:
        """Open the view and follow a recorder.

        Args:
            recorder: A recorder at work, as `odokit.record(...)` gives it.
            title: What stands above the counts; the task in words when empty.
        """
        self._recorder = recorder
        title = title or recorder.header.task or "Recording"
        self._table = ipywidgets.HTML()
        super().__init__([ipywidgets.HTML(f"<b>{escaped(title)}</b>"), self._table])
        self.update()
        self._task = asyncio.ensure_future(self._follow())

    def rows(self) -> list[tuple[str, str]]:
        """What is shown: kinds with their numbers, then what was missed."""
        counts = Counter(event.kind for event in self._recorder.events)
        rows = [(kind.replace("_", " "), str(counts[kind])) for kind in EventKind if counts[kind]]
        return rows + [("not recorded", gap) for gap in self._recorder.gaps]

    def figure(self) -> go.Figure:
        """The static twin: how many events of each kind there are now."""
        from odokit.report import frame_events, plot_event_counts

        return plot_event_counts(frame_events([self._recorder.trajectory()]))

    def update(self) -> None:
        """Show what there is now."""
        self._table.value = make_table(self.rows() or [("recording", "nothing yet")])

    def close(self) -> None:
        """Follow no more."""
        self._task.cancel()
        super().close()

    async def _follow(self) -> None:
        n_seen = len(self._recorder.events)
        while await self._recorder.wait_for(lambda _: True, since=n_seen, timeout_ms=math.inf):
            n_seen = len(self._recorder.events)
            self.update()
