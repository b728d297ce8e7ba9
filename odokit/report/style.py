"""One look for all figures: colours safe for colour-blind readers, quiet axes, plain text.

Recorded text is hostile until shown to be harmless: plotly reads `<b>` and `<a href>` in any label
as markup, so every text that came from a page goes through `plain` first.
"""

from __future__ import annotations

import html
from functools import cache
from typing import TYPE_CHECKING

from odokit.events import EventKind

if TYPE_CHECKING:
    import plotly.graph_objects as go

INK = "#1f2933"
QUIET = "#6b7785"
FAINT = "#e4e8ec"
FONT = 'system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif'
BAR_PX = 26
MIN_HEIGHT_PX = 220
TITLE_PX, SUBTITLE_PX, LEGEND_PX = 52, 28, 28

BLUE, SKY, GREEN = "#0072B2", "#56B4E9", "#009E73"
ORANGE, VERMILLION, PURPLE, GREY = "#E69F00", "#D55E00", "#CC79A7", "#9AA5B1"
"""Okabe and Ito's palette, made for all kinds of colour vision. Source: M. Okabe, K. Ito, Color
Universal Design (2008)."""

OUTCOMES = {"success": GREEN, "abstained": ORANGE, "failure": VERMILLION, "error": GREY}
OUTCOME_PATTERNS = {"success": "", "abstained": ".", "failure": "/", "error": "x"}
MEANS = {"rule": GREEN, "local": SKY, "llm": VERMILLION}
MEANS_TEXT = {"rule": "rule (free)", "local": "local similarity (free)", "llm": "language model"}

KIND_COLOURS = {
    EventKind.LOCATION: INK,
    EventKind.CLICK: BLUE,
    EventKind.DATA_ENTRY: SKY,
    EventKind.RICH_TEXT: SKY,
    EventKind.CHECKBOX: GREEN,
    EventKind.RADIO: GREEN,
    EventKind.SELECT: GREEN,
    EventKind.REST_CALL: VERMILLION,
    EventKind.GRAPHQL_MUTATION: VERMILLION,
    EventKind.DOM_EFFECT: GREY,
}
"""Colour tells the family (page, click, entry, choice, write, effect), the symbol the kind."""
KIND_SYMBOLS = {
    EventKind.LOCATION: "square",
    EventKind.CLICK: "circle",
    EventKind.DATA_ENTRY: "diamond",
    EventKind.RICH_TEXT: "diamond-wide",
    EventKind.CHECKBOX: "pentagon",
    EventKind.RADIO: "hexagon",
    EventKind.SELECT: "triangle-down",
    EventKind.REST_CALL: "triangle-right",
    EventKind.GRAPHQL_MUTATION: "star-triangle-up",
    EventKind.DOM_EFFECT: "x",
}
KIND_TEXT = {
    EventKind.LOCATION: "page",
    EventKind.CLICK: "click",
    EventKind.DATA_ENTRY: "data entry",
    EventKind.RICH_TEXT: "rich text",
    EventKind.CHECKBOX: "checkbox",
    EventKind.RADIO: "radio",
    EventKind.SELECT: "select",
    EventKind.REST_CALL: "REST write",
    EventKind.GRAPHQL_MUTATION: "GraphQL write",
    EventKind.DOM_EFFECT: "page change",
}


def plain(text: object, limit: int = 80) -> str:
    """Make a text harmless for plotly: one line, at most `limit` characters, no markup."""
    line = " ".join(str(text).split())
    if len(line) > limit:
        line = line[: limit - 1] + "…"
    return html.escape(line, quote=False)


def counted(n: int, noun: str) -> str:
    """A number with its noun, plural where due: `1 task`, `12 tasks`."""
    if n == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{n:,} {plural}"


@cache
def template() -> go.layout.Template:
    """The one template of all figures."""
    import plotly.graph_objects as go

    axis = {
        "gridcolor": FAINT,
        "linecolor": FAINT,
        "zerolinecolor": FAINT,
        "automargin": True,
        "ticks": "",
        "title": {"font": {"size": 13, "color": QUIET}, "standoff": 12},
        "tickfont": {"size": 12, "color": INK},
        "ticklabelstandoff": 5,
    }
    layout = go.Layout(
        font={"family": FONT, "size": 13, "color": INK},
        paper_bgcolor="white",
        plot_bgcolor="white",
        colorway=[BLUE, ORANGE, GREEN, VERMILLION, SKY, PURPLE, GREY],
        title={
            "x": 0,
            "xref": "container",
            "xanchor": "left",
            "pad": {"l": 12},
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "font": {"size": 17, "color": INK},
        },
        xaxis=axis,
        yaxis=axis,
        hoverlabel={"bgcolor": "white", "bordercolor": FAINT, "font": {"size": 12, "color": INK}},
        legend={
            "orientation": "h",
            "traceorder": "normal",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "title": {"text": ""},
            "font": {"size": 12},
        },
        bargap=0.25,
        modebar={"bgcolor": "rgba(255,255,255,0)", "color": GREY, "activecolor": BLUE},
    )
    return go.layout.Template(layout=layout)


def finish(figure: go.Figure, title: str, subtitle: str = "", *, height: int = 280) -> go.Figure:
    """Give a figure its title, template and size; returns the same figure.

    Args:
        figure: The figure.
        title: What is seen, as a statement; already plain.
        subtitle: How it was counted; already plain.
        height: Height below title and legend, in pixels.
    """
    shown = {"text": subtitle, "font": {"size": 13, "color": QUIET}} if subtitle else {"text": ""}
    has_legend = figure.layout.showlegend is not False and (
        sum(trace.showlegend is not False for trace in figure.data) > 1
    )
    top = TITLE_PX + (SUBTITLE_PX if subtitle else 0) + (LEGEND_PX if has_legend else 0)
    figure.update_layout(
        template=template(),
        showlegend=has_legend,
        title={"text": title, "subtitle": shown, "pad": {"l": 12, "t": 14}},
        height=max(MIN_HEIGHT_PX, height + top),
        margin={"l": 12, "r": 24, "t": top, "b": 48},
    )
    return figure


def count_ticks(most: int) -> int:
    """Distance of the ticks of an axis that counts to `most`: 1, 2, 5, 10, ..., at most 12 of them.

    Args:
        most: The largest count, up to 10**12.
    """
    for power in range(12):
        for digit in (1, 2, 5):
            if most <= 12 * digit * 10**power:
                return digit * int(10**power)
    return 10**12


def empty(title: str, note: str) -> go.Figure:
    """A figure that says that, and why, there is nothing to see."""
    import plotly.graph_objects as go

    figure = go.Figure()
    figure.add_annotation(text=note, showarrow=False, font={"size": 14, "color": QUIET})
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)
    return finish(figure, title, height=MIN_HEIGHT_PX - TITLE_PX)
