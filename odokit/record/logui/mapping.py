"""Turn LogUI events into ours: one draft an event, still without position and page address."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from odokit.dom import parse
from odokit.events import Effect, Element, EventKind, Option, Request, Response, is_address
from odokit.record.describe import (
    Page,
    Place,
    describe,
    find_interactive,
    fold,
    is_text_field,
    name_of,
)
from odokit.record.logui.format import (
    Action,
    Details,
    DomEffect,
    Editor,
    Envelope,
    Network,
    Node,
    Radio,
    Select,
)
from odokit.record.logui.kinds import EFFECTS, Checkbox, Click, Entered, is_secret
from odokit.record.network import READ_METHODS, classify_request
from odokit.record.redact import Redactor, placeholder
from odokit.record.snapshots import SnapshotFolder, page_key

NO_CLICK_TYPES = frozenset({"checkbox", "radio", "file"})
RESOURCE_TYPES = {"xmlhttprequest": "xhr", "main_frame": "document", "sub_frame": "document"}
EFFECT_CHARS = 120

# What carries secrets and is of no use to anyone: the rest of a page is stored as it was.
_HEAD_TAGS = re.compile(r"<(?:meta|link)\b[^>]*>", re.IGNORECASE)
_INPUT = re.compile(r"<input\b[^>]*>", re.IGNORECASE)
_SECRET_INPUT = re.compile(
    r"""(?:type=["']?password|(?:name|id|autocomplete)=["'][^"']*"""
    r"""(?:passw|passcode|\bpin\b|secret|token|csrf|nonce|cvc|cvv|card.?number))""",
    re.IGNORECASE,
)
_VALUE = re.compile(r"""(\svalue=)("[^"]*"|'[^']*')""", re.IGNORECASE)


@dataclass(frozen=True)
class Draft:
    """An event that does not know yet where it stands in its trajectory.

    Attributes:
        at_ms: When, in milliseconds since 1970.
        base: Address of the page it tells of itself; empty when it tells none.
        sender: Address of the document that sent a request; empty for all else.
        fields: Fields of the event.
        is_assumed: Whether a status had to be assumed.
    """

    at_ms: float
    base: str
    fields: Mapping[str, Any]
    sender: str = ""
    is_assumed: bool = False


