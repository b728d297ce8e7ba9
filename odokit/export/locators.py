"""How a Playwright script finds a recorded element again: by role and name, as a person would.

Where the stored page holds several of the same role and name, a named region around it tells them
apart; where none does, an id, and in the end the recorded xpath.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from odokit.errors import ExportError
from odokit.events import Element
from odokit.export.parameters import Parameters
from odokit.record.describe import Page, Place, landmarks_of, name_of, role_of

ROLES = frozenset(
    "alert alertdialog banner button cell checkbox columnheader combobox complementary contentinfo "
    "dialog form grid gridcell group heading img link list listbox listitem main menu menubar "
    "menuitem menuitemcheckbox menuitemradio navigation option progressbar radio radiogroup region "
    "row search searchbox slider spinbutton status switch tab table tablist tabpanel textbox "
    "toolbar tree treeitem".split()
)
LABELLED_TYPES = frozenset("password date datetime-local month week time file color range".split())
"""Inputs that have no role of their own in ARIA, or another than the recorder gives them."""
NAMELESS = frozenset("list listitem table".split())
"""Roles that ARIA gives no name from their content; there the text itself is looked for."""
TOGGLES = frozenset({"checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"})


def find_element(element: Element, page: Page | None, parameters: Parameters) -> str:
    """A Python expression that locates an element.

    Args:
        element: The recorded element.
        page: The page it was on, when it was stored.
        parameters: Values that names may hold.

    Raises:
        ExportError: It lies in a frame whose place is not known.
    """
    root = "page" + "".join(f".frame_locator({_xpath(x)!r})" for x in _frames(element))
    is_plain = not element.frame and not element.shadow
    seen = _alike(page, element) if page is not None and is_plain else []
    named = _by_name(element, parameters)
    if named and len(seen) <= 1:
        return f"{root}.{named}"
    test_id = element.attributes.get("data-testid", "")
    if test_id:
        return f"{root}.get_by_test_id({test_id!r})"
    for landmark in reversed(element.landmarks):
        kind, _, name = landmark.partition(":")
        around = [place for place in seen if landmark in landmarks_of(place)]
        if named and name and kind in ROLES and len(around) == 1:
            region = f"get_by_role({kind!r}, name={parameters.text(name)}, exact=True)"
            return f"{root}.{region}.{named}"
    own = element.attributes.get("id", "")
    if re.fullmatch(r"[A-Za-z][A-Za-z_-]*", own):
        return f"{root}.locator({'#' + own!r})"
    return root + _by_place(element)


def find_place(element: Element, xpath: str) -> str:
    """A Python expression that locates what is at an xpath in the same document as an element."""
    root = "page" + "".join(f".frame_locator({_xpath(x)!r})" for x in _frames(element))
    return root + _by_place(element.model_copy(update={"xpath": xpath}))


def _frames(element: Element) -> tuple[str, ...]:
    if "?" in element.frame:
        raise ExportError(
            f"“{element.name or element.tag}” ({element.xpath}) lies in a frame of another origin "
            "whose place the recording does not know. Record the demonstration again."
        )
    return element.frame


def _by_name(element: Element, parameters: Parameters) -> str:
    if not element.name:
        return ""
    name = parameters.text(element.name)
    if element.tag == "input" and element.attributes.get("type", "").lower() in LABELLED_TYPES:
        return f"get_by_label({name}, exact=True)"
    if element.role not in ROLES:
        return ""
    if element.role in NAMELESS and "aria-label" not in element.attributes:
        return f"get_by_role({element.role!r}).filter(has_text=exactly({name}))"
    # The control itself is often hidden behind its drawing.
    hidden = ", include_hidden=True" if element.role in TOGGLES else ""
    return f"get_by_role({element.role!r}, name={name}, exact=True{hidden})"


def _alike(page: Page, element: Element) -> list[Place]:
    """Elements of the page with the same role and name."""
    return [
        place
        for place in Place(page, 0).below()
        if role_of(place) == element.role and name_of(place) == element.name
    ]


def _by_place(element: Element) -> str:
    if not element.shadow:
        return f".locator({_xpath(element.xpath)!r})"
    return "".join(f".locator({part!r})" for part in _through_shadow(element))


def _through_shadow(element: Element) -> Iterator[str]:
    """An xpath sees no shadow root; from the outermost host on, CSS has to do."""
    first, *others = element.shadow
    yield _xpath(first)
    for xpath in (*others, element.xpath):
        yield css_path(xpath)


def css_path(xpath: str) -> str:
    """The CSS selector that means the same as an absolute xpath."""
    steps = re.findall(r"([^/\[]+)(?:\[(\d+)\])?", xpath)
    return " > ".join(f"{tag}:nth-of-type({n})" if n else tag for tag, n in steps)


def _xpath(xpath: str) -> str:
    return f"xpath={xpath}"
