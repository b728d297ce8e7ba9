"""Write one trajectory as a Playwright test in Python that does it again and checks the writes.

The script needs nothing of odokit: it runs under pytest with pytest-playwright, or by itself. Its
parameters stand at its top. It finds elements by role and name, waits for the requests that a step
caused, and compares what they carry. What changes from run to run (ids, times) is not compared.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

from odokit.dom import parse
from odokit.errors import ExportError
from odokit.events import Event, EventKind, Gesture, Request, Trajectory
from odokit.export.files import write_whole
from odokit.export.locators import find_element, find_place
from odokit.export.parameters import ANY, VOLATILE, Parameters
from odokit.export.prelude import FUNCTIONS, IMPORTS, MAIN
from odokit.record.describe import Page
from odokit.timeline import Step, build_timeline, was_accepted

INDENT = "    "
PAGE_TAGS = frozenset({"body", "html"})
_ID = re.compile(rf"\d+|{VOLATILE.pattern}")


def write_playwright(
    path: Path, trajectory: Trajectory, get_snapshot: Callable[[str], str] | None = None
) -> None:
    """Write a Python script that performs a trajectory again in a browser.

    Args:
        path: The file to write.
        trajectory: A recording.
        get_snapshot: Gives a snapshot's HTML by its hash, to see which names are ambiguous; None
            takes every name for unique.

    Raises:
        ExportError: A step cannot be told, or the file cannot be written.
    """
    write_whole(path, make_script(trajectory, get_snapshot).encode())


def make_script(trajectory: Trajectory, get_snapshot: Callable[[str], str] | None = None) -> str:
    """The script of a trajectory; see `write_playwright`."""
    return _Script(trajectory, get_snapshot).text()


class _Script:
    def __init__(self, trajectory: Trajectory, get_snapshot: Callable[[str], str] | None) -> None:
        self._trajectory = trajectory
        self._get_snapshot = get_snapshot
        self._parameters = Parameters(trajectory.header.values)
        self._steps = build_timeline(trajectory).steps
        self._origin = _origin_of(self._start())
        self._tab = 0

    def text(self) -> str:
        body = list(self._body())
        header = self._trajectory.header
        name = "test_" + (re.sub(r"\W+", "_", self._trajectory.id).strip("_").lower() or "it")
        about = header.task or f"Recording {self._trajectory.id}."
        constants = [f"{k} = {v!r}" for k, v in self._parameters.constants.items()]
        origin = f'ORIGIN = os.environ.get("ODOKIT_ORIGIN", {self._origin!r})'
        lines = [
            f"# {' '.join(about.split())}",
            f"# Made by odokit from recording {self._trajectory.id}. Run it with pytest (and "
            "pytest-playwright), or by itself.",
            IMPORTS,
            origin,
            *constants,
            "",
            FUNCTIONS + f"def {name}(page):",
            f"{INDENT}context = page.context",
            *(INDENT + line for line in body),
        ]
        return "\n".join(lines) + MAIN.format(name=name)

    def _start(self) -> str:
        moves = (e.to_url for e in self._trajectory.events if e.kind is EventKind.LOCATION)
        start = self._trajectory.header.start_url or next(moves, "")
        if not start:
            raise ExportError(
                f"trajectory {self._trajectory.id} does not say where it began, so a script has "
                "no address to go to. Record it again with a start address."
            )
        return start

    def _body(self) -> Iterator[str]:
        yield f"page.goto({self._address(self._start())})"
        caused: dict[int, list[Event]] = defaultdict(list)
        for step in self._steps:
            if step.event.kind.is_write and step.cause is not None and was_accepted(step.event):
                caused[step.cause].append(step.event)
        is_begun = False
        for step in self._steps:
            event = step.event
            if event.kind.is_interaction:
                is_begun = True
                yield from self._interaction(step, caused[step.idx])
            elif event.kind is EventKind.LOCATION and is_begun and step.cause is None:
                yield from self._switch(event)
                yield f"page.goto({self._address(event.to_url)})"

    def _switch(self, event: Event) -> Iterator[str]:
        if event.tab != self._tab:
            self._tab = event.tab
            yield f"page = tab(context, {event.tab})"

    def _interaction(self, step: Step, writes: list[Event]) -> Iterator[str]:
        event = step.event
        yield from self._switch(event)
        if event.dialogs:
            replies = (d.accepted and (d.text or True) for d in event.dialogs)
            yield f"answer_dialogs(page, {', '.join(map(repr, replies))})"
        action = self._action(event)
        told = {(w.method, _path_pattern(w.url), w.operation): w for w in _requests(writes)}
        if not told:
            yield action
            return
        yield "with writes("
        yield f"{INDENT}context,"
        for (method, path, operation), request in told.items():
            is_parsed = "multipart" not in request.content_type and not isinstance(
                request.body, str
            )
            body = self._parameters.expected(request.body) if is_parsed else ANY
            yield f"{INDENT}({method!r}, {path!r}, {operation!r}, {body}),"
        yield "):"
        yield INDENT + action

    def _action(self, event: Event) -> str:
        assert event.element is not None
        value = self._value(event)
        found = find_element(event.element, self._page(event), self._parameters)
        if event.kind is EventKind.CLICK:
            return self._click(event, found)
        if event.kind is EventKind.DATA_ENTRY:
            if event.files:
                return f"{found}.set_input_files({self._files(event)})"
            filled = f"{found}.fill({value})"
            is_sent = (event.value or "").endswith("\n") and event.element.tag == "input"
            return f"{filled}; {found}.press('Enter')" if is_sent else filled
        if event.kind is EventKind.RICH_TEXT:
            inner = ".content_frame.locator('body')" if event.element.tag == "iframe" else ""
            return f"write({found}{inner}, {value})"
        if event.kind is EventKind.SELECT:
            labels = [o.label for o in event.options if o.selected]
            chosen = value if len(labels) <= 1 else repr(labels)
            return f"{found}.select_option(label={chosen})"
        state = event.kind is EventKind.RADIO or event.checked
        is_beside = event.raw_target and event.raw_target != event.element.xpath
        beside = f", {find_place(event.element, event.raw_target)}" if is_beside else ""
        return f"toggle({found}, {state}{beside})"

    def _click(self, event: Event, found: str) -> str:
        if event.gesture is Gesture.DRAG and event.drop is not None:
            to = find_element(event.drop, self._page(event), self._parameters)
            across, down = event.drop_at or (0.5, 0.5)
            return f"drag(page, {found}, {to}, {across}, {down})"
        if event.gesture is Gesture.KEY and event.element and event.element.tag in PAGE_TAGS:
            return f"page.keyboard.press({event.value!r})"  # wherever the focus is
        ways = {
            Gesture.DOUBLE: "dblclick()",
            Gesture.CONTEXT: "click(button='right')",
            Gesture.HOVER: "hover()",
            Gesture.KEY: f"press({event.value!r})",
        }
        return f"{found}.{ways.get(event.gesture, 'click()')}"

    def _value(self, event: Event) -> str:
        """An expression for what was entered or chosen; a text typed freely becomes a parameter."""
        assert event.element is not None
        text = event.value or ""
        if event.kind is EventKind.DATA_ENTRY and event.element.tag == "input":
            text = text.removesuffix("\n")
        said = self._parameters.text(text)
        is_free = event.kind in (EventKind.DATA_ENTRY, EventKind.RICH_TEXT) and said == repr(text)
        return self._parameters.name(text, event.element.name) if is_free and text else said

    def _files(self, event: Event) -> str:
        """Constants with the names of the files; a recording has no more of them."""
        names = [self._parameters.name(f.name, "file") for f in event.files]
        return f"[{', '.join(names)}]"

    def _page(self, event: Event) -> Page | None:
        if self._get_snapshot is None or event.snapshot is None:
            return None
        return Page(parse(self._get_snapshot(event.snapshot)))

    def _address(self, url: str) -> str:
        rest = url.removeprefix(self._origin)
        return f"ORIGIN + {rest!r}" if rest != url else repr(url)


def _requests(writes: list[Event]) -> Iterator[Request]:
    return (w.request for w in writes if w.request is not None)


def _origin_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _path_pattern(url: str) -> str:
    """A regular expression for a path, in which ids may be others."""
    segments = urlsplit(url).path.split("/")
    return "/".join("[^/]+" if _ID.fullmatch(s) else re.escape(s) for s in segments)
