"""The fixture site: small pages on loopback, one widget or trick each, and a memory of every write.

    with SiteServer() as site:
        await page.goto(site.url("form.html", drift="ids,wrap"))
        ...
        assert site.writes[-1].body == {"full_name": "Ada Byron"}

`drift` in a page's query is kept as a cookie, so it holds for all that follows in the same browser
context. Most switches change the page (`tests/site/site.js`); these change the server:

- `latency`: every answer of the interface comes `LATENCY_S` late;
- `fail`: every write is answered by 503;
- `expired`: nobody is signed in any more, so every write is answered by 401.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

PAGES = Path(__file__).parent / "site"
LATENCY_S = 0.3
REFUSALS = {401: "sign in first", 503: "down for maintenance"}
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
PEOPLE = ["Ada Byron", "Grace Hopper", "Alan Turing", "Anna", "Anna Maria Ortiz", "Zoë O'Neil"]
LESSONS = ["Fractions", "Decimals", "Fractions of time"]
TABLES = {"people": PEOPLE, "lessons": LESSONS}
# These addresses have no file of their own: a page's script shows what belongs there.
ROUTED = {"push": "push.html", "turbo": "turbo.html"}


@dataclass(frozen=True)
class Received:
    """A request that is not a GET, as the server got it."""

    method: str
    path: str
    body: Any
    status: int


class SiteServer:
    """A loopback server in a thread.

    Attributes:
        origin: Its address.
        other_origin: The same server under another name, which is another origin to a browser.
        writes: Every request that is not a GET, in order of arrival.
        refuse_graphql: Whether every GraphQL request is answered by an error, with status 200.
    """

    def __init__(self) -> None:
        self.writes: list[Received] = []
        self.refuse_graphql = False
        handler = type("Handler", (_Handler,), {"site": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.other_origin = self.origin.replace("127.0.0.1", "localhost")

    def __enter__(self) -> SiteServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, page: str, drift: str = "") -> str:
        """Address of a page, with drift switches joined by commas."""
        path, mark, fragment = page.partition("#")
        query = f"?drift={drift}" if drift else ""
        return f"{self.origin}/{path}{query}{mark}{fragment}"

    def reset(self) -> None:
        """Forget what was received."""
        self.writes.clear()

    def bodies(self, method: str, path: str) -> list[Any]:
        """Bodies of the accepted writes of a method to a path."""
        return [
            w.body for w in self.writes if (w.method, w.path) == (method, path) and w.status < 400
        ]


class _Handler(BaseHTTPRequestHandler):
    site: SiteServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        name = parts.path.lstrip("/")
        drift = parse_qs(parts.query).get("drift")
        if name.startswith("api/"):
            self._wait(parts.query)
            rows = TABLES.get(name.removeprefix("api/"), [])
            self._json([{"id": i, "name": text} for i, text in enumerate(rows, start=1)])
            return
        file = PAGES / ROUTED.get(name.split("/")[0], name)
        if not file.is_file():
            self._send(404, b"", "text/plain")
            return
        headers = {"Set-Cookie": f"drift={drift[0].replace(',', '.')}; Path=/"} if drift else {}
        self._send(200, file.read_bytes(), TYPES[file.suffix], headers)

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        body = self._parsed(raw)
        self._wait(parts.query)
        status = 503 if "fail" in self._drift() else 201 if self.command == "POST" else 200
        status = 401 if "expired" in self._drift() else status
        if status in REFUSALS:
            answer: Any = {"error": REFUSALS[status]}
        else:
            answer = {"ok": True, "id": 41}
        if parts.path == "/api/graphql" and status not in REFUSALS:
            answer = _graphql(body, self.site.refuse_graphql)
        if parts.path == "/api/graphql" and status == 201:
            status = 200
        if parts.path == "/redirect" and status == 201:
            status = 302
        self.site.writes.append(Received(self.command, parts.path, body, status))
        if status == 302:
            self._send(302, b"", "text/plain", {"Location": "/done.html?token=abc123"})
        else:
            self._json(answer, status)

    do_PUT = do_PATCH = do_DELETE = do_POST

    def _drift(self) -> list[str]:
        cookies = dict(parse_qsl((self.headers.get("Cookie") or "").replace("; ", "&")))
        return cookies.get("drift", "").split(".")

    def _wait(self, query: str) -> None:
        ms = float(parse_qs(query).get("ms", ["0"])[0])
        time.sleep(ms / 1000 + (LATENCY_S if "latency" in self._drift() else 0))

    def _parsed(self, raw: bytes) -> Any:
        kind = self.headers.get("Content-Type") or ""
        if not raw:
            return None
        if "json" in kind:
            return json.loads(raw)
        if "urlencoded" in kind:
            return dict(parse_qsl(raw.decode(), keep_blank_values=True))
        return raw.decode(errors="replace")

    def _json(self, value: Any, status: int = 200) -> None:
        self._send(status, json.dumps(value).encode(), "application/json")

    def _send(
        self, status: int, body: bytes, kind: str, headers: dict[str, str] | None = None
    ) -> None:
        self.send_response(status)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)


def _graphql(body: Any, refuse: bool) -> Any:
    if isinstance(body, list):
        return [_graphql(item, refuse) for item in body]
    query = body.get("query", "") if isinstance(body, dict) else ""
    if refuse or "Forbidden" in query:
        return {"data": None, "errors": [{"message": "you may not do that"}]}
    return {"data": {"ok": True}}
