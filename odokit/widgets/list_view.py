"""Watch list discovery on one page: which containers repeat, by which setting."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from odokit.dom import parse
from odokit.errors import NavModelError
from odokit.substructure import (
    DEFAULT_LEVEL,
    MAX_LEVEL,
    SETTINGS,
    Exact,
    Hdbscan,
    Paper,
    RepeatedList,
    Setting,
    find_lists,
)
from odokit.widgets.panes import WIDE, make_page, make_table

if TYPE_CHECKING:
    import plotly.graph_objects as go

DEBOUNCE_S = 0.1
"""A slider in motion is followed when it has rested this long."""
_THRESHOLDS = {
    "exact": ("level",),
    "paper": ("lsh_threshold", "eps"),
    "hdbscan": ("min_cluster_size",),
}


class ListView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """A snapshot with the members of one found list outlined, and all lists beside it.

    Attributes:
        method: How likeness is found: `exact`, `paper` or `hdbscan`.
        level: Of `exact`: how deep members must be alike, 0 to 16.
        lsh_threshold: Of `paper`: similarity from which LSH should propose two elements, 0 to 1.
        eps: Of `paper`: largest Jaccard distance between neighbours, 0 to 1.
        min_cluster_size: Of `hdbscan`: fewest elements in a cluster, at least 2.
        selected: Position of the outlined list among those found, from 0, the longest first.
        lists: The lists found, the longest first.
    """

    method = traitlets.Enum(list(SETTINGS), "exact")
    level = traitlets.Int(DEFAULT_LEVEL)
    lsh_threshold = traitlets.Float(Paper.lsh_threshold)
    eps = traitlets.Float(Paper.eps)
    min_cluster_size = traitlets.Int(Hdbscan.min_cluster_size)
    selected = traitlets.Int(0)

    def __init__(
        self,
        html: str,
        method: str = "exact",
        level: int = DEFAULT_LEVEL,
        lsh_threshold: float = Paper.lsh_threshold,
        eps: float = Paper.eps,
        min_cluster_size: int = Hdbscan.min_cluster_size,
        selected: int = 0,
    ) -> None:
        """Open the view.

        Args:
            html: A snapshot.
            method: Setting to begin with.
            level: Of `exact`.
            lsh_threshold: Of `paper`.
            eps: Of `paper`.
            min_cluster_size: Of `hdbscan`.
            selected: List to outline.
        """
        self._html = html
        self._document = parse(html)
        self.lists: tuple[RepeatedList, ...] = ()
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._picker = ipywidgets.Dropdown(
            options=[("no list", 0)], description="List", layout=WIDE
        )
        self._table, self._page = ipywidgets.HTML(), ipywidgets.HTML()
        self._controls = _make_controls()
        super().__init__([*self._controls.values(), self._picker, self._table, self._page])
        self.set_trait("method", method)
        self.level, self.lsh_threshold, self.eps = level, lsh_threshold, eps
        self.min_cluster_size = min_cluster_size
        self._find()
        self.selected = selected
        self._connect()
        self._update()

    @property
    def setting(self) -> Setting:
        """The setting that the lists are found by."""
        if self.method == "paper":
            return Paper(lsh_threshold=self.lsh_threshold, eps=self.eps)
        if self.method == "hdbscan":
            return Hdbscan(min_cluster_size=self.min_cluster_size)
        return Exact(self.level)

    @traitlets.validate("level", "lsh_threshold", "eps", "min_cluster_size")
    def _has_a_meaning(self, proposal: dict[str, Any]) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        kind = next(k for k, names in _THRESHOLDS.items() if name in names)
        try:
            SETTINGS[kind](**{name: value})
        except NavModelError as error:
            raise traitlets.TraitError(str(error)) from error
        return value

    @traitlets.validate("selected")
    def _is_a_list(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] < max(1, len(self.lists)):
            raise traitlets.TraitError(
                f"list {proposal['value']} is not among the {len(self.lists)} found."
            )
        return int(proposal["value"])

    def _connect(self) -> None:
        for name, control in self._controls.items():
            control.value = getattr(self, name)
            control.observe(self._follow, "value")
        self._picker.value = self.selected
        traitlets.link((self, "selected"), (self._picker, "value"))
        self.observe(self._change, list(self._controls))
        self.observe(self._update, "selected")

    def _follow(self, change: dict[str, Any]) -> None:
        """Take a control's value over, when it has come to rest where somebody moves it."""
        name = next(n for n, control in self._controls.items() if control is change["owner"])
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: nobody moves it
            self.set_trait(name, change["new"])
            return
        if name in self._due:
            self._due[name].cancel()
        self._due[name] = loop.call_later(DEBOUNCE_S, self.set_trait, name, change["new"])

    def _change(self, change: dict[str, Any]) -> None:
        self._controls[change["name"]].value = change["new"]
        self.selected = 0
        self._find()
        self._update()

    def _find(self) -> None:
        for name, control in self._controls.items():
            is_used = name in ("method", *_THRESHOLDS[self.method])
            control.layout.display = None if is_used else "none"
        found = find_lists(self._document, self.setting)
        self.lists = tuple(sorted(found, key=lambda one: -len(one.members)))
        names = [f"{len(one.members)} × {one.tag} in {one.container}" for one in self.lists]
        self._picker.options = [(name, i) for i, name in enumerate(names)] or [("no list", 0)]

    def _update(self, _: object = None) -> None:
        rows = [(i, len(one.members), one.tag, one.container) for i, one in enumerate(self.lists)]
        self._table.value = make_table(rows, ("", "members", "tag", "container"))
        outlined = self.lists[self.selected].members if self.lists else ()
        self._page.value = make_page(self._html, outlined)

    def figure(self) -> go.Figure:
        """The static twin: the lists found by this setting by number of members."""
        from odokit.report import plot_lists

        names = _THRESHOLDS[self.method]
        values = (f"{name} {getattr(self, name):g}" for name in names)
        return plot_lists(self.lists, by=", ".join([self.method, *values]))


def _make_controls() -> dict[str, Any]:
    """A control for each trait that changes what is found, by its name."""
    share = {"min": 0.01, "max": 1.0, "step": 0.01}
    return {
        "method": ipywidgets.Dropdown(options=list(SETTINGS), description="Setting"),
        "level": ipywidgets.IntSlider(min=0, max=MAX_LEVEL, description="Level"),
        "lsh_threshold": ipywidgets.FloatSlider(**share, description="LSH"),
        "eps": ipywidgets.FloatSlider(**share, description="Distance"),
        "min_cluster_size": ipywidgets.IntSlider(min=2, max=20, description="Smallest"),
    }
