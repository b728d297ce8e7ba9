"""Draw on how many demonstrations each part of a model rests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from odokit.report.style import GREEN, ORANGE, SKY, counted, empty, finish, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

CLASSES = ((1, "one demonstration", ORANGE), (3, "two or three", SKY), (10**9, "more", GREEN))
"""Up to this number of demonstrations, what the legend says, colour."""
TITLE = "What rests on a single demonstration"
MAP_PX = 620
LABEL_CHARS = 48


def plot_evidence(evidence: pl.DataFrame) -> go.Figure:
    """Draw how many writes, widgets and branches rest on one, on a few, on many demonstrations.

    Args:
        evidence: As `coverage.frame_evidence` gives it.
    """
    import plotly.graph_objects as go

    if evidence.is_empty():
        return empty(TITLE, "nothing was demonstrated")
    kinds = ["branch", "widget", "write"]
    figure = go.Figure()
    least = 0
    for most, name, colour in CLASSES:
        within = evidence.filter(pl.col("n_demonstrations").is_between(least + 1, most))
        counts = [within.filter(what=kind).height for kind in kinds]
        figure.add_bar(
            y=["branches", "widgets", "writes"],
            x=counts,
            name=name,
            orientation="h",
            marker_color=colour,
            text=[n or "" for n in counts],
        )
        least = most
    figure.update_layout(barmode="stack")
    figure.update_xaxes(title="parts of the model")
    n_single = evidence.filter(n_demonstrations=1).height
    title = f"{n_single} of {counted(evidence.height, 'part')} rest on a single demonstration"
    return finish(figure, title, "a branch is one of several ways on from the same step")


def plot_coverage(evidence: pl.DataFrame) -> go.Figure:
    """Draw the map of an application: its pages, on each its widgets and writes, by confidence.

    Args:
        evidence: As `coverage.frame_evidence` gives it; branches are left out.
    """
    import plotly.graph_objects as go

    parts = evidence.filter(pl.col("what") != "branch").sort("page", "label", "vertex")
    if parts.is_empty():
        return empty(TITLE, "nothing was demonstrated")
    pages = parts["page"].unique(maintain_order=True).to_list()
    shown = {page: f"page {page}" for page in pages}
    counts = parts["n_demonstrations"].to_list()
    texts = [plain(label, LABEL_CHARS) for label in parts["label"]]
    figure = go.Figure(
        go.Treemap(
            ids=[*shown.values(), *parts["vertex"]],
            labels=[*(plain(page, LABEL_CHARS) for page in pages), *texts],
            parents=[""] * len(pages) + [shown[page] for page in parts["page"]],
            values=[0] * len(pages) + [1] * len(counts),
            marker={"colors": ["#ffffff"] * len(pages) + [_colour(n) for n in counts]},
            customdata=[""] * len(pages) + [counted(n, "demonstration") for n in counts],
            hovertemplate="%{label}<br>%{customdata}<extra></extra>",
            tiling={"pad": 1},
        )
    )
    figure.update_layout(showlegend=False)
    n_single = sum(n == 1 for n in counts)
    title = f"{n_single} of {len(counts):,} writes and widgets rest on a single demonstration"
    note = "by page; orange: shown by one demonstration, blue: by two or three, green: by more"
    return finish(figure, title, note, height=MAP_PX)


def _colour(n_demonstrations: int) -> str:
    return next(colour for most, _, colour in CLASSES if n_demonstrations <= most)
