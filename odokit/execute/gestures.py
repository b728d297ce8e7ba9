"""Use an element in another way than by a click: double, context menu, hover, drag, key, files.

All with trusted input, as a person's hand gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import ElementHandle, FloatRect
from playwright.async_api import Error as PlaywrightError

from odokit.errors import ExecuteError, UndecidedError
from odokit.events import Gesture
from odokit.execute.act import ACT_TIMEOUT_MS, CLICK_TIMEOUT_MS, failed
from odokit.plan import Manner

DRAG_STEPS = 8
"""Moves between the ends of a drag: pages tell a drag from a click by its moves."""
PAGE_TAGS = frozenset({"body", "html"})
FILE_SEPARATOR = ", "


async def use(handle: ElementHandle, manner: Manner, drop: ElementHandle | None) -> None:
    """Use an element as a manner says.

    Args:
        handle: The element.
        manner: The gesture, other than a plain click.
        drop: Where a drag ends.

    Raises:
        ExecuteError: It cannot be used so.
    """
    try:
        if manner.gesture is Gesture.DOUBLE:
            await handle.dblclick(timeout=CLICK_TIMEOUT_MS)
        elif manner.gesture is Gesture.CONTEXT:
            await handle.click(button="right", timeout=CLICK_TIMEOUT_MS)
        elif manner.gesture is Gesture.HOVER:
            await handle.hover(timeout=CLICK_TIMEOUT_MS)
        elif manner.gesture is Gesture.KEY:
            await _press(handle, manner.keys)
        elif drop is not None:
            await _drag(handle, drop, manner.drop_at)
    except PlaywrightError as error:
        raise failed(f"the gesture “{manner.gesture}” did not go through", error) from error


async def _press(handle: ElementHandle, keys: str) -> None:
    frame = await handle.owner_frame()
    if frame is not None and await handle.evaluate("el => el.localName") in PAGE_TAGS:
        await frame.page.keyboard.press(keys)  # wherever the focus is
    else:
        await handle.press(keys, timeout=ACT_TIMEOUT_MS)


async def _drag(handle: ElementHandle, drop: ElementHandle, at: tuple[float, float]) -> None:
    frame = await handle.owner_frame()
    if frame is None:
        raise ExecuteError("the element to drag left the page.")
    mouse = frame.page.mouse
    await handle.hover(timeout=CLICK_TIMEOUT_MS)
    await mouse.down()
    try:
        for share in (0.5, 1.0):  # pages may make room for it once it hovers over its place
            box = await _box(drop)
            x, y = box["x"] + box["width"] * at[0], box["y"] + box["height"] * at[1]
            await mouse.move(x - (1 - share) * 4, y, steps=DRAG_STEPS)
    finally:
        await mouse.up()


async def _box(handle: ElementHandle) -> FloatRect:
    await handle.scroll_into_view_if_needed(timeout=CLICK_TIMEOUT_MS)
    box = await handle.bounding_box()
    if box is None:
        raise ExecuteError("the place to drop at is not visible.")
    return box


def find_files(names: str, folder: Path | None) -> list[Path]:
    """Find the files a task names in the one folder from which files may be given to pages.

    Args:
        names: File names, joined by commas.
        folder: The setting `uploads`.

    Raises:
        UndecidedError: There is no such folder or file; the message says what to set.
    """
    wanted = [name for name in names.split(FILE_SEPARATOR) if name]
    if folder is None:
        raise UndecidedError(
            f"the task uploads {names}, and no folder is named from which files may be uploaded. "
            "Set ODOKIT_UPLOADS to the folder that holds it."
        )
    found = [folder / Path(name).name for name in wanted]
    missing = [path.name for path in found if not path.is_file()]
    if missing:
        raise UndecidedError(
            f"the task uploads {', '.join(missing)}, which is not in {folder}. "
            "Put it there, or set ODOKIT_UPLOADS to the folder that holds it."
        )
    return found


async def choose_files(handle: ElementHandle, files: Sequence[Path]) -> None:
    """Choose files in a file field.

    Raises:
        ExecuteError: The field does not take them.
    """
    try:
        await handle.set_input_files(list(files), timeout=ACT_TIMEOUT_MS)
    except PlaywrightError as error:
        raise failed("the files could not be chosen", error) from error
