"""Tell the items of a list from other alike siblings, by what HTML says they are.

Likeness alone calls the cells of a row, the fields of a form and the sections of a page lists. Four
rules, each of which a setting can leave out:

- `cells`: the cells of a row are its columns, whatever they hold.
- `regions`: what holds a region of the page - a table, a form, a heading of the page - is no item.
- `fields`: siblings that hold controls of different names are the fields of one form; rows of a
  form set hold the same names with other numbers.
- `texts`: items that do not differ in text cannot be told apart by what a task says.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Literal

import numpy as np
import numpy.typing as npt

from odokit.dom import Document

Rule = Literal["cells", "regions", "fields", "texts"]
RULES: tuple[Rule, ...] = ("cells", "regions", "fields", "texts")
_CELLS = frozenset("td th dt dd col".split())
_CELL_ROLES = frozenset("cell gridcell columnheader rowheader".split())
_REGIONS = frozenset("main nav form h1 header footer table body head".split())
_CONTROLS = "input:not([type=radio],[type=checkbox],[type=hidden],[type=submit],[type=button]), "
_CONTROLS += "select, textarea"


def may_be_items(
    document: Document, elements: npt.NDArray[np.intp], rules: tuple[Rule, ...]
) -> npt.NDArray[np.bool_]:
    """Whether each element may be an item by itself, by the rules `cells` and `regions`."""
    allowed = np.ones(len(elements), bool)
    if "cells" in rules:
        cells = _flags(document, _CELLS)
        cells[[i for i, role in document.roles.items() if role in _CELL_ROLES]] = True
        allowed &= ~cells[elements]
    if "regions" in rules:
        before = np.concatenate([[0], np.cumsum(_flags(document, _REGIONS))])
        allowed &= before[document.ends[elements]] == before[elements]
    return allowed


class ListRules:
    """The rules that look at the members of a list together: `fields` and `texts`."""

    def __init__(self, document: Document, rules: tuple[Rule, ...]) -> None:
        self._document = document
        self._rules = rules
        self._controls = _control_names(document) if "fields" in rules else ([], [])

    def allow(self, members: list[int]) -> bool:
        """Whether alike siblings may be the items of a list."""
        if "texts" in self._rules and not self._differ_in_text(members):
            return False
        return "fields" not in self._rules or not self._are_fields(members)

    def _differ_in_text(self, members: list[int]) -> bool:
        first = ""
        for member in members:
            text = self._document.text(member)
            if text and first and text != first:
                return True
            first = first or text
        return False

    def _are_fields(self, members: list[int]) -> bool:
        numbers, names = self._controls
        if not numbers:
            return False
        held = set()
        for member in members:
            low = bisect_left(numbers, member)
            high = bisect_left(numbers, int(self._document.ends[member]))
            if low < high:
                held.add(tuple(names[low:high]))
        return len(held) > 1


def _control_names(document: Document) -> tuple[list[int], list[str]]:
    """Numbers and names of the controls that take a value of their own, digits blanked."""
    found = {node.mem_id: node for node in document.select(_CONTROLS)}
    numbers = [i for i, node in enumerate(document.nodes) if node.mem_id in found] if found else []
    attributes = (document.nodes[i].attributes for i in numbers)
    called = (a.get("name") or a.get("id") or "" for a in attributes)
    return numbers, [re.sub(r"\d+", "#", name) for name in called]


def _flags(document: Document, tags: frozenset[str]) -> npt.NDArray[np.bool_]:
    known = list(dict.fromkeys(document.tags))  # in the order of their codes
    return np.asarray([tag in tags for tag in known], bool)[document.tag_codes]
