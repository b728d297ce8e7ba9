"""The pieces of HTML that reports and exported notebooks share."""

from __future__ import annotations

import html
from importlib.resources import files

MAX_TEXT_CHARS = 4000


def text(value: object) -> str:
    """Escape a text for element content and attributes, cut to a bearable length."""
    shown = str(value)
    if len(shown) > MAX_TEXT_CHARS:
        shown = shown[:MAX_TEXT_CHARS] + "…"
    return html.escape(shown)


def resource(name: str) -> str:
    """A file that lies beside this module."""
    return files("odokit.report").joinpath(name).read_text(encoding="utf-8")


def plotly_scripts() -> list[str]:
    """What draws the figure blocks of a page, in the order in which it must be run."""
    from plotly.offline import get_plotlyjs

    return [get_plotlyjs(), resource("report.js")]


def figure_block(name: str, content: str, width: float | None) -> str:
    """A place for a figure with its data, which is never run and holds no `<`.

    Args:
        name: Id of the place, unique in the page.
        content: The figure as JSON with `data` and `layout`.
        width: Width in pixels of a figure that is wider than the page may be.
    """
    style = f' style="width:{int(width)}px"' if width else ""
    data = content.replace("<", "\\u003c").replace(">", "\\u003e")
    return (
        f'<div class="card{" wide" if width else ""}" style="overflow-x:auto">'
        f'<div class="figure" id="{name}"{style}></div></div>\n'
        f'<script type="application/json" data-figure="{name}">{data}</script>'
    )
