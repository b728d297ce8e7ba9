"""An executed notebook becomes a page that opens offline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from report_frames import HOSTILE, episodes_frame

from odokit.report import export_notebook, plot_success
from odokit.report.notebook import PLOTLY_MIME, WIDGET_MIME


def write_notebook(path: Path, *bundles: dict[str, Any]) -> Path:
    """A notebook whose one cell showed these."""
    outputs = [nbformat.v4.new_output("display_data", data=data) for data in bundles]
    cell = nbformat.v4.new_code_cell("x", outputs=outputs)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {}}}
    nbformat.write(notebook, path)
    return path


def figure_bundle() -> dict[str, Any]:
    return {PLOTLY_MIME: json.loads(plot_success(episodes_frame()).to_json())}


@pytest.fixture
def page(tmp_path: Path) -> str:
    view = {WIDGET_MIME: {"model_id": "m", "version_major": 2}, "text/plain": "GraphView()"}
    text = {"text/plain": HOSTILE}
    path = write_notebook(tmp_path / "n.ipynb", figure_bundle(), view, figure_bundle(), text)
    return export_notebook(path).read_text(encoding="utf-8")


def test_figures_are_drawn_by_one_plotly(page: str) -> None:
    assert page.count('data-figure="figure-') == 2
    assert page.count("Plotly.newPlot(block") == 1
    assert len(page) < 8_000_000


def test_widgets_give_way_to_their_twins(page: str) -> None:
    assert "Interactive in a running notebook" in page
    assert "html-manager" not in page
    assert "GraphView()" not in page


def test_nothing_is_fetched(page: str) -> None:
    head = page[:2000]
    assert "default-src 'none'" in head
    assert "<script src" not in page
    assert '<link rel="stylesheet"' not in page


def test_hostile_output_is_text(page: str) -> None:
    assert HOSTILE not in page
    assert "&lt;/script&gt;" in page


def test_a_notebook_without_figures_carries_no_plotly(tmp_path: Path) -> None:
    path = export_notebook(write_notebook(tmp_path / "n.ipynb", {"text/plain": "1"}))
    assert path.stat().st_size < 600_000


def test_the_notebook_is_left_as_it_is(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "n.ipynb", figure_bundle())
    before = path.read_bytes()
    export_notebook(path)
    assert path.read_bytes() == before
