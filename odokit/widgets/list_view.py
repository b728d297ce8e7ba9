"""Watch list discovery on one page: which containers repeat, at which level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from odokit.dom import parse
from odokit.substructure import DEFAULT_LEVEL, Exact, RepeatedList, find_lists
from odokit.widgets.panes import WIDE, make_page, make_table

if TYPE_CHECKING:
    import plotly.graph_objects as go

MAX_LEVEL = 16


class ListView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A snapshot with the members of one found list outlined, and all lists beside it.

    Attributes:
        level: Weisfeiler-Lehman level, 0 to 16: how deep members must be alike.
        selected: Position of the outlined list among those found, from 0, the longest first.
        lists: The lists found at this level, the longest first.
    """

    level = traitlets.Int(DEFAULT_LEVEL)
    selected = traitlets.Int(0)

    def __init__(self, html: str, level: int = DEFAULT_LEVEL, selected: int = 0) -> None:
        """Open the view.

        Args:
            html: A snapshot.
            level: Level to begin with.
            selected: List to outline.
        """
        self._html = html
        self._document = parse(html)
        self.lists: tuple[RepeatedList, ...] = ()
        self._slider = ipywidgets.IntSlider(min=0, max=MAX_LEVEL, description="Level")
        self._picker = ipywidgets.Dropdown(
            options=[("no list", 0)], description="List", layout=WIDE
        )
        self._table = ipywidgets.HTML()
        self._page = ipywidgets.HTML()
        super().__init__([self._slider, self._picker, self._table, self._page])
        self.level = level
        self._find()
        self.selected = selected
        traitlets.link((self, "level"), (self._slider, "value"))
        self._picker.value = self.selected
        traitlets.link((self, "selected"), (self._picker, "value"))
        self.observe(self._change_level, "level")
        self.observe(self._update, "selected")
        self._update()

    @traitlets.validate("level")
    def _is_a_level(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] <= MAX_LEVEL:
            raise traitlets.TraitError(f"level {proposal['value']} is not in 0 to {MAX_LEVEL}.")
        return int(proposal["value"])

    @traitlets.validate("selected")
    def _is_a_list(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] < max(1, len(self.lists)):
            raise traitlets.TraitError(
                f"list {proposal['value']} is not among the {len(self.lists)} found."
            )
        return int(proposal["value"])

    def _find(self) -> None:
        found = find_lists(self._document, Exact(self.level))
        self.lists = tuple(sorted(found, key=lambda one: -len(one.members)))
        names = [f"{len(one.members)} × {one.tag} in {one.container}" for one in self.lists]
        self._picker.options = [(name, i) for i, name in enumerate(names)] or [("no list", 0)]

    def _change_level(self, _: object) -> None:
        self.selected = 0
        self._find()
        self._update()

    def _update(self, _: object = None) -> None:
        rows = [(i, len(one.members), one.tag, one.container) for i, one in enumerate(self.lists)]
        self._table.value = make_table(rows, ("", "members", "tag", "container"))
        outlined = self.lists[self.selected].members if self.lists else ()
        self._page.value = make_page(self._html, outlined)

    def figure(self) -> go.Figure:
        """The static twin: the lists found at this level by number of members."""
        from odokit.report import plot_lists

        return plot_lists(self.lists, level=self.level)
