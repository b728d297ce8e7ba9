"""What reports say of the ladder: how reliable its confidences are, and what had changed."""

from __future__ import annotations

import polars as pl

from odokit.report import plot_reliability, summarize_repairs


def test_the_reliability_diagram_counts_what_is_above_the_threshold() -> None:
    bins = [
        {"held_out": 0, "confidence": 0.95, "n": 40, "right": 39},
        {"held_out": 1, "confidence": 0.9, "n": 60, "right": 60},
        {"held_out": 1, "confidence": 0.5, "n": 10, "right": 1},
    ]
    figure = plot_reliability(bins, 0.8)
    assert "99.0 % of 100 elements" in figure.layout.title.text
    dots = [trace for trace in figure.data if trace.mode == "markers"]
    assert [list(d.x) for d in dots] == [[0.95], [0.9, 0.5]]
    assert list(dots[0].y) == [39 / 40]


def test_without_a_calibration_the_figure_says_how_to_make_one() -> None:
    figure = plot_reliability([], 0.8)
    assert "not calibrated" in figure.to_json()


def test_repairs_of_one_element_are_one_proposal() -> None:
    row = {
        "model_id": "m",
        "vertex": "v",
        "label": "click button “Save”",
        "run_id": "r",
        "episode_id": "e1",
        "number": 3,
        "rung": "alike name",
        "confidence": 0.9,
        "is_success": True,
        "element": '{"tag": "button", "name": "Svae", "xpath": "/html/body/button"}',
    }
    other = {**row, "episode_id": "e2", "is_success": False}
    nameless = {**row, "vertex": "w", "element": '{"tag": "i", "xpath": "/html/body/i"}'}
    first, second = summarize_repairs(pl.DataFrame([nameless, row, other])).iter_rows(named=True)
    assert (first["vertex"], first["name_now"], first["n_steps"]) == ("v", "Svae", 2)
    assert (first["n_success"], first["xpath_now"]) == (1, "/html/body/button")
    assert (second["vertex"], second["name_now"]) == ("w", "")
