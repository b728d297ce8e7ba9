"""Our recordings told as LogUI would have logged them: nested, or flattened as in Elasticsearch.

Written from the description of the format, not from the importer. What a flight log cannot carry is
lost here: roles, names, landmarks, frames, statuses, the page of an effect that left no trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from odokit.events import Effect, Element, Event, EventKind, Option, Request, Trajectory

ACTIONS = {"added": "add", "removed": "remove", "shown": "show", "hidden": "hide"}
CLICK_NAMES = {"a": "LINK_CLICK", "li": "LIST_ITEM_CLICK", "td": "TD_CLICK", "input": "INPT_CLICK"}
TYPES = {"xhr": "xmlhttprequest", "fetch": "xmlhttprequest", "document": "main_frame"}
ANSWER_MS = 40

Entry = dict[str, Any]


def to_logui(trajectory: Trajectory, get_page: Callable[[str], str] = lambda _: "") -> list[Entry]:
    """The events of a flight in the order in which LogUI's server would have stored them."""
    made = _Converter(trajectory, get_page)
    entries = [entry for event in trajectory.events for entry in made.convert(event)]
    # A request is logged when it is completed.
    return sorted(entries, key=lambda e: str(e["timestamps"]["eventTimestamp"]))


def flatten(entries: Iterable[Entry]) -> list[Entry]:
    """The same as documents of an Elasticsearch index."""
    flat = []
    for number, entry in enumerate(entries):
        document: Entry = {"mongo_id": f"{number:024x}"}
        for key, value in entry.items():
            inner = key in ("eventDetails", "timestamps")
            document |= {f"{key}_{k}": v for k, v in value.items()} if inner else {key: value}
        flat.append(document)
    return flat


def write_log(path: Path, entries: Iterable[Entry]) -> Path:
    """Write a flight's download: one array, items separated by blank lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("[" + ",\n\n".join(map(json.dumps, entries)) + "]\n", encoding="utf-8")
    return path


def write_dump(path: Path, entries: Iterable[Entry]) -> Path:
    """Write an index dump: a hit a line, its document under `_source`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    hits = ({"_index": "flights", "_source": document} for document in flatten(entries))
    path.write_text("".join(json.dumps(hit) + "\n" for hit in hits), encoding="utf-8")
    return path


class _Converter:
    def __init__(self, trajectory: Trajectory, get_page: Callable[[str], str]) -> None:
        self._header = trajectory.header
        self._get_page = get_page
        began = trajectory.header.started_at or "2026-06-16T21:00:00.000+00:00"
        self._began = datetime.fromisoformat(began)

    def convert(self, event: Event) -> list[Entry]:
        if event.kind is EventKind.LOCATION:
            return []
        if event.kind is EventKind.DOM_EFFECT:
            return [self._custom(event, _effect(event, e)) for e in event.effects]
        if event.request is not None:
            return [self._network(event, event.request)]
        assert event.element is not None
        return [self._action(event, event.element)]

    def _envelope(self, kind: str, details: Entry, t_ms: float) -> Entry:
        at = self._began + timedelta(milliseconds=round(t_ms))
        return {
            "eventType": kind,
            "eventDetails": details,
            "sessionID": "5c1e",
            "applicationID": "a9",
            "flightID": self._header.trajectory_id,
            "timestamps": {
                "eventTimestamp": at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
                "sinceSessionStartMillis": round(t_ms),
                "sinceLogUILoadMillis": 0,
            },
            "applicationSpecificData": {"userID": "u1"},
        }

    def _custom(self, event: Event, details: Entry) -> Entry:
        return self._envelope("customEvent", details, event.t_ms)

    def _network(self, event: Event, request: Request) -> Entry:
        sent = self._began.timestamp() * 1000 + event.t_ms
        headers = [{"name": "Content-Type", "value": request.content_type}]
        answer = event.response
        details = {
            "name": "NETWORK_EVENT",
            "timeStamp": sent,
            "requestId": str(event.idx),
            "method": request.method,
            "url": request.url,
            "documentUrl": urldefrag(event.url)[0],
            "type": TYPES.get(request.resource_type, request.resource_type),
            "requestBody": json.dumps(_request_body(request)),
            "requestHeaders": json.dumps(headers if request.content_type else []),
            "responseHeaders": json.dumps(
                None if answer is None else _answer_headers(answer.status, answer.location)
            ),
            "responseBody": json.dumps(answer.body if answer else None),
        }
        entry = self._envelope("customEvent", details, event.t_ms + ANSWER_MS)
        del entry["applicationSpecificData"]
        return entry

    def _action(self, event: Event, element: Element) -> Entry:
        page = self._get_page(event.snapshot) if event.snapshot else ""
        details: Entry = {
            "xpath": element.xpath,
            "element": json.dumps(_node(event, element)),
            "domSnapshot": json.dumps({"outerHTML": page, "outerText": ""}),
        }
        if event.kind is EventKind.RICH_TEXT:
            details |= {
                "name": "INPUT_CHANGE",
                "source": "tinyMCE",
                "editorId": event.editor_id,
                "inputType": "insertText",
                "editorContent": event.value,
            }
            return self._custom(event, details)
        details |= _INTERACTIONS[event.kind](event, element)
        entry = self._envelope("interactionEvent", details, event.t_ms)
        entry["metadata"] = [
            {"name": "fieldValue", "value": event.value},
            {"name": "outerHTML", "value": element.html},
        ]
        return entry


