"""What only the host knows of frames: the way into one of another origin, and its health."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from playwright.async_api import Error as PlaywrightError
from playwright.async_api import Frame

from odokit.record.script import self_test_script

UNKNOWN = "?"
"""What a frame calls its place in a page of another origin, which it cannot see."""
_XPATH = "el => window.__odokit.xpath(el)"


async def complete_path(frame: Frame, path: Iterable[str]) -> tuple[str, ...]:
    """Complete a frame path that ends at a page of another origin.

    Args:
        frame: The frame an element is in.
        path: Its frame path as the page told it; unknown steps lead it.

    Returns:
        The whole path, outermost first; still with the unknown when the frame is gone.
    """
    steps = list(path)
    if UNKNOWN not in steps:
        return tuple(steps)
    known = steps[steps.index(UNKNOWN) + 1 :]
    outer = frame
    for _ in known:
        outer = outer.parent_frame or outer
    try:
        while outer.parent_frame is not None:
            host = await outer.frame_element()
            known.insert(0, await host.evaluate(_XPATH))
            outer = outer.parent_frame
    except PlaywrightError:  # it was taken away or is navigating
        known.insert(0, UNKNOWN)
    return tuple(known)


async def complete_message(frame: Frame, message: dict[str, Any]) -> None:
    """Complete the frame paths and the address in a message of a page's script, in place."""
    for part in (message.get("element"), message.get("drop")):
        if part and UNKNOWN in part.get("frame", ()):
            part["frame"] = await complete_path(frame, part["frame"])
            message["url"] = frame.page.url


async def self_test(frame: Frame) -> list[str] | None:
    """Which parts of capture do not work in a frame; None when it went away meanwhile."""
    try:
        failed: list[str] = await frame.evaluate(self_test_script())
    except PlaywrightError:
        return None
    return failed


async def is_blind(frame: Frame, timeout_s: float) -> bool:
    """Whether an inner frame that shows something could not be entered, or runs no scripts."""
    if frame.parent_frame is None or frame.is_detached() or not frame.url.startswith("http"):
        return False
    try:
        async with asyncio.timeout(timeout_s):
            return bool(await self_test(frame))
    except TimeoutError:
        return True
