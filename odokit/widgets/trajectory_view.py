"""Step through recorded trajectories, event by event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import ipywidgets
import orjson
import traitlets

from odokit.errors import ReportError
from odokit.events import Event, Trajectory
from odokit.widgets.panes import WIDE, make_code, make_table, show_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go


class TrajectoryView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A trajectory in time, and what its selected event carries.

    Attributes:
        trajectory_id: Which trajectory is shown.
        event: Index of the selected event, from 0.
    """

    trajectory_id = traitlets.Unicode()
    event = traitlets.Int(0)

    def __init__(
        self, trajectories: Sequence[Trajectory], trajectory_id: str = "", event: int = 0
    ) -> None:
        """Open the view.

        Args:
            trajectories: At least one.
            trajectory_id: Which to show; the first when empty.
            event: Event to begin at.

        Raises:
            ReportError: There is no trajectory with an event.
        """
        self._trajectories = {t.id: t for t in trajectories if t.events}
        if not self._trajectories:
            raise ReportError("no trajectory with events was given; record or ingest some first.")
        self._picker = ipywidgets.Dropdown(
            options=list(self._trajectories), description="Trajectory", layout=WIDE
        )
        self._slider = ipywidgets.IntSlider(min=0, max=0, description="Event")
        self._details = ipywidgets.HTML()
        self._timeline = ipywidgets.Output()
        super().__init__([self._picker, self._slider, self._details, self._timeline])
        self.trajectory_id = trajectory_id or next(iter(self._trajectories))
        self._slider.max = len(self._shown.events) - 1
        self.event = event
        traitlets.link((self, "trajectory_id"), (self._picker, "value"))
        traitlets.link((self, "event"), (self._slider, "value"))
        self.observe(self._change_trajectory, "trajectory_id")
        self.observe(self._update, "event")
        self._update()

    @traitlets.validate("trajectory_id")
    def _is_known(self, proposal: dict[str, Any]) -> str:
        if proposal["value"] not in self._trajectories:
            raise traitlets.TraitError(
                f"trajectory {proposal['value']!r} is none of the {len(self._trajectories)} given."
            )
        return str(proposal["value"])

    @traitlets.validate("event")
    def _is_an_event(self, proposal: dict[str, Any]) -> int:
        n_events = len(self._shown.events)
        if not 0 <= proposal["value"] < n_events:
            raise traitlets.TraitError(
                f"event {proposal['value']} is not in {self._shown.id}; it has 0 to {n_events - 1}."
            )
        return int(proposal["value"])

    @property
    def _shown(self) -> Trajectory:
        return self._trajectories[self.trajectory_id]

    def _change_trajectory(self, _: object) -> None:
        self.event = 0
        self._slider.max = len(self._shown.events) - 1
        self._update()

    def _update(self, _: object = None) -> None:
        event = self._shown.events[self.event]
        code = make_code(event.element.html) if event.element is not None else ""
        self._details.value = make_table(describe(event)) + code
        show_figure(self._timeline, self.figure())

    def figure(self) -> go.Figure:
        """The static twin: the trajectory in time with the selected event marked."""
        from odokit.report import frame_events, plot_timeline

        return plot_timeline(frame_events([self._shown]), selected=self.event)


def describe(event: Event) -> list[tuple[str, str]]:
    """What an event carries, as rows of two texts."""
    rows = [("kind", str(event.kind)), ("at", f"{event.t_ms / 1000:.2f} s"), ("page", event.url)]
    if event.element is not None:
        rows += [("role", event.element.role), ("name", event.element.name)]
        rows += [("xpath", event.element.xpath), ("regions", " > ".join(event.element.landmarks))]
    if event.value is not None:
        rows.append(("value", event.value))
    if event.checked is not None:
        rows.append(("checked", str(event.checked)))
    rows += [("option", f"{o.label}{' (chosen)' if o.selected else ''}") for o in event.options]
    if event.request is not None:
        rows.append(("request", f"{event.request.method} {event.request.url}"))
        rows.append(("body", orjson.dumps(event.request.body).decode()))
    if event.response is not None:
        rows.append(("answer", str(event.response.status)))
    if event.to_url:
        rows.append(("to", event.to_url))
    rows += [(e.action, f"{e.xpath} {e.text}") for e in event.effects]
    return [(name, text) for name, text in rows if text]