def _click(event: Event, element: Element) -> Entry:
    name = CLICK_NAMES.get(element.tag, "BTN_CLICK")
    return {"type": "click", "name": name, "xpath": event.raw_target or element.xpath}


def _input(event: Event, element: Element) -> Entry:
    kind = "text"
    if event.kind in (EventKind.CHECKBOX, EventKind.RADIO):
        kind = str(event.kind)
    details = {"type": "input", "name": "INPUT_CHANGE", "elementType": kind}
    return details | {"validity_valid": True, "validity_valueMissing": False}


def _checkbox(event: Event, element: Element) -> Entry:
    return _input(event, element) | {"checked": event.checked}


def _radio(event: Event, element: Element) -> Entry:
    related = [
        {
            "xpath": o.xpath,
            "element": {"label": o.label},
            "checked": o.selected,
            "value": o.value,
            "html": "",
        }
        for o in event.options
    ]
    told = {"radioGroup": event.group, "checked": True, "relatedElements": json.dumps(related)}
    return _input(event, element) | told


def _select(event: Event, element: Element) -> Entry:
    options = [{"xpath": o.xpath, "element": _option(o)} for o in event.options]
    return {"type": "change", "name": "SELECT", "options": json.dumps(options)}


_INTERACTIONS: Mapping[EventKind, Callable[[Event, Element], Entry]] = {
    EventKind.CLICK: _click,
    EventKind.DATA_ENTRY: _input,
    EventKind.CHECKBOX: _checkbox,
    EventKind.RADIO: _radio,
    EventKind.SELECT: _select,
}


def _option(option: Option) -> Entry:
    return {
        "label": option.label,
        "selected": option.selected,
        "outerHTML": f'<option value="{option.value}">{option.label}</option>',
    }


def _node(event: Event, element: Element) -> Entry:
    return {
        "xpath": element.xpath,
        "URL": None,
        "baseURI": event.url,
        "attributes": {"0": {}},
        "id": element.attributes.get("id", ""),
        "localName": element.tag,
        "tagName": element.tag.upper(),
        "outerHTML": element.html,
        # The log has the innermost element hit, which is not the one we have the text of.
        "outerText": "" if event.raw_target else element.text,
        "type": element.attributes.get("type"),
        "name": element.attributes.get("name"),
    }


def _effect(event: Event, effect: Effect) -> Entry:
    node = {
        "xpath": effect.xpath,
        "outerHTML": f"<{effect.tag}></{effect.tag}>",
        "textContent": effect.text,
        "localName": effect.tag,
        "baseURI": event.url,
    }
    return {"name": "DOM_EFFECT", "action": ACTIONS[effect.action], "nodes": json.dumps([node])}


def _request_body(request: Request) -> Any:
    is_form = "form" in request.content_type and isinstance(request.body, dict)
    if not is_form:
        return request.body
    fields = {k: v if isinstance(v, list) else [v] for k, v in request.body.items()}
    return {"formData": fields}


def _answer_headers(status: int, location: str) -> list[Entry]:
    told = [{"name": "status", "value": f"{status} whatever"}]
    return told + ([{"name": "Location", "value": location}] if location else [])
