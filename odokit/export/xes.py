"""Write trajectories as an event log in XES, the XML of process-mining tools.

A trace is a trajectory, an event is a step of its timeline. Standard extensions give the activity,
its time, its resource (who did it: user or application) and its lifecycle; what is ours has the
prefix `odokit`.

Source: IEEE 1849-2016 (XES), sections on the log, its globals and classifiers, and annex A.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree as ET

from odokit.events import Trajectory
from odokit.export.activities import Activity, list_activities
from odokit.export.files import write_whole
from odokit.navmodel import NavModel

NAMESPACE = "http://www.xes-standard.org/"
EXTENSIONS = {
    "Concept": "concept",
    "Time": "time",
    "Organizational": "org",
    "Lifecycle": "lifecycle",
}
# Everything else cannot stand in an XML 1.0 document, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_xes(path: Path, trajectories: Iterable[Trajectory], model: NavModel | None = None) -> int:
    """Write a XES file; return the number of its events.

    Args:
        path: The file to write.
        trajectories: What to write, a trace each.
        model: Gives events the labels of its vertices; each trajectory must be part of it.

    Raises:
        ExportError: The model does not know a trajectory, or the file cannot be written.
    """
    log = make_xes(trajectories, model)
    ET.indent(log)
    write_whole(path, ET.tostring(log, encoding="utf-8", xml_declaration=True) + b"\n")
    return len(log.findall("trace/event"))


def make_xes(trajectories: Iterable[Trajectory], model: NavModel | None = None) -> ET.Element:
    """Make a XES log as an XML tree; see `write_xes`."""
    log = ET.Element("log", {"xes.version": "1849.2016", "xes.features": "", "xmlns": NAMESPACE})
    for name, prefix in EXTENSIONS.items():
        uri = f"{NAMESPACE}{prefix}.xesext"
        ET.SubElement(log, "extension", {"name": name, "prefix": prefix, "uri": uri})
    _text(ET.SubElement(log, "global", {"scope": "trace"}), "concept:name", "")
    every = ET.SubElement(log, "global", {"scope": "event"})
    _text(every, "concept:name", "")
    _put(every, "date", "time:timestamp", "1970-01-01T00:00:00.000+00:00")
    keys = {"name": "Activity", "scope": "event", "keys": "concept:name"}
    ET.SubElement(log, "classifier", keys)
    _text(log, "concept:name", "odokit")
    for trajectory in trajectories:
        _trace(log, trajectory, model)
    return log


def _trace(log: ET.Element, trajectory: Trajectory, model: NavModel | None) -> None:
    trace = ET.SubElement(log, "trace")
    header = trajectory.header
    _text(trace, "concept:name", trajectory.id)
    for key, value in (("task", header.task), ("app", header.app)):
        if value:
            _text(trace, f"odokit:{key}", value)
    for activity in list_activities(trajectory, model):
        _event(ET.SubElement(trace, "event"), activity)


def _event(node: ET.Element, activity: Activity) -> None:
    event = activity.step.event
    _text(node, "concept:name", activity.name)
    _put(node, "date", "time:timestamp", activity.at.isoformat(timespec="milliseconds"))
    _text(node, "org:resource", "user" if event.kind.is_interaction else "application")
    _text(node, "lifecycle:transition", "complete")
    _put(node, "int", "odokit:idx", str(activity.step.idx))
    _text(node, "odokit:kind", str(event.kind))
    _text(node, "odokit:url", event.url)
    if activity.vertex:
        _text(node, "odokit:vertex", activity.vertex)
    if event.element is not None:
        for key in ("role", "name", "xpath"):
            _text(node, f"odokit:{key}", getattr(event.element, key))
    if event.value is not None:
        _text(node, "odokit:value", event.value)
    if event.checked is not None:
        _put(node, "boolean", "odokit:checked", str(event.checked).lower())
    if event.request is not None:
        _text(node, "odokit:method", event.request.method)
        _text(node, "odokit:request_url", event.request.url)
    if event.response is not None:
        _put(node, "int", "odokit:status", str(event.response.status))


def _text(parent: ET.Element, key: str, value: str) -> None:
    _put(parent, "string", key, _NO_XML.sub("\ufffd", value))


def _put(parent: ET.Element, tag: str, key: str, value: str) -> None:
    ET.SubElement(parent, tag, {"key": key, "value": value})
