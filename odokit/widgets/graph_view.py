"""Look at a behaviour model vertex by vertex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ipywidgets
import traitlets

from odokit.errors import NavModelError
from odokit.events import KIND_SPECS
from odokit.navmodel import NavModel, Vertex, foreground
from odokit.widgets.panes import WIDE, make_table, show_figure

if TYPE_CHECKING:
    import plotly.graph_objects as go


class GraphView(ipywidgets.VBox):  # type: ignore[misc]  # ipywidgets has no types
    """The graph, and what is known of the selected vertex.

    Attributes:
        selected: Name of the selected vertex; the parameter twin of a click on it.
    """

    selected = traitlets.Unicode()

    def __init__(self, model: NavModel, selected: str = "") -> None:
        """Open the view.

        Args:
            model: The behaviour model.
            selected: Name of a vertex; the first one when empty.
        """
        self._model = model
        drawn = foreground(model)
        # What the graph leaves out stands last, and can be looked at too.
        order = sorted(range(len(model.vertices)), key=lambda n: (n not in drawn, n))
        options = [(f"{n}  {model.vertices[n].label}", model.vertices[n].name) for n in order]
        self._picker = ipywidgets.Dropdown(options=options, description="Vertex", layout=WIDE)
        self._details = ipywidgets.HTML()
        self._graph = ipywidgets.Output()
        super().__init__([self._picker, self._details, self._graph])
        self.selected = selected or options[0][1]
        traitlets.link((self, "selected"), (self._picker, "value"))
        self.observe(self._update, "selected")
        self._update()

    @traitlets.validate("selected")
    def _is_a_vertex(self, proposal: dict[str, Any]) -> str:
        try:
            self._model.get_vertex(proposal["value"])
        except NavModelError as error:
            raise traitlets.TraitError(str(error)) from error
        return str(proposal["value"])

    def _update(self, _: object = None) -> None:
        self._details.value = make_table(describe(self._vertex))
        show_figure(self._graph, self.figure())

    @property
    def _vertex(self) -> Vertex:
        return self._model.vertices[self._model.get_vertex(self.selected)]

    def figure(self) -> go.Figure:
        """The static twin: the graph with the selected vertex picked out."""
        from odokit.report import plot_model

        return plot_model(self._model, highlight=[self._model.get_vertex(self.selected)])


def describe(vertex: Vertex) -> list[tuple[str, str]]:
    """Everything known of a vertex, as rows of two texts."""
    rows = [("label", vertex.label), ("name", vertex.name), ("kind", str(vertex.kind))]
    rows += [(f"fixed: {name}", value) for name, value in vertex.fixed.items()]
    rows += [("free", name) for name in KIND_SPECS[vertex.kind].free]
    rows += [
        ("free: which one", f"by its {free.by}, given by {free.slot}")
        for free in dict.fromkeys(vertex.free_targets.values())
    ]
    rows += [("picked from", d.xpath(0).replace("[0]", "[any]")) for d in vertex.dynamic_xpaths]
    rows += [("instance", step_id) for step_id in vertex.instances]
    return rows
