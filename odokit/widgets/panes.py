"""What the views are made of: escaped tables, a figure that changes, a page that cannot act."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import ipywidgets
import orjson

if TYPE_CHECKING:
    import plotly.graph_objects as go

MAX_CHARS = 2000
PAGE_HEIGHT_PX = 420
WIDE = {"width": "560px", "max_width": "100%"}
"""Layout of a menu whose entries are long."""
PLOTLY_MIME = "application/vnd.plotly.v1+json"
_STEP = re.compile(r"([a-z][a-z0-9-]*)(?:\[(\d+)\])?")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def escaped(text: object, limit: int = MAX_CHARS) -> str:
    """A text as HTML shows it: markup in it is seen, not obeyed; cut at `limit` characters."""
    shown = str(text)
    return html.escape(shown if len(shown) <= limit else shown[:limit] + "…")


def make_table(rows: Iterable[Sequence[object]], head: Sequence[str] = ()) -> str:
    """An HTML table of escaped texts; rows are scrolled to, not cut."""
    cell = "padding:2px 12px 2px 0;text-align:left;vertical-align:top;overflow-wrap:anywhere"
    lines = []
    if head:
        lines.append("".join(f'<th style="{cell};color:#5b6773">{escaped(h)}</th>' for h in head))
    for row in rows:
        name = f'<td style="{cell};color:#5b6773;white-space:nowrap">{escaped(row[0])}</td>'
        lines.append(name + "".join(f'<td style="{cell}">{escaped(c)}</td>' for c in row[1:]))
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return (
        f'<div style="max-height:320px;overflow:auto;line-height:1.5"><table>{body}</table></div>'
    )


def make_code(text: str) -> str:
    """Recorded HTML as text to read."""
    style = (
        "white-space:pre-wrap;overflow-wrap:anywhere;max-height:160px;overflow:auto;margin:4px 0"
    )
    return f'<pre style="{style}">{escaped(text)}</pre>'


def make_page(page: str, outlined: Iterable[str] = ()) -> str:
    """A recorded page in a frame that runs no script, fetches nothing and follows no link.

    Args:
        page: The recorded HTML.
        outlined: Absolute xpaths of elements to outline.
    """
    selectors = [selector for xpath in outlined if (selector := _selector(xpath))]
    style = "a,area,button,form,label{pointer-events:none!important}"
    if selectors:
        style += f"{','.join(selectors)}{{outline:3px solid #d55e00!important;outline-offset:-2px}}"
    head = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><style>{style}</style>'
    return (
        f'<iframe sandbox="" referrerpolicy="no-referrer" srcdoc="{html.escape(head + page)}" '
        f'style="width:100%;height:{PAGE_HEIGHT_PX}px;border:1px solid #e4e8ec"></iframe>'
    )


def _selector(xpath: str) -> str:
    """A CSS selector of an absolute xpath, empty for a path that is none."""
    steps = []
    for step in xpath.strip("/").split("/"):
        found = _STEP.fullmatch(step)
        if found is None:
            return ""
        steps.append(f"{found[1]}:nth-of-type({found[2]})" if found[2] else found[1])
    return ">".join(steps)


def show_figure(output: ipywidgets.Output, figure: go.Figure) -> None:
    """Put a figure into an output area in place of what it held."""
    # Set directly: the output's own methods need a running kernel to find the formats.
    data = {PLOTLY_MIME: orjson.loads(figure.to_json())}
    output.outputs = ({"output_type": "display_data", "data": data, "metadata": {}},)
