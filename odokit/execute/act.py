"""Perform one interaction with trusted input, and read back that it took.

Source: paper, Table III; defects 21, 22 and 26 of the reference (untrusted events, no read-back).
"""

from __future__ import annotations

from collections.abc import Collection

from playwright.async_api import ElementHandle
from playwright.async_api import Error as PlaywrightError
from playwright.async_api import TimeoutError as PlaywrightTimeout

from odokit.errors import ExecuteError, GuardError, LocatorNotFound, SecretNotFound
from odokit.record import PLACEHOLDER
from odokit.secrets import Secrets, how_to_give

ACT_TIMEOUT_MS = 8_000.0
CLOSED = "Target page, context or browser has been closed"
"""What Playwright says of an action in a window that is gone."""
ENTER = "\n"
"""At the end of a single-line entry: the Enter key."""
CLICK_TIMEOUT_MS = 4_000.0
TOGGLE_TIMEOUT_MS = 1_500.0


class StaleElement(ExecuteError):
    """The page was redrawn between finding an element and acting on it; it can be found again."""


def reveal(
    text: str, secrets: Secrets, allowed: Collection[str] = ()
) -> tuple[str, dict[str, str]]:
    """Replace secret placeholders by their values.

    Args:
        text: What is to be entered.
        secrets: Where values come from.
        allowed: Names of those that the demonstration or the task has here. Any other came from a
            page or a model, and would be given away.

    Returns:
        The text, and the value of each secret in it by name.

    Raises:
        GuardError: The text asks for a secret that does not belong here.
        SecretNotFound: A secret is not known; the message says how to give it.
    """
    values: dict[str, str] = {}
    for name in dict.fromkeys(PLACEHOLDER.findall(text)):
        if name not in allowed:
            raise GuardError(
                f"the value asks for the secret “{name}”, which was not entered here in the "
                "demonstration. Name it in the task if it is meant."
            )
        found = secrets.get(name)
        if found is None:
            raise SecretNotFound(
                f"the step types the secret “{name}”, which is not known here. {how_to_give(name)}"
            )
        values[name] = found
    return PLACEHOLDER.sub(lambda match: values[match[1]], text), values


async def click(handle: ElementHandle) -> None:
    """Scroll to an element, wait until it can be hit, and click it.

    Raises:
        StaleElement: It left the page, does not come to rest, or something lies over it: look
            again, for a page may redraw, or put controls of its own over those it was served with.
        ExecuteError: It cannot be clicked.
    """
    try:
        try:
            await handle.click(timeout=CLICK_TIMEOUT_MS)
        except PlaywrightTimeout as error:
            if not _is_covered(error) or not await _uncover(handle):
                raise
            await handle.click(timeout=TOGGLE_TIMEOUT_MS)
    except PlaywrightError as error:
        if CLOSED in str(error):  # it closes the window it is in
            return
        if isinstance(error, PlaywrightTimeout):
            why = "something covers it" if _is_covered(error) else "it is not at rest or disabled"
            raise StaleElement(f"the click did not go through: {why}.") from error
        raise failed("the click did not go through", error) from error


def _is_covered(error: PlaywrightError) -> bool:
    return "intercepts pointer events" in str(error)


async def _uncover(handle: ElementHandle) -> bool:
    """Reach a covered element as a person does: point at its place, else give it the focus.

    Some controls come to the front only while their row is pointed at, or when the Tab key has
    reached them.

    Returns:
        Whether it can be hit now.
    """
    frame, box = await handle.owner_frame(), await handle.bounding_box()
    if frame is None or box is None:
        return False
    await frame.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if not await handle.evaluate(_HITTABLE):
        await handle.focus()
    return bool(await handle.evaluate(_HITTABLE))


async def enter_text(handle: ElementHandle, text: str) -> None:
    """Replace a field's text and read it back; typed key by key if setting it at once fails.

    A line feed at the end of the text of a single-line field presses Enter after that.

    Raises:
        ExecuteError: The field does not hold the text afterwards.
    """
    try:
        submits = text.endswith(ENTER) and await handle.evaluate("el => el.localName === 'input'")
        wanted = text.removesuffix(ENTER) if submits else text
        # Filled again, a field would close the list that Enter is to pick from.
        if not submits or await handle.input_value() != wanted:
            await handle.fill(wanted, timeout=ACT_TIMEOUT_MS)
        if not _same_text(await handle.input_value(), text):
            await handle.fill("", timeout=ACT_TIMEOUT_MS)
            await handle.type(text.rstrip(ENTER), timeout=ACT_TIMEOUT_MS)
        held = await handle.input_value()
        if not _same_text(held, text):
            raise ExecuteError(f"the field holds {len(held)} characters, {len(text)} were entered.")
        if submits:
            await handle.press("Enter", timeout=ACT_TIMEOUT_MS)
    except PlaywrightError as error:
        raise failed("the text could not be entered", error) from error


async def enter_rich_text(handle: ElementHandle, text: str) -> None:
    """Replace the content of a rich-text editor: editable element, editor in a frame, or drawn one.

    A drawn editor takes its keys elsewhere than it shows them; it is clicked and typed into.

    Raises:
        ExecuteError: The editor does not hold the text afterwards.
    """
    try:
        frame = await handle.content_frame()
        body = await frame.wait_for_selector("body") if frame is not None else handle
        assert body is not None
        if await body.evaluate("el => el.isContentEditable"):
            await body.fill(text, timeout=ACT_TIMEOUT_MS)
        if not _same_text(await body.evaluate(_SHOWN, text), text):
            await _type_over(body, text)
        held = str(await body.evaluate(_SHOWN, text))
    except PlaywrightError as error:
        raise failed("the editor did not take the text", error) from error
    if not _same_text(held, text):
        raise ExecuteError(f"the editor holds {len(held)} characters, {len(text)} were entered.")


