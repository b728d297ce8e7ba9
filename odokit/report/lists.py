"""How the thresholds of list discovery trade precision for recall."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from odokit.report.style import BLUE, GREY, VERMILLION, empty, finish

if TYPE_CHECKING:
    import plotly.graph_objects as go

TARGET = 0.95
_MEASURES = {"recall": BLUE, "precision": VERMILLION}
_DASHES = ("solid", "dash", "dot", "dashdot")


def plot_list_quality(frame: pl.DataFrame) -> go.Figure:
    """Plot precision and recall over the level, and over the distance for the published pipeline.

    Args:
        frame: What `sweep_lists` gives: columns setting, level, lsh_threshold, eps, recall,
            precision.
    """
    from plotly.subplots import make_subplots

    exact = frame.filter(pl.col("setting") == "exact")
    paper = frame.filter(pl.col("setting") == "paper")
    if exact.is_empty() or paper.is_empty():
        return empty("Nothing to compare", "Sweep settings of both kinds, exact and paper.")
    figure = make_subplots(1, 2, shared_yaxes=True, horizontal_spacing=0.06)
    for measure, colour in _MEASURES.items():
        _add_line(figure, 1, exact.sort("level"), "level", measure, colour)
        for dash, ((threshold,), part) in zip(_DASHES, _by_threshold(paper), strict=False):
            name = f"{measure}, LSH {threshold:g}"
            _add_line(figure, 2, part.sort("eps"), "eps", measure, colour, dash=dash, name=name)
    figure.add_hline(y=TARGET, line={"color": GREY, "width": 1, "dash": "dot"})
    figure.update_yaxes(range=[0, 1.04], tickformat=".0%", row=1, col=1)
    figure.update_xaxes(title_text="exact: level", dtick=1, row=1, col=1)
    figure.update_xaxes(title_text="paper: eps, largest Jaccard distance", row=1, col=2)
    return finish(figure, *_titles(exact, paper), height=300)


def _by_threshold(paper: pl.DataFrame) -> list[tuple[tuple[float], pl.DataFrame]]:
    parts = paper.sort("lsh_threshold").partition_by(
        "lsh_threshold", as_dict=True, maintain_order=True
    )
    return [((float(key[0]),), part) for key, part in parts.items()]


def _add_line(
    figure: go.Figure,
    column: int,
    frame: pl.DataFrame,
    x: str,
    measure: str,
    colour: str,
    *,
    dash: str = "solid",
    name: str = "",
) -> None:
    figure.add_scatter(
        x=frame[x].to_list(),
        y=frame[measure].to_list(),
        mode="lines+markers",
        name=name or measure,
        line={"color": colour, "dash": dash},
        hovertemplate=f"{x} %{{x}}: {measure} %{{y:.1%}}<extra>{name or measure}</extra>",
        row=1,
        col=column,
    )


def _titles(exact: pl.DataFrame, paper: pl.DataFrame) -> tuple[str, str]:
    good = exact.filter(pl.min_horizontal("recall", "precision") >= TARGET)["level"].to_list()
    best = float(paper.select(pl.min_horizontal("recall", "precision").max()).item())
    levels = f"level {min(good)} to {max(good)}" if good else "no level"
    title = f"Both reach {TARGET:.0%} at {levels}; the published pipeline at best {best:.0%}"
    return title, "precision and recall of lists of data, on labelled pages of the test beds"
