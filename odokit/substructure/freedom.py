"""Decide whether a click's target is fixed or free: the same whatever the task, or picked by it.

Being inside a repeated structure is no evidence: navigation bars and menus repeat too. What counts
is what was picked in the demonstrations and what their tasks said. The pieces of evidence are
added as log-odds; their sizes are judgements, checked on labelled clicks (`odokit lists quality`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from odokit.dom import Document
from odokit.substructure.dynamic import DynamicXpath, dynamic_xpaths
from odokit.substructure.lists import RepeatedList

MIN_VALUE_CHARS = 2
MAX_ITEM_CHARS = 200
"""An item that says more than this is a part of the page; what it says tells nothing."""
PRIOR = -1.0
NAMED = 4.0
SINGLED_OUT = 4.0
AMONG_OTHERS = 0.5
UNNAMED = -2.0
VARIED = 4.0
CONSTANT = -3.0
NAVIGATION = -1.0
_ROWS = frozenset("tr li row listitem".split())
_OFFERS = frozenset("select textarea ul ol combobox listbox menu".split())
"""Tags and roles whose text tells their own members apart, not the item that holds them."""
_NAVIGATION = frozenset({"nav", "navigation", "menubar", "tablist", "banner", "contentinfo"})


_Choice = tuple[DynamicXpath, int, tuple[str, ...]]
"""A list an element was picked from, the item it lies in, and what the other items say."""


@dataclass(frozen=True)
class Pick:
    """One demonstrated click with what it could have been instead.

    Attributes:
        name: Accessible name or text of the element.
        item: What the list item it lies in says, without the element's own name; empty when it
            lies in none.
        others: What the other items say that offer the same target.
        values: Parameter values of the demonstration's task.
        in_navigation: Whether it lies in a navigation of the page.
        chosen: The innermost list that offers the same target in another item, if any.
    """

    name: str
    item: str = ""
    others: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    in_navigation: bool = False
    chosen: DynamicXpath | None = None


@dataclass(frozen=True)
class Freedom:
    """Whether a target is free, with the grounds.

    Attributes:
        is_free: Whether the task decides what is clicked.
        confidence: Probability that this is so, 0.5 to 1.
        reasons: One sentence a piece of evidence, the weightiest first.
    """

    is_free: bool
    confidence: float
    reasons: tuple[str, ...]


def decide_free(picks: Sequence[Pick]) -> Freedom:
    """Decide from the demonstrated instances of one action whether its target is free.

    Args:
        picks: One a demonstrated instance, at least one.
    """
    evidence = [(PRIOR, "most clicks are the same in every task")]
    evidence.append(_typical(_named_by_task(pick) for pick in picks))
    evidence += _variation(picks)
    if all(pick.in_navigation for pick in picks):
        evidence.append((NAVIGATION, "it lies in a navigation of the page"))
    total = sum(weight for weight, _ in evidence)
    ranked = sorted(evidence, key=lambda one: -abs(one[0]))
    confidence = 1 / (1 + math.exp(-abs(total)))
    return Freedom(total > 0, confidence, tuple(reason for weight, reason in ranked if weight))


def read_pick(
    document: Document,
    lists: Sequence[RepeatedList],
    xpath: str,
    *,
    name: str,
    values: Iterable[str] = (),
) -> Pick:
    """Read off a page what a click picked and from what.

    Args:
        document: The page before the click.
        lists: Its lists.
        xpath: The element that was clicked.
        name: Its accessible name.
        values: Parameter values of the demonstration's task.

    Returns:
        With the item of the innermost list that offers the same target in another item; with the
        row that the element lies in where there is no such list, or the row lies within its item
        and says a value: one of two tables does not tell rows apart.
    """
    told = tuple(values)
    own = document.find(xpath)
    if own is None:
        return Pick(name, values=told)
    bare = Pick(name, values=told, in_navigation=_in_navigation(document, own))
    choices = _choices(document, lists, xpath)
    chosen, item, others = next(choices, (None, None, ()))
    text = _item_text(document, _row(document, own, item), own)
    if item is None or naming_value(Pick("", text, values=told)) is not None:
        others = ()
    else:
        text = _item_text(document, item, own)
    pick = replace(bare, item=text, others=others, chosen=chosen)
    if item == own and naming_value(pick) is None:
        # The buttons of a row are no choice of the task, but the row may be.
        return next(_told_apart(document, own, bare, choices), pick)
    return pick


def _told_apart(
    document: Document, own: int, bare: Pick, choices: Iterable[_Choice]
) -> Iterator[Pick]:
    """The picks from lists further out whose item alone says a value of the task."""
    for chosen, item, others in choices:
        pick = replace(bare, item=_item_text(document, item, own), others=others, chosen=chosen)
        naming = naming_value(pick)
        if naming is not None and not any(_says(other, naming[0]) for other in others):
            yield pick


def naming_value(pick: Pick) -> tuple[str, str] | None:
    """Find the task's value that stands in what was picked.

    Args:
        pick: One demonstrated click.

    Returns:
        The longest value in the element's name, else in its item, there rather one that no other
        item says; and `name` or `item`, for where. None when no value stands in either.
    """
    values = sorted((v for v in pick.values if len(v) >= MIN_VALUE_CHARS), key=len, reverse=True)
    own = [v for v in values if not any(_says(other, v) for other in pick.others)]
    places = (("name", pick.name, values), ("item", pick.item, own), ("item", pick.item, values))
    found = ((v, where) for where, text, tried in places for v in tried if _says(text, v))
    return next(found, None)


def telling_text(document: Document, item: int, own: int) -> str:
    """What an item says beside an element in it, and beside what its controls and lists offer.

    Args:
        document: The page.
        item: The item.
        own: The element.
    """
    parts: list[str] = []
    stack = [item]
    while stack:
        index = stack.pop()
        kinds = {document.tags[index], document.roles.get(index, "")}
        if index == item or (index != own and not kinds & _OFFERS):
            parts.append(document.nodes[index].text(deep=False))
            stack.extend(reversed(document.children[index]))
    return " ".join(" ".join(parts).split())


def _choices(document: Document, lists: Sequence[RepeatedList], xpath: str) -> Iterator[_Choice]:
    """The lists with the same target in another item, innermost first."""
    for candidate in dynamic_xpaths(xpath, lists):
        items = _items(document, candidate)
        item = document.find(xpath[: len(xpath) - len(candidate.suffix)])
        if item is not None and item in items and len(items) > 1:
            others = tuple(document.text(other) for other in items if other != item)
            yield candidate, item, others


def _item_text(document: Document, item: int | None, own: int) -> str:
    text = "" if item is None else telling_text(document, item, own)
    return text if len(text) <= MAX_ITEM_CHARS else ""


def _row(document: Document, index: int, item: int | None) -> int | None:
    """The row within an item that an element lies in: the only one that a search has left."""
    while index >= 0 and index != item:
        if {document.tags[index], document.roles.get(index, "")} & _ROWS:
            return index
        index = int(document.parent[index])
    return None


def _items(document: Document, candidate: DynamicXpath) -> list[int]:
    """Items of a list that have the target."""
    container = document.find(candidate.prefix)
    members = [] if container is None else document.children[container]
    alike = [m for m in members if document.tags[m] == candidate.tag]
    return [m for m in alike if document.find(document.xpath(m) + candidate.suffix) is not None]


def _in_navigation(document: Document, index: int) -> bool:
    while index >= 0:
        if {document.tags[index], document.roles.get(index, "")} & _NAVIGATION:
            return True
        index = int(document.parent[index])
    return False


def _named_by_task(pick: Pick) -> tuple[float, str]:
    if not any(len(value) >= MIN_VALUE_CHARS for value in pick.values):
        return 0.0, "the task gives no value"
    naming = naming_value(pick)
    if naming is None:
        return UNNAMED, "nothing the task gives stands in it or in its item"
    value, where = naming
    if where == "name":
        return NAMED, f"its name holds “{value}”, which the task gives"
    if any(_says(other, value) for other in pick.others):
        return AMONG_OTHERS, f"“{value}” stands in its item, but in others as well"
    return SINGLED_OUT, f"of {len(pick.others) + 1} items only its own says “{value}”"


def _variation(picks: Sequence[Pick]) -> list[tuple[float, str]]:
    """What several demonstrations with different values tell.

    Tasks that share the value which names the pick had to pick the same, so that tells nothing.
    """
    naming = {naming_value(pick) for pick in picks}
    if len({pick.values for pick in picks}) < 2 or (len(naming) == 1 and None not in naming):
        return []
    if len({(pick.name, pick.item) for pick in picks}) == 1:
        return [(CONSTANT, f"it was the same in {len(picks)} tasks that differ in their values")]
    return [(VARIED, f"it was not the same in {len(picks)} tasks that differ in their values")]


def _says(text: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None


def _typical(evidence: Iterable[tuple[float, str]]) -> tuple[float, str]:
    """The evidence of most demonstrations: the median one."""
    ranked = sorted(evidence)
    return ranked[len(ranked) // 2]
