"""What process-mining tools call an activity: the name of a step, and when it was done.

With a behaviour model the name is the label of the step's vertex, so that the same action has one
name in all demonstrations. Without one it is the kind of step and what it was done to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from odokit.errors import ExportError
from odokit.events import Event, EventKind, Trajectory
from odokit.navmodel import NavModel
from odokit.timeline import Step, build_timeline


@dataclass(frozen=True)
class Activity:
    """One step of a trajectory, named."""

    id: str
    """Trajectory id and timeline index joined by `#`."""
    name: str
    """What was done or happened, in a few words."""
    at: datetime
    """When, in UTC."""
    step: Step
    """The step."""
    vertex: str = ""
    """Name of its vertex, empty without a model."""


def list_activities(trajectory: Trajectory, model: NavModel | None = None) -> list[Activity]:
    """The activities of a trajectory in time order.

    Args:
        trajectory: A recording.
        model: A behaviour model that was built from it, among others.

    Raises:
        ExportError: The model does not know the trajectory, or its start is no time.
    """
    start = _start(trajectory)
    named = _by_model(trajectory, model) if model is not None else _by_itself(trajectory)
    return [
        Activity(
            id=trajectory.event_id(step.idx),
            name=name,
            at=start + timedelta(milliseconds=step.event.t_ms),
            step=step,
            vertex=vertex,
        )
        for step, name, vertex in named
    ]


def _by_model(trajectory: Trajectory, model: NavModel) -> Iterator[tuple[Step, str, str]]:
    walk = model.walks.get(trajectory.id)
    if walk is None:
        raise ExportError(
            f"model {model.model_id} was not built from trajectory {trajectory.id}, so its steps "
            "have no labels there. Build the model again, or export without one."
        )
    for visit in walk:
        vertex = model.vertices[visit.vertex]
        yield visit.step, vertex.label or vertex.name, vertex.name


def _by_itself(trajectory: Trajectory) -> Iterator[tuple[Step, str, str]]:
    for step in build_timeline(trajectory).steps:
        yield step, _name(step.event), ""


def _name(event: Event) -> str:
    if event.kind is EventKind.LOCATION:
        return f"at {urlsplit(event.to_url).path or '/'}"
    if event.request is not None:
        path = urlsplit(event.request.url).path
        return " ".join(filter(None, (event.request.method, path, event.request.operation)))
    if event.element is None:
        return "page changes"
    what = event.group or event.element.name or event.element.tag
    return f"{event.verb} {event.element.role or event.element.tag} “{what}”"


def _start(trajectory: Trajectory) -> datetime:
    """When a recording began; one that does not say began in 1970."""
    told = trajectory.header.started_at
    try:
        start = datetime.fromisoformat(told) if told else datetime.fromtimestamp(0, UTC)
    except ValueError as error:
        raise ExportError(
            f"trajectory {trajectory.id}, field started_at: {told!r} is no ISO 8601 time. "
            "Mend the header of its recording and ingest it again."
        ) from error
    return start.astimezone(UTC) if start.tzinfo else start.replace(tzinfo=UTC)
