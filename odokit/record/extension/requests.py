"""Join what a page told of its requests with what the browser saw of them.

The script in the page knows what was in a request and in its answer; the browser knows that it was
really sent, how it ended, and of the requests that no script in a page sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from odokit.events import Response

MAX_APART_MS = 5_000.0
"""Between a request as the page told of it and as the browser saw it, on a busy machine."""
KINDS = frozenset({"request", "response", "form", "sent", "redirected", "completed"})
"""The kinds of message about requests."""


@dataclass
class Sent:
    """A request of a page, as far as it is known.

    Attributes:
        line: Line of the export at which it was known to be sent.
        at: When it was sent, in milliseconds since 1970.
        tab: Number of its page.
        page_url: Address of that page.
        method: HTTP method.
        url: Where it was sent.
        resource_type: fetch, xhr, ping or document.
        content_type: Media type of the body.
        body: Its parsed body.
        initiator: Place in a script, or empty.
        response: The answer; None when none was seen.
        is_told: Whether a page told of it; otherwise its body is not known.
    """

    line: int
    at: float
    tab: int
    page_url: str
    method: str
    url: str
    resource_type: str
    content_type: str = ""
    body: Any = None
    initiator: str = ""
    response: Response | None = None
    is_told: bool = True


class RequestLog:
    """The requests of one export."""

    def __init__(self) -> None:
        self._scripted: dict[tuple[str, int], Sent] = {}
        self._forms: list[Sent] = []
        self._seen: list[tuple[int, int, dict[str, Any]]] = []

    def take(self, line: int, tab: int, doc: str, data: dict[str, Any]) -> None:
        """Take a message of one of `KINDS`.

        Args:
            line: Where in the export it is.
            tab: Number of the tab it came from.
            doc: The document it came from; empty for the background.
            data: What it says.

        Raises:
            KeyError: It lacks a part.
            ValueError: A part has no sensible value.
        """
        if data["kind"] == "request":
            self._scripted[doc, data["id"]] = _told(line, tab, data)
        elif data["kind"] == "form":
            self._forms.append(
                _told(line, tab, {**data, "method": "POST", "resource_type": "document"})
            )
        elif data["kind"] == "response":
            asked = self._scripted.get((doc, data["id"]))
            if asked is not None:
                asked.response = _answer(data)
        else:
            self._seen.append((line, tab, data))

    def joined(self) -> dict[int, Sent]:
        """Every request once, by the line at which it was known to be sent."""
        open_scripted, open_forms = list(self._scripted.values()), list(self._forms)
        found = list(open_scripted)
        by_id: dict[str, Sent] = {}
        for line, tab, data in self._seen:
            if data["kind"] == "sent":
                seen = _seen(line, tab, data)
                is_document = seen.resource_type == "document"
                match = _nearest(seen, open_forms if is_document else open_scripted)
                if match is not None and is_document:
                    match.line = line
                if match is None or is_document:
                    found.append(match or seen)
                by_id[data["request"]] = match or seen
            elif data["request"] in by_id:
                _end(by_id[data["request"]], data)
        return {sent.line: sent for sent in found}


def _told(line: int, tab: int, data: dict[str, Any]) -> Sent:
    return Sent(
        line=line,
        at=float(data["at"]),
        tab=tab,
        page_url=str(data["url"]),
        method=str(data["method"]),
        url=str(data["request_url"]),
        resource_type=str(data["resource_type"]),
        content_type=str(data["content_type"]),
        body=data["body"],
        initiator=str(data.get("initiator", "")),
    )


def _seen(line: int, tab: int, data: dict[str, Any]) -> Sent:
    kinds = {"main_frame": "document", "sub_frame": "document", "beacon": "ping", "ping": "ping"}
    return Sent(
        line=line,
        at=float(data["at"]),
        tab=tab,
        page_url=str(data["url"]),
        method=str(data["method"]),
        url=str(data["request_url"]),
        resource_type=kinds.get(data["type"], "fetch"),
        is_told=False,
    )


def _answer(data: dict[str, Any]) -> Response:
    location = str(data.get("location") or "")
    return Response(status=int(data["status"]), body=data.get("body"), location=location)


def _nearest(seen: Sent, candidates: list[Sent]) -> Sent | None:
    """Find the request a page told of that the browser saw, and take it from the candidates."""
    fitting = [
        told
        for told in candidates
        if (told.tab, told.method, _place(told)) == (seen.tab, seen.method, _place(seen))
        and abs(told.at - seen.at) <= MAX_APART_MS
    ]
    if not fitting:
        return None
    best = min(fitting, key=lambda told: abs(told.at - seen.at))
    candidates.remove(best)
    return best


def _place(sent: Sent) -> tuple[str, str]:
    """Where a request went, without the query: page and browser may redact that differently."""
    parts = urlsplit(sent.url)
    return parts.netloc, parts.path


def _end(sent: Sent, data: dict[str, Any]) -> None:
    if data["kind"] == "redirected":
        # The page knows only where it ended in the end.
        sent.response = _answer(data)
    elif sent.response is None or (sent.response.status == 0 and data["status"]):
        sent.response = _answer(data)  # nobody looked, or the page was not allowed to look
