"""Draw what changed from one behaviour model to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odokit.report.style import BAR_PX, FAINT, GREEN, ORANGE, VERMILLION, finish

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from odokit.navmodel import ModelDiff

COLOURS = {"added": GREEN, "removed": VERMILLION, "changed": ORANGE, "same": FAINT}


def plot_changes(diff: ModelDiff) -> go.Figure:
    """Draw how many vertices of each kind came, went, were seen more or less often, or stayed.

    Args:
        diff: The difference of two models.
    """
    import plotly.graph_objects as go

    kinds = diff.vertices["kind"].unique(maintain_order=True).to_list()[::-1]
    figure = go.Figure()
    for change, colour in COLOURS.items():
        counts = [diff.vertices.filter(change=change, kind=kind).height for kind in kinds]
        figure.add_bar(
            y=[kind.replace("_", " ") for kind in kinds],
            x=counts,
            name=change,
            orientation="h",
            marker_color=colour,
            text=[n or "" for n in counts],
        )
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title="vertices")
    n_changed = diff.vertices.filter(diff.vertices["change"] != "same").height
    n_edges = diff.edges.filter(diff.edges["change"] != "same").height
    title = f"{n_changed:,} vertices and {n_edges:,} edges differ between the two models"
    note = "changed: seen a different number of times"
    return finish(figure, title, note, height=60 + BAR_PX * 2 * len(kinds))
