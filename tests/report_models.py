"""Two small demonstrations with a common beginning, a way back, and hostile names."""

from __future__ import annotations

from typing import Any

from odokit.events import Effect, Element, Event, EventKind, Header, Request, Response, Trajectory

HOST = "http://127.0.0.1:8080"
CLASSES, CLASS = f"{HOST}/en/facility/#/classes", f"{HOST}/en/facility/#/classes/17"
EVIL_NAME = '<a href="https://evil.example">Enrol</a>'


def make_trajectories() -> list[Trajectory]:
    """The demonstrations `create_class_1` and `enrol_1`."""
    return [_create_class(), _enrol()]


def _create_class() -> Trajectory:
    return _trajectory(
        "create_class_1",
        'create a class called "Biology"',
        {"title": "Biology"},
        [
            _location(CLASSES),
            _click("New class"),
            _effect(),
            {
                "kind": EventKind.DATA_ENTRY,
                "element": _element("textbox", "Class name", "input"),
                "value": "Biology",
            },
            _click("Save"),
            _write("POST", "/api/auth/classroom", {"name": "Biology"}),
            _location(CLASSES),
        ],
    )


def _enrol() -> Trajectory:
    return _trajectory(
        "enrol_1",
        'enrol in "Biology"',
        {"class_name": "Biology"},
        [
            _location(CLASSES),
            _click("Biology", role="link", tag="a"),
            _location(CLASS),
            _click(EVIL_NAME),
            _effect(),
            {
                "kind": EventKind.CHECKBOX,
                "element": _element("checkbox", "Ada", "input"),
                "checked": True,
            },
            _click("Confirm"),
            _write("POST", "/api/auth/membership", {"user": 1}),
            _location(CLASS),
        ],
    )


def _trajectory(
    name: str, task: str, values: dict[str, str], rows: list[dict[str, Any]]
) -> Trajectory:
    header = Header(trajectory_id=name, task=task, values=values, app="kolibri", start_url=CLASSES)
    events = tuple(
        Event.model_validate({"idx": i, "t_ms": 500.0 * i, "url": CLASSES} | row)
        for i, row in enumerate(rows)
    )
    return Trajectory(header, events)


def _element(role: str, name: str, tag: str) -> Element:
    html = f'<{tag} onclick="steal()">{name}</{tag}>'
    return Element(tag=tag, xpath=f"/html/body/main/{tag}", role=role, name=name, html=html)


def _click(name: str, role: str = "button", tag: str = "button") -> dict[str, Any]:
    return {"kind": EventKind.CLICK, "element": _element(role, name, tag)}


def _location(url: str) -> dict[str, Any]:
    return {"kind": EventKind.LOCATION, "to_url": url}


def _effect() -> dict[str, Any]:
    effect = Effect(action="added", xpath="/html/body/div", tag="div", text="a dialog")
    return {"kind": EventKind.DOM_EFFECT, "effects": (effect,)}


def _write(method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    request = Request(method=method, url=HOST + path, body=body)
    response = Response(status=201)
    return {"kind": EventKind.REST_CALL, "request": request, "response": response}
