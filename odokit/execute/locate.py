"""Find an instruction's element in the live page: the ladder from strict to loose.

The search itself runs in the page (`locate.js`) and waits on DOM mutations; here the recorded
element becomes what to look for, and the answer a handle with its rung and the confidence that was
measured for it (`confidence`). Below `MIN_CONFIDENCE` nothing is touched.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from playwright.async_api import ElementHandle, Frame, JSHandle, Page
from playwright.async_api import Error as PlaywrightError

from odokit.errors import LocatorNotFound
from odokit.events import Element
from odokit.execute.confidence import MIN_CONFIDENCE, is_loose, rung_confidence
from odokit.plan import Target

CHOICES = frozenset({"radio", "option", "menuitemradio"})
"""Roles of elements that are named by the value they stand for."""
ABOUT_AN_ITEM = frozenset({"dialog", "alertdialog", "tabpanel"})
_MARK = r"(?:\d+|[A-Za-z])[.):]? "
"""A letter or number before an option, as in "B 900 km": it tells where the option stands."""


@cache
def locate_script() -> str:
    """The search as a JavaScript function of a spec, for a page that has the recorder's script."""
    return files("odokit.execute").joinpath("locate.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Located:
    """An element found in the live page.

    Attributes:
        handle: The element.
        rung: How it was recognised.
        confidence: From 0 to 1.
        repair: The element as it is now, as JSON, when it was found on a loose rung.
    """

    handle: ElementHandle
    rung: str
    confidence: float
    repair: str | None = None


@dataclass(frozen=True)
class Candidates:
    """What was found instead of one sure element.

    Attributes:
        handles: The candidates.
        texts: What each says.
        reason: `none` or `ambiguous`.
    """

    handles: tuple[ElementHandle, ...]
    texts: tuple[str, ...]
    reason: str


async def locate(page: Page, target: Target, timeout_ms: float) -> Located | Candidates:
    """Wait until a target is in the page, and give its element.

    Args:
        page: The live page.
        target: What to look for.
        timeout_ms: Longest wait in milliseconds.

    Returns:
        The element, or the candidates when the time is over and none is sure.

    Raises:
        LocatorNotFound: The frame it was recorded in is not there.
    """
    deadline = time.monotonic() + timeout_ms / 1000
    while True:
        left = max(0.0, deadline - time.monotonic()) * 1000
        try:
            frame = await _frame(page, target.element.frame, left)
            result = await frame.evaluate_handle(locate_script(), make_spec(target, left))
            return await _read(result)
        except PlaywrightError as error:
            # A navigation destroys the script's world; look again in the new document.
            if time.monotonic() >= deadline or not _is_navigation(error):
                raise LocatorNotFound(
                    f"“{target.element.name or target.element.tag}” could not be looked for on "
                    f"{page.url}: {str(error).splitlines()[0]}"
                ) from error
            await page.wait_for_load_state("domcontentloaded")


def _is_navigation(error: PlaywrightError) -> bool:
    text = str(error)
    return any(
        sign in text for sign in ("context was destroyed", "navigat", "detached", "__odokit")
    )


async def _frame(page: Page, path: Sequence[str], timeout_ms: float) -> Frame:
    frame = page.main_frame
    for xpath in path:
        handle = await frame.wait_for_selector(
            f"xpath={xpath}", state="attached", timeout=max(1.0, timeout_ms)
        )
        inner = await handle.content_frame() if handle else None
        if inner is None:
            raise LocatorNotFound(f"the frame {xpath} is not on {page.url}.")
        frame = inner
    return frame


async def _read(result: JSHandle) -> Located | Candidates:
    properties = await result.get_properties()
    plain: dict[str, Any] = {key: await properties[key].json_value() for key in ("rung", "options")}
    element = properties["element"].as_element()
    confidence = rung_confidence(plain["rung"])
    if element is not None and confidence >= MIN_CONFIDENCE:
        return Located(element, plain["rung"], confidence, await _repair(element, plain["rung"]))
    nodes = await properties["nodes"].get_properties()
    handles = tuple(h for n in nodes.values() if (h := n.as_element()) is not None)
    return Candidates(handles, tuple(plain["options"]), plain["rung"])


async def _repair(element: ElementHandle, rung: str) -> str | None:
    if not is_loose(rung):
        return None
    described = await element.evaluate("el => window.__odokit.describe(el)")
    return Element.model_validate(described).model_dump_json(exclude_defaults=True)


def make_spec(target: Target, timeout_ms: float) -> dict[str, Any]:
    """What the page's script needs to look for a target, as JSON."""
    element = target.element
    free = target.free
    suffix = free.dynamic_xpath.suffix if free is not None and free.dynamic_xpath else ""
    is_marked = _is_marked(target)
    return {
        "role": element.role,
        "tag": element.tag,
        "name": target.wanted if is_marked else target.name,
        "isLabel": _is_label(target),
        "pattern": _pattern(target, is_marked),
        "landmarks": [
            _region(recorded, expected)
            for recorded, expected in zip(element.landmarks, target.landmarks, strict=True)
        ],
        "regions": list(element.landmarks),
        "xpath": element.xpath,
        "attributes": dict(element.attributes),
        "peers": _peers(target),
        "isOther": target.near is None,
        "by": free.by if free is not None else "",
        "wanted": target.wanted or "",
        "depth": suffix.count("/") or 4,
        "timeoutMs": timeout_ms,
    }


def _is_marked(target: Target) -> bool:
    """Whether the name is the wanted value behind a letter or number that tells where it stood."""
    if target.free is None or not target.name or not target.wanted:
        return False
    return re.fullmatch(_MARK + re.escape(target.wanted), target.name, re.IGNORECASE) is not None


def _pattern(target: Target, is_marked: bool) -> str:
    """What the name may be as well, as a regular expression in JavaScript's syntax."""
    if is_marked:
        return _MARK + _escaped(target.wanted or "")
    return loose_pattern(target.name, _kept(target)) if target.name else ""


def _peers(target: Target) -> dict[str, Any] | None:
    """How unique the element was, with the text to expect near it."""
    peers = target.element.peers
    return peers.model_dump() | {"near": target.near or ""} if peers is not None else None


def _is_label(target: Target) -> bool:
    """Whether the name is a label, which a redesign may change, and no value of a task."""
    return target.free is None and target.is_constant and target.element.role not in CHOICES


def _kept(target: Target) -> str:
    """The part of a name that says which element is meant, where another number is another one."""
    return (target.wanted or "") if target.free is not None else ""


def loose_pattern(text: str, kept: str = "") -> str:
    """A regular expression for a text whose numbers may differ, in JavaScript's syntax.

    Args:
        text: The text.
        kept: A part of it whose numbers may not differ.
    """
    text, kept = " ".join(text.split()), " ".join(kept.split())
    before, found, after = text.partition(kept) if kept else (text, "", "")
    return _any_numbers(before) + _escaped(found) + _any_numbers(after)


def _any_numbers(text: str) -> str:
    return r"\d+".join(map(_escaped, re.split(r"\d+", text)))


def _escaped(text: str) -> str:
    return re.sub(r"[.*+?^${}()|[\]\\/]", r"\\\g<0>", text)


def _region(recorded: str, expected: str | None) -> dict[str, Any]:
    """What to look for of a named region: its kind, and whether another name speaks against it."""
    kind, _, name = recorded.partition(":")
    # The name of a dialog or tab panel often holds the item it is about, which may be no value of
    # the task; an unnamed region must stay unnamed.
    told = bool(name) and expected is not None and kind not in ABOUT_AN_ITEM
    return {
        "loose": loose_pattern(kind) + (":.*" if name else ":"),
        "pattern": loose_pattern(expected) if told and expected else "",
    }
