"""Trajectories made by hand, in few words.

    trajectory = (
        Story("t1", task="Rename it to Owls", values={"name": "Owls"})
        .at("/groups/7").enter("Name", "Owls").click("Save")
        .write("PATCH", "/api/groups/7", {"name": "Owls"})
        .trajectory()
    )

Events are 100 ms apart unless `wait` says otherwise. Elements get an xpath of their own by name.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from odokit.events import (
    Effect,
    Element,
    Event,
    EventKind,
    Header,
    Option,
    Request,
    Response,
    Trajectory,
)

ORIGIN = "http://127.0.0.1:9"
STEP_MS = 100.0


def element(
    name: str,
    *,
    role: str = "button",
    tag: str = "",
    xpath: str = "",
    landmarks: Sequence[str] = ("main:",),
    attributes: Mapping[str, str] | None = None,
) -> Element:
    """An element in the main part of a page; the same name has the same xpath."""
    tags = {"link": "a", "textbox": "input", "checkbox": "input", "radio": "input"}
    tag = tag or tags.get(role, role)
    place = zlib.crc32(f"{role}/{name}".encode()) % 900 + 1
    return Element(
        tag=tag,
        xpath=xpath or f"/html/body/main/div[{place}]/{tag}",
        role=role,
        name=name,
        text=name,
        attributes=dict(attributes or {}),
        landmarks=tuple(landmarks),
    )


class Story:
    """Builds a trajectory event by event.

    Args:
        trajectory_id: Its id.
        task: What it demonstrates.
        values: Its parameter values.
        snapshot: Content hash given to every interaction from now on; see `on_page`.
    """

    def __init__(
        self,
        trajectory_id: str = "t",
        *,
        task: str = "",
        values: Mapping[str, str] | None = None,
        snapshot: str | None = None,
    ) -> None:
        self._header = Header(
            trajectory_id=trajectory_id,
            task=task,
            values=dict(values or {}),
            start_url=f"{ORIGIN}/start",
        )
        self._events: list[Event] = []
        self._now = 0.0
        self._url = f"{ORIGIN}/start"
        self._snapshot = snapshot

    def trajectory(self) -> Trajectory:
        """What was told so far."""
        return Trajectory(self._header, tuple(self._events))

    def wait(self, ms: float) -> Story:
        """Let time pass."""
        self._now += ms
        return self

    def on_page(self, snapshot: str | None) -> Story:
        """Let the interactions that follow carry this snapshot."""
        self._snapshot = snapshot
        return self

    def at(self, path: str) -> Story:
        """Go to an address."""
        before, self._url = self._url, f"{ORIGIN}{path}"
        return self._add(EventKind.LOCATION, from_url=before, to_url=self._url)

    def click(self, name: str, **how: Any) -> Story:
        """Click a button, or what `how` says."""
        return self._on(EventKind.CLICK, element(name, **how))

    def enter(self, name: str, value: str, **how: Any) -> Story:
        """Enter a text."""
        return self._on(
            EventKind.DATA_ENTRY, element(name, **{"role": "textbox"} | how), value=value
        )

    def rich(self, name: str, value: str, **how: Any) -> Story:
        """Write into an editor."""
        target = element(name, **{"role": "textbox", "tag": "div"} | how)
        return self._on(EventKind.RICH_TEXT, target, value=value)

    def check(self, name: str, checked: bool = True, **how: Any) -> Story:
        """Set a checkbox."""
        target = element(name, **{"role": "checkbox"} | how)
        return self._on(EventKind.CHECKBOX, target, checked=checked)

    def choose(self, group: str, label: str, labels: Sequence[str], **how: Any) -> Story:
        """Choose a radio button."""
        target = element(label, **{"role": "radio"} | how)
        return self._on(
            EventKind.RADIO, target, value=label, group=group, options=_options(label, labels)
        )

    def select(self, name: str, label: str, labels: Sequence[str], **how: Any) -> Story:
        """Select an option."""
        target = element(name, **{"role": "combobox", "tag": "select"} | how)
        return self._on(EventKind.SELECT, target, value=label, options=_options(label, labels))

    def write(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        status: int | None = 200,
        operation: str = "",
        answer: Any = None,
    ) -> Story:
        """Let the application send a write; status None leaves it unanswered."""
        kind = EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL
        return self._add(
            kind,
            request=Request(method=method, url=f"{ORIGIN}{path}", body=body, operation=operation),
            response=None if status is None else Response(status=status, body=answer),
        )

    def changes(self, *texts: str) -> Story:
        """Let the page change."""
        effects = tuple(
            Effect(action="added", xpath="/html/body/p", tag="p", text=text) for text in texts
        )
        return self._add(EventKind.DOM_EFFECT, effects=effects)

    def _on(self, kind: EventKind, target: Element, **fields: Any) -> Story:
        return self._add(kind, element=target, snapshot=self._snapshot, **fields)

    def _add(self, kind: EventKind, **fields: Any) -> Story:
        self._events.append(
            Event(kind=kind, idx=len(self._events), t_ms=self._now, url=self._url, **fields)
        )
        self._now += STEP_MS
        return self


def _options(chosen: str, labels: Sequence[str]) -> tuple[Option, ...]:
    return tuple(
        Option(value=label.lower(), label=label, selected=label == chosen) for label in labels
    )
