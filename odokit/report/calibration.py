"""The reliability diagram of the locate ladder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from odokit.report.style import BLUE, GREEN, GREY, ORANGE, counted, empty, finish

if TYPE_CHECKING:
    import plotly.graph_objects as go

COLOURS = (BLUE, ORANGE, GREEN)
MIN_PX, SPREAD_PX = 7.0, 26.0
HEIGHT_PX = 420


def plot_reliability(bins: Sequence[Mapping[str, float]], threshold: float) -> go.Figure:
    """Plot how often elements were right against the confidence they were named with.

    Args:
        bins: One for each application held out and rung: `held_out`, `confidence`, `n`, `right`.
        threshold: Confidence below which nothing is touched, from 0 to 1.

    Returns:
        A dot a row, larger for more elements; on the diagonal a confidence is exact, above it is
        careful, below it promises too much.
    """
    import plotly.graph_objects as go

    if not bins:
        return empty("The ladder was not calibrated yet", "Run benchmarks/calibrate_locate.py.")
    counted_bins = pl.DataFrame(bins)
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": GREY, "dash": "dot"}, name="exact"
    )
    most = max(counted_bins["n"].to_list())
    for number in sorted(set(counted_bins["held_out"].to_list())):
        rows = counted_bins.filter(pl.col("held_out") == number)
        n = rows["n"].to_list()
        figure.add_scatter(
            x=rows["confidence"].to_list(),
            y=(rows["right"] / rows["n"]).to_list(),
            mode="markers",
            name=f"application {number + 1} held out",
            marker={
                "color": COLOURS[number % len(COLOURS)],
                "size": [MIN_PX + SPREAD_PX * (x / most) ** 0.5 for x in n],
                "opacity": 0.7,
            },
            customdata=n,
            hovertemplate="%{y:.1%} of %{customdata} right at confidence %{x:.3f}<extra></extra>",
        )
    figure.add_vline(x=threshold, line={"color": GREY})
    figure.update_xaxes(title_text="confidence", range=[0, 1.04])
    figure.update_yaxes(title_text="share of right elements", range=[0, 1.04])
    return finish(figure, *_title(counted_bins, threshold), height=HEIGHT_PX)


def _title(bins: pl.DataFrame, threshold: float) -> tuple[str, str]:
    trusted = bins.filter(pl.col("confidence") >= threshold)
    n, right = int(trusted["n"].sum()), int(trusted["right"].sum())
    share = 100 * right / n if n else 0.0
    title = f"{share:.1f} % of {counted(n, 'element')} above the threshold were right"
    return title, "each application judged by confidences fitted on the others"