async def _type_over(editor: ElementHandle, text: str) -> None:
    """Replace what an editor shows as a person does: click, mark all, type."""
    frame = await editor.owner_frame()
    if frame is None:
        raise StaleElement("the editor left the page.")
    keyboard = frame.page.keyboard
    await editor.click(timeout=CLICK_TIMEOUT_MS)
    await keyboard.press("ControlOrMeta+A")
    await keyboard.press("Delete")
    for number, line in enumerate(text.split(ENTER)):
        if number:
            await keyboard.press("Enter")
        await keyboard.type(line)


# What an editor holds, once it holds the text or has had a moment to take it.
_SHOWN = """(el, text) => new Promise(resolve => {
  const fold = s => s.replace(/\\s+/g, ' ').trim();
  const until = performance.now() + 500;
  const look = () => {
    const shown = window.__odokit.editor(el).text;
    if (fold(shown) === fold(text) || performance.now() > until) resolve(shown);
    else requestAnimationFrame(look);
  };
  look();
})"""


async def set_toggle(handle: ElementHandle, state: bool) -> bool:
    """Bring a checkbox, radio button or switch into a state.

    Returns:
        Whether anything had to be done.

    Raises:
        ExecuteError: It is not in that state afterwards.
    """
    if await _state(handle) == state:
        return False
    for way in await _ways(handle):
        target = (await handle.evaluate_handle(way)).as_element()
        if target is None:
            continue
        try:
            await target.click(timeout=TOGGLE_TIMEOUT_MS)
            await handle.evaluate(_AWAIT_STATE, [state, TOGGLE_TIMEOUT_MS])
        except PlaywrightError as error:
            if isinstance(failed("", error), StaleElement):
                raise StaleElement("the control left the page.") from error
            continue
        if await _state(handle) == state:
            return True
    raise ExecuteError(f"the control did not turn {'on' if state else 'off'}.")


async def select_option(handle: ElementHandle, label: str) -> None:
    """Choose an option of a native select by its label; of several, labels joined by commas.

    Raises:
        LocatorNotFound: There is no such option; nothing was touched.
        ExecuteError: It could not be chosen.
    """
    try:
        chosen = await handle.evaluate(_OPTIONS, label)
        if isinstance(chosen, str):
            raise LocatorNotFound(f"there is no option “{label}” to select, but {chosen}.")
        await handle.select_option(index=chosen, timeout=ACT_TIMEOUT_MS)
    except PlaywrightError as error:
        raise failed(f"option “{label}” could not be chosen", error) from error


# The positions of the options wanted, else what is on offer.
_OPTIONS = """(el, label) => {
  const fold = s => s.replace(/\\s+/g, ' ').trim();
  const labels = [...el.options].map(o => fold(o.label || o.text));
  const wanted = labels.includes(fold(label)) || !el.multiple ? [fold(label)]
    : label.split(',').map(fold).filter(Boolean);
  const lower = labels.map(l => l.toLowerCase());
  const found = wanted.map(w => {
    const at = lower.indexOf(w.toLowerCase());
    const isSure = at === lower.lastIndexOf(w.toLowerCase());
    return labels.includes(w) ? labels.indexOf(w) : isSure ? at : -1;
  });
  return found.includes(-1) ? labels.slice(0, 12).map(l => `“${l}”`).join(', ') : found;
}"""

_AWAIT_STATE = """(el, [state, ms]) => new Promise(resolve => {
  const until = performance.now() + ms;
  const look = () => window.__odokit.state(el) === state || performance.now() > until
    ? resolve() : requestAnimationFrame(look);
  look();
})"""


_HITTABLE = """el => {
  if (!el.isConnected) throw new Error('the element is not attached');
  el.scrollIntoView({block: 'nearest'});
  const box = el.getBoundingClientRect();
  const hit = el.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return !!hit && el.contains(hit);
}"""


async def _ways(handle: ElementHandle) -> tuple[str, ...]:
    """Where to click to toggle a control, as scripts, likeliest first."""
    own, label, parent = "el => el", "el => el.labels && el.labels[0]", "el => el.parentElement"
    try:
        is_hit = await handle.evaluate(_HITTABLE)
    except PlaywrightError as error:
        raise failed("the control could not be looked at", error) from error
    # The input itself may be transparent or covered by its drawing; then its label takes the click.
    return (own, label, parent) if is_hit else (label, parent, own)


async def _state(handle: ElementHandle) -> bool:
    return bool(await handle.evaluate("el => window.__odokit.state(el)"))


def _same_text(held: str, wanted: str) -> bool:
    return " ".join(held.split()) == " ".join(wanted.split())


async def holds_text(handle: ElementHandle, text: str) -> bool:
    """Whether a field is still in the page and still holds what was entered."""
    try:
        if not await handle.evaluate("el => el.isConnected"):
            return False
        return _same_text(await handle.input_value(), text)
    except PlaywrightError:
        return False


def failed(what: str, error: PlaywrightError) -> ExecuteError:
    """Say in a sentence why an action failed; a stale element when it left the page."""
    lines = [line.strip(" -") for line in str(error).splitlines() if line.strip()]
    if any("not attached" in line or "was detached" in line for line in lines):
        return StaleElement(f"{what}: the element left the page.")
    causes = [line for line in lines if "intercepts" in line or "not visible" in line]
    return ExecuteError(f"{what}: {(causes or lines or ['unknown'])[0][:200]}")