@dataclass
class Mapper:
    """Maps the events of a log, and keeps the pages they carry.

    Attributes:
        snapshots: Receives the pages.
        redactor: Knows the secrets that were typed somewhere in the log.
    """

    snapshots: SnapshotFolder
    redactor: Redactor
    _last: tuple[str, str, Page] | None = None

    def draft(self, details: Details, envelope: Envelope, at_ms: float) -> Draft | None:
        """Map an event; None when ours says the same by another event, or does not record it."""
        if isinstance(details, Network):
            return _network(details, self.redactor, at_ms)
        if isinstance(details, DomEffect):
            return _effects(details, self.redactor, at_ms)
        assert isinstance(details, Action)
        draft = self._interaction(details, envelope, at_ms)
        return draft and replace(draft, fields=self._clean(draft.fields))

    def _clean(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        return {
            key: self.redactor.text(value) if isinstance(value, str) else value
            for key, value in fields.items()
        }

    def _interaction(self, action: Action, envelope: Envelope, at_ms: float) -> Draft | None:
        key, page = self._page(action)
        place = _find(page, action)
        fields: dict[str, Any] = {"snapshot": key}
        if isinstance(action, Click):
            target = find_interactive(place) if place is not None else None
            if target is not None and _is_told_otherwise(target):
                return None
            fields["kind"] = EventKind.CLICK
            if target is not None and place is not None and target.index != place.index:
                fields["raw_target"] = action.xpath
            place = target
        elif isinstance(action, Entered):
            fields |= _entry(action, envelope, place)
        else:
            fields |= _choice(action, page)
        fields["element"] = _cleaned(
            _element(action, place, is_moved="raw_target" in fields), self.redactor
        )
        base = action.element.base_uri if action.element else ""
        return Draft(at_ms, self.redactor.url(base), fields)

    def _page(self, action: Action) -> tuple[str | None, Page | None]:
        raw = action.dom_snapshot.outer_html if action.dom_snapshot else ""
        if not raw:
            return None, None
        if self._last is None or self._last[0] != raw:
            html = self.redactor.text(_without_secrets(raw))
            base = action.element.base_uri if action.element else ""
            self._last = (raw, self.snapshots.put(html, page=page_key(base)), Page(parse(html)))
        return self._last[1:]


def read_value(envelope: Envelope) -> str | None:
    """What a field held after a keystroke, None when the event does not say."""
    found = {pair.name: pair.value for pair in envelope.metadata or ()}.get("fieldValue")
    return None if found is None else str(found)


def _find(page: Page | None, action: Action) -> Place | None:
    found = page.find(action.xpath) if page is not None else None
    return found or _alone(action.element)


def _alone(node: Node | None) -> Place | None:
    """An element whose page is not known."""
    if node is None or not node.outer_html:
        return None
    body = Page(parse(f"<html><body>{node.outer_html}</body></html>")).find("/html/body")
    inner = body.document.children[body.index] if body is not None else []
    return Place(body.page, inner[0]) if body is not None and inner else None


def _element(action: Action, place: Place | None, *, is_moved: bool) -> Element:
    if place is None:
        last_step = re.sub(r"\[\d+\]$", "", action.xpath.rsplit("/", 1)[-1])
        return Element(tag=last_step or "html", xpath=action.xpath)
    if is_moved:
        return describe(place)
    # The recorded xpath is kept: an element parsed without its page does not know where it stands.
    found = describe(place, action.element.outer_text if action.element else "")
    return found.model_copy(update={"xpath": action.xpath})


def _cleaned(element: Element, redactor: Redactor) -> Element:
    return Element.model_validate(redactor.value(element.model_dump(mode="json")))


def _is_told_otherwise(target: Place) -> bool:
    """Whether our recorder tells a click on it by the entry or choice it leads to."""
    if is_text_field(target) or target.tag in ("select", "option"):
        return True
    return target.tag == "input" and target.get("type").lower() in NO_CLICK_TYPES


def _entry(action: Entered, envelope: Envelope, place: Place | None) -> dict[str, Any]:
    value = read_value(envelope) or ""
    if is_secret(action):
        name = name_of(place) if place is not None else ""
        slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "value"
        value = placeholder(slug)
    return {"kind": EventKind.DATA_ENTRY, "value": value}


def _choice(action: Action, page: Page | None) -> dict[str, Any]:
    if isinstance(action, Checkbox):
        return {"kind": EventKind.CHECKBOX, "checked": action.checked}
    if isinstance(action, Radio):
        return {"kind": EventKind.RADIO} | _radio(action, page)
    if isinstance(action, Select):
        return {"kind": EventKind.SELECT} | _select(action)
    assert isinstance(action, Editor)
    text = action.editor_content or str(action.value or "")
    editor = {"value": fold(text, 100_000), "editor_id": action.editor_id}
    return {"kind": EventKind.RICH_TEXT} | editor


def _radio(action: Radio, page: Page | None) -> dict[str, Any]:
    options = []
    for member in action.related_elements:
        place = page.find(member.xpath) if page is not None else None
        is_same = place is not None and place.get("value") == member.value
        label = name_of(place) if place is not None and is_same else ""
        label = label or (member.element.label if member.element else "") or member.value
        options.append(
            Option(value=member.value, label=label, selected=member.checked, xpath=member.xpath)
        )
    chosen = next((o.label for o in options if o.selected), "")
    return {"group": action.radio_group, "options": tuple(options), "value": chosen}


def _select(action: Select) -> dict[str, Any]:
    options = tuple(
        Option(
            value=_option_value(choice.element),
            label=fold(choice.element.label or choice.element.outer_text),
            selected=bool(choice.element.selected),
            xpath=choice.xpath,
        )
        for choice in action.options
    )
    return {"options": options, "value": ", ".join(o.label for o in options if o.selected)}


def _option_value(node: Node) -> str:
    place = _alone(node.model_copy(update={"outer_html": f"<select>{node.outer_html}</select>"}))
    inner = place.inside("option") if place is not None else []
    if inner and "value" in inner[0].attributes:
        return inner[0].get("value")
    return fold(node.label or node.outer_text)


def _effects(details: DomEffect, redactor: Redactor, at_ms: float) -> Draft | None:
    effects = tuple(
        Effect(
            action=EFFECTS[details.action],
            xpath=node.xpath,
            tag=node.local_name or node.xpath.rsplit("/", 1)[-1].split("[")[0],
            text=redactor.text(fold(node.text_content or node.outer_text, EFFECT_CHARS)),
        )
        for node in details.nodes
        if node.xpath.startswith("/html")
    )
    if not effects:  # it was never part of the document
        return None
    base = next((node.base_uri for node in details.nodes if node.base_uri), "")
    fields = {"kind": EventKind.DOM_EFFECT, "effects": effects}
    return Draft(at_ms, redactor.url(base), fields)


def _network(details: Network, redactor: Redactor, at_ms: float) -> Draft | None:
    if details.method.upper() in READ_METHODS:
        return None
    sent = Request(
        method=details.method.upper(),
        url=details.url,
        content_type=_content_type(details),
        body=_body(details.request_body),
        resource_type=RESOURCE_TYPES.get(details.type, details.type),
    )
    classified = classify_request(sent, redactor)
    if classified is None:  # it only queries
        return None
    kind, request = classified
    response, is_assumed = _response(details, redactor)
    fields = {"kind": kind, "request": request, "response": response}
    sender = redactor.url(details.document_url)
    return Draft(at_ms, "", fields, sender=sender, is_assumed=is_assumed)


def _body(body: Any) -> Any:
    form = body.get("formData") if isinstance(body, dict) else None
    if not isinstance(form, dict) or len(body) != 1:
        return body
    return {k: v[0] if isinstance(v, list) and len(v) == 1 else v for k, v in form.items()}


def _headers(raw: Any) -> dict[str, str]:
    if isinstance(raw, list):
        pairs = [(h.get("name"), h.get("value")) for h in raw if isinstance(h, dict)]
    else:
        pairs = list(raw.items()) if isinstance(raw, dict) else []
    return {str(k).lower(): str(v) for k, v in pairs if v is not None}


def _content_type(details: Network) -> str:
    told = _headers(details.request_headers).get("content-type", "").split(";")[0].strip()
    body = details.request_body
    if told or body is None:
        return told
    if isinstance(body, dict) and "formData" in body:
        return "application/x-www-form-urlencoded"
    return "application/json" if isinstance(body, dict | list) else ""


def _response(details: Network, redactor: Redactor) -> tuple[Response | None, bool]:
    """The answer, and whether its status is only assumed: LogUI stores none."""
    headers = _headers(details.response_headers)
    if not headers and details.response_body is None and details.status_code is None:
        return None, False
    target = headers.get("location", "")
    location = redactor.url(target) if is_address(target) else ""
    told = headers.get("status", "")[:3]
    status = details.status_code or (int(told) if re.fullmatch(r"[1-5]\d\d", told) else None)
    answer = Response(
        status=status or (302 if location else 200),
        body=redactor.value(details.response_body),
        location=location,
    )
    return answer, status is None


def _without_secrets(html: str) -> str:
    def blank(match: re.Match[str]) -> str:
        tag = match[0]
        return _VALUE.sub(r'\1""', tag) if _SECRET_INPUT.search(tag) else tag

    return _INPUT.sub(blank, _HEAD_TAGS.sub("", html))
