"""Export an executed notebook as a page that opens offline.

nbconvert leaves plotly's figures out, and fetches what shows widgets and formulas from the network.
Here figures become data blocks drawn by the one plotly.js in the page, widgets give way to their
static twins, and the page's policy forbids to fetch anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from odokit.report.markup import figure_block, plotly_scripts

PLOTLY_MIME = "application/vnd.plotly.v1+json"
WIDGET_MIME = "application/vnd.jupyter.widget-view+json"
WIDGET_NOTE = (
    '<p style="color:#5b6773">Interactive in a running notebook; its static figure follows.</p>'
)
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)
_EMPTY_SCRIPT = re.compile(r'<script src="">\s*</script>')


def export_notebook(path: Path) -> Path:
    """Write an executed notebook as one HTML file beside it; the notebook is left as it is.

    Args:
        path: The notebook.

    Returns:
        The HTML file.
    """
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    notebook.metadata.pop("widgets", None)
    n_figures = 0
    for data in _bundles(notebook):
        if PLOTLY_MIME in data:
            figure = data[PLOTLY_MIME]
            content = orjson.dumps({"data": figure["data"], "layout": figure["layout"]}).decode()
            block = figure_block(f"figure-{n_figures}", content, figure["layout"].get("width"))
            n_figures += 1
            data.clear()
            data["text/html"] = block
        elif WIDGET_MIME in data:
            data.clear()
            data["text/html"] = WIDGET_NOTE
    exporter = HTMLExporter(template_name="lab", embed_images=True)  # type: ignore[no-untyped-call]
    exporter.mathjax_url = ""
    exporter.require_js_url = ""
    body, _ = exporter.from_notebook_node(notebook)
    target = path.with_suffix(".html")
    target.write_text(_finished(body, n_figures), encoding="utf-8")
    return target


def _bundles(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "data" in output:
                yield output["data"]


def _finished(body: str, n_figures: int) -> str:
    """Add the policy and, when there is a figure, what draws it."""
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    body = _EMPTY_SCRIPT.sub("", body.replace("<head>", f"<head>{policy}", 1))
    if not n_figures:
        return body
    scripts = "".join(f"<script>{script}</script>" for script in plotly_scripts())
    head, _, tail = body.rpartition("</body>")
    return f"{head}{scripts}</body>{tail}"
