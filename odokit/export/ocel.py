"""Write trajectories as an object-centric event log: OCEL 2.0 in JSON.

Objects are the trajectories, the pages they visit, the elements they use and the endpoints they
call, with ids in addresses starred; every event is about several of them, which is what a flat log
cannot say.

Source: A. Berti et al., OCEL (Object-Centric Event Log) 2.0 Specification, 2023, JSON format.
Attribute values are written as text, as its schema asks; their types are declared with the types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from odokit.events import Event, Trajectory
from odokit.export.activities import Activity, list_activities
from odokit.export.files import write_whole
from odokit.navmodel import NavModel
from odokit.record.snapshots import page_key

EVENT_ATTRIBUTES = {
    "idx": "integer",
    "kind": "string",
    "url": "string",
    "value": "string",
    "checked": "boolean",
    "status": "integer",
}
"""What an event may have, with its OCEL type."""
OBJECT_ATTRIBUTES: Mapping[str, Mapping[str, str]] = {
    "trajectory": {"task": "string", "app": "string"},
    "page": {"address": "string"},
    "element": {"role": "string", "name": "string", "xpath": "string"},
    "endpoint": {"method": "string", "path": "string", "operation": "string"},
}
STATIC = "1970-01-01T00:00:00.000Z"
"""An object attribute needs a time from which on it holds; those of ours hold always."""

Object = dict[str, Any]


def write_ocel(
    path: Path, trajectories: Iterable[Trajectory], model: NavModel | None = None
) -> int:
    """Write an OCEL 2.0 JSON file; return the number of its events.

    Args:
        path: The file to write.
        trajectories: What to write.
        model: Gives events the labels of its vertices; each trajectory must be part of it.

    Raises:
        ExportError: The model does not know a trajectory, or the file cannot be written.
    """
    log = make_ocel(trajectories, model)
    write_whole(path, orjson.dumps(log, option=orjson.OPT_INDENT_2))
    return len(log["events"])


def make_ocel(trajectories: Iterable[Trajectory], model: NavModel | None = None) -> dict[str, Any]:
    """Make an OCEL 2.0 log as a JSON object; see `write_ocel`."""
    objects: dict[str, Object] = {}
    events: list[dict[str, Any]] = []
    for trajectory in trajectories:
        for activity in list_activities(trajectory, model):
            related = list(_related(trajectory, activity.step.event))
            for _, thing in related:
                objects.setdefault(thing["id"], thing)
            events.append(_event(activity, related))
    names = sorted({event["type"] for event in events})
    return {
        "objectTypes": [_type(name, kinds) for name, kinds in OBJECT_ATTRIBUTES.items()],
        "eventTypes": [_type(name, EVENT_ATTRIBUTES) for name in names],
        "objects": list(objects.values()),
        "events": events,
    }


def _type(name: str, attributes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "attributes": [{"name": key, "type": kind} for key, kind in attributes.items()],
    }


def _event(activity: Activity, related: list[tuple[str, Object]]) -> dict[str, Any]:
    event = activity.step.event
    values = {
        "idx": activity.step.idx,
        "kind": str(event.kind),
        "url": event.url,
        "value": event.value,
        "checked": None if event.checked is None else str(event.checked).lower(),
        "status": event.response.status if event.response else None,
    }
    return {
        "id": activity.id,
        "type": activity.name,
        "time": _time(activity.at),
        "attributes": [
            {"name": key, "value": str(value)} for key, value in values.items() if value is not None
        ],
        "relationships": [
            {"objectId": thing["id"], "qualifier": qualifier} for qualifier, thing in related
        ],
    }


def _related(trajectory: Trajectory, event: Event) -> Iterator[tuple[str, Object]]:
    header = trajectory.header
    yield "part of", _object("trajectory", trajectory.id, task=header.task, app=header.app)
    page = page_key(event.url)
    if event.url:
        yield "on", _object("page", page, address=page)
    if event.element is not None:
        found = event.element
        place = " ".join((page, *found.frame, *found.shadow, found.xpath))
        told = {"role": found.role, "name": found.name, "xpath": found.xpath}
        yield "acts on", _object("element", place, **told)
    if event.request is not None:
        path = page_key(event.request.url)
        told = {
            "method": event.request.method,
            "path": path,
            "operation": event.request.operation,
        }
        yield "calls", _object("endpoint", " ".join(filter(None, told.values())), **told)


def _object(kind: str, key: str, **attributes: str) -> Object:
    return {
        "id": f"{kind}:{key}",
        "type": kind,
        "attributes": [
            {"name": name, "value": value, "time": STATIC} for name, value in attributes.items()
        ],
    }


def _time(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
