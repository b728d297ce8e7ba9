"""Tables, figures and the HTML report, over a small study with hostile texts in it."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import polars as pl
import pytest
from report_frames import (
    HOSTILE,
    calls_frame,
    decisions_frame,
    episodes_frame,
    runs_frame,
    snapshots_frame,
    steps_frame,
)
from report_models import make_trajectories

from odokit.dom import parse
from odokit.errors import ReportError
from odokit.events import EventKind
from odokit.navmodel import NavModel, discover_model, foreground, layout_model
from odokit.plan import Plan, find_paths, make_instructions
from odokit.report import (
    BASELINES,
    failures,
    frame_events,
    plot_decisions,
    plot_event_counts,
    plot_list_quality,
    plot_lists,
    plot_model,
    plot_path,
    plot_rungs,
    plot_seconds,
    plot_snapshot_sizes,
    plot_success,
    plot_timeline,
    plot_tokens,
    success_rate,
    summarize_episodes,
    summarize_runs,
    write_report,
)
from odokit.report.style import count_ticks
from odokit.stats import wilson_interval
from odokit.substructure import find_lists

MARKUP = re.compile(r"<(?!/?(b|br|span|extra)\b)", re.IGNORECASE)


@pytest.fixture(scope="module")
def model() -> NavModel:
    return discover_model(make_trajectories())


def make_plan(model: NavModel) -> Plan:
    trajectory_id = next(iter(model.walks))
    targets = model.target_writes(trajectory_id)
    path = find_paths(model, None, targets, trajectory_id)[0]
    values = {"title": "Algebra <b>1</b>"}
    return Plan(
        task='create a class called "Algebra <b>1</b>"',
        trajectory_id=trajectory_id,
        values=values,
        targets=targets,
        path=path,
        n_paths=1,
        instructions=make_instructions(model, path, "create a class", values),
        start_url=None,
    )


def texts_of(value: Any) -> list[str]:
    """Every text in a figure's data."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_of(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts_of(item)]
    return []


# ------------------------------------------------------------------------------ tables


def test_errors_of_the_harness_are_counted_apart() -> None:
    rate = success_rate(episodes_frame())
    assert (rate.n, rate.n_success, rate.n_error) == (29, 26, 1)
    assert rate.share == pytest.approx(26 / 29)
    assert rate.interval == wilson_interval(26, 29)


def test_episodes_are_summarised_by_template() -> None:
    table = summarize_episodes(episodes_frame())
    assert table["template_id"].to_list() == sorted(table["template_id"])
    quiz = table.row(by_predicate=pl.col("template_id") == "create-quiz", named=True)
    assert (quiz["n"], quiz["n_success"], quiz["n_failure"]) == (6, 4, 2)
    assert quiz["tokens_mean"] == pytest.approx(270 / 6)
    assert quiz["seconds_median"] == pytest.approx(8.0)
    interval = wilson_interval(4, 6)
    assert (quiz["low"], quiz["high"]) == (interval.low, interval.high)


def test_a_template_with_only_errors_has_no_rate() -> None:
    table = summarize_episodes(episodes_frame().filter(pl.col("outcome") == "error"))
    assert table["success"].to_list() == [None]
    assert table["n_error"].to_list() == [1]


def test_runs_are_summarised_even_when_nothing_was_executed() -> None:
    table = summarize_runs(runs_frame())
    assert table["n"].to_list() == [29, 0]
    assert table["success"].to_list() == [pytest.approx(26 / 29), None]
    assert table["tokens_mean"].to_list() == [pytest.approx(18.0), None]


def test_no_runs_give_an_empty_table_with_its_columns() -> None:
    table = summarize_runs(runs_frame().head(0))
    assert table.height == 0
    assert "tokens_mean" in table.columns


def test_failures_name_the_last_thing_tried() -> None:
    table = failures(episodes_frame(), steps_frame())
    assert table["outcome"].to_list() == ["failure", "failure", "error", "abstained"]
    assert table["last_result"].to_list()[0] == "not recognised"
    assert table["last_step"].to_list()[0] == "click button “Step 3”"


def test_failures_without_steps_are_listed_too() -> None:
    table = failures(episodes_frame(), steps_frame().head(0))
    assert table.height == 4
    assert table["last_step"].to_list() == [None] * 4


# ------------------------------------------------------------------------------ figures


def all_figures(model: NavModel) -> dict[str, go.Figure]:
    events = frame_events(make_trajectories())
    page = f"<ul>{'<li><a>x</a></li>' * 3}</ul><p title='{HOSTILE}'>"
    return {
        "success": plot_success(episodes_frame()),
        "role": plot_success(episodes_frame(), by="role"),
        "tokens": plot_tokens(episodes_frame()),
        "decisions": plot_decisions(decisions_frame()),
        "seconds": plot_seconds(episodes_frame(), steps_frame()),
        "rungs": plot_rungs(steps_frame()),
        "counts": plot_event_counts(events),
        "timeline": plot_timeline(events, selected=1),
        "sizes": plot_snapshot_sizes(snapshots_frame()),
        "lists": plot_lists(find_lists(parse(page)), by="exact"),
        "model": plot_model(model),
        "path": plot_path(model, make_plan(model)),
    }


def test_no_figure_shows_recorded_markup(model: NavModel) -> None:
    for name, figure in all_figures(model).items():
        found = [t for t in texts_of(figure.to_plotly_json()["data"]) if MARKUP.search(t)]
        assert found == [], name
        shown = [a.text for a in figure.layout.annotations] + [figure.layout.title.text]
        assert [t for t in shown if t and MARKUP.search(t)] == [], name


def test_the_check_for_markup_sees_what_plotly_would_render() -> None:
    assert MARKUP.search('see <a href="https://evil.example">here</a>')
    assert MARKUP.search("&lt;a&gt;") is None


def test_every_figure_has_a_title_and_our_template(model: NavModel) -> None:
    for name, figure in all_figures(model).items():
        assert figure.layout.title.text, name
        assert figure.layout.template.layout.plot_bgcolor == "white", name


def test_success_title_states_rate_interval_and_errors() -> None:
    figure = plot_success(episodes_frame())
    interval = wilson_interval(26, 29)
    assert figure.layout.title.text == "89.7 % of 29 tasks succeeded"
    assert f"{100 * interval.low:.1f} to {100 * interval.high:.1f}" in (
        figure.layout.title.subtitle.text
    )
    assert "1 error" in figure.layout.title.subtitle.text


def test_success_bars_hold_every_task_the_weakest_template_on_top() -> None:
    figure = plot_success(episodes_frame())
    assert sum(sum(bar.x) for bar in figure.data) == 30
    assert figure.data[0].y[-1] == "create-quiz"


def test_success_can_only_be_grouped_by_what_is_known() -> None:
    with pytest.raises(ReportError, match="template_id or role"):
        plot_success(episodes_frame(), by="task")


def test_tokens_stand_beside_the_published_ones() -> None:
    bars = plot_tokens(episodes_frame()).data[0]
    shown = dict(zip(bars.y, bars.x, strict=True))
    assert shown["odobot, cascade"] == pytest.approx(18.0)
    for baseline in BASELINES:
        assert shown[f"{baseline.agent}, published"] == baseline.tokens_per_task


def test_a_run_without_tokens_has_no_spread_to_show() -> None:
    free = episodes_frame().with_columns(
        pl.lit(0).alias(name) for name in ("tokens", "tokens_prompt", "tokens_completion")
    )
    figure = plot_tokens(free)
    assert len(figure.data) == 1
    assert figure.layout.title.text == "0 tokens a task; 30 of 30 tasks needed none"


@pytest.mark.parametrize(
    ("most", "step"),
    [(0, 1), (1, 1), (12, 1), (13, 2), (60, 5), (61, 10), (450, 50), (10**9, 10**8)],
)
def test_counts_have_whole_ticks(most: int, step: int) -> None:
    assert count_ticks(most) == step


def test_decisions_are_counted_by_who_decided() -> None:
    figure = plot_decisions(decisions_frame())
    totals = {bar.name: sum(bar.x) for bar in figure.data}
    assert totals == {
        "rule (free) (58)": 58,
        "local similarity (free) (60)": 60,
        "language model (2)": 2,
    }
    assert figure.layout.title.text == "118 of 120 decisions cost nothing"


def test_rungs_stand_from_strict_to_loose() -> None:
    names = list(plot_rungs(steps_frame()).data[0].y)[::-1]
    assert names[0] == "name+regions"
    assert names[-2:] == ["alike name", "not found"]


def test_event_counts_show_all_ten_kinds() -> None:
    bars = plot_event_counts(frame_events(make_trajectories())).data[0]
    assert len(bars.y) == len(EventKind)
    assert sum(bars.x) == sum(len(t.events) for t in make_trajectories())


def test_a_timeline_shows_one_trajectory_and_marks_the_selected_event() -> None:
    events = frame_events(make_trajectories())
    figure = plot_timeline(events, selected=2)
    first = make_trajectories()[0]
    assert sum(len(trace.x) for trace in figure.data) == len(first.events)
    assert figure.layout.shapes[0].x0 == pytest.approx(first.events[2].t_ms / 1000)


def test_snapshot_sizes_state_the_saving() -> None:
    whole, stored = snapshots_frame()["bytes"].sum(), snapshots_frame()["stored_bytes"].sum()
    assert (
        f"{whole / stored:,.0f} times" in plot_snapshot_sizes(snapshots_frame()).layout.title.text
    )


@pytest.mark.parametrize(
    "plot",
    [
        lambda: plot_success(episodes_frame().head(0)),
        lambda: plot_tokens(episodes_frame().head(0)),
        lambda: plot_decisions(decisions_frame().head(0)),
        lambda: plot_seconds(episodes_frame().head(0), steps_frame().head(0)),
        lambda: plot_rungs(steps_frame().head(0)),
        lambda: plot_event_counts(frame_events([])),
        lambda: plot_timeline(frame_events([])),
        lambda: plot_snapshot_sizes(snapshots_frame().head(0)),
        lambda: plot_lists((), by="exact"),
        lambda: plot_list_quality(sweep_frame().head(0)),
    ],
)
def test_nothing_to_show_is_said_with_what_to_do(plot: Any) -> None:
    figure = plot()
    assert len(figure.data) == 0
    assert figure.layout.title.text
    assert figure.layout.annotations[0].text.endswith(".")


# ------------------------------------------------------------------------------ graph


def test_layout_leaves_out_effects_and_bridges_them(model: NavModel) -> None:
    layout = layout_model(model)
    assert set(layout.points) == foreground(model)
    assert all(model.vertices[v].kind is not EventKind.DOM_EFFECT for v in layout.points)
    for walk in model.walks.values():
        kept = [v.vertex for v in walk if v.vertex in layout.points]
        assert all(pair in layout.edges for pair in pairwise(kept))


def test_layout_puts_no_two_vertices_in_one_place(model: NavModel) -> None:
    for kept in (None, range(len(model.vertices))):
        points = list(layout_model(model, kept).points.values())
        assert len(set(points)) == len(points)


def test_layout_runs_from_left_to_right_but_for_ways_back(model: NavModel) -> None:
    layout = layout_model(model)
    for walk in model.walks.values():
        kept = [v.vertex for v in walk if v.vertex in layout.points]
        first = {vertex: kept.index(vertex) for vertex in kept}
        for i, (a, b) in enumerate(pairwise(kept)):
            if first[b] == i + 1:
                assert layout.points[a][0] < layout.points[b][0]


def test_layout_of_nothing_is_empty(model: NavModel) -> None:
    assert layout_model(model, ()).points == {}


def test_a_highlighted_path_is_drawn_and_the_rest_dimmed(model: NavModel) -> None:
    walk = next(iter(model.walks.values()))
    path = [visit.vertex for visit in walk]
    figure = plot_model(model, highlight=path)
    assert [t.name for t in figure.data if t.name == "the path"] == ["the path"]
    opacity = {
        data[0]: shown
        for trace in figure.data
        if trace.customdata is not None
        for data, shown in zip(trace.customdata, trace.marker.opacity, strict=True)
    }
    assert {v for v, shown in opacity.items() if shown == 1.0} == set(path) & set(opacity)
    assert min(opacity.values()) < 1.0


def test_hovering_a_vertex_tells_its_parameters_and_instances(model: NavModel) -> None:
    lines = "\n".join(texts_of(plot_model(model).to_plotly_json()["data"]))
    assert "role: button" in lines
    assert "create_class_1#" in lines


def test_a_plan_shows_steps_values_and_goal(model: NavModel) -> None:
    figure = plot_path(model, make_plan(model))
    shown = [a.text for a in figure.layout.annotations]
    assert any("Algebra &lt;b&gt;1&lt;/b&gt;" in text for text in shown)
    assert "completes the task" in shown[-1]
    assert len(shown) == len(figure.data[1].y)


# ------------------------------------------------------------------------------ report


class _Reader(HTMLParser):
    """Elements, their attributes, and the text of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._open: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self._open = dict(attrs)
            self.scripts.append((self._open, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._open = None

    def handle_data(self, data: str) -> None:
        if self._open is not None:
            attributes, text = self.scripts.pop()
            self.scripts.append((attributes, text + data))


RUN = {
    "run_id": "run-1",
    "started_at": "2026-11-30",
    "parameters": {"task": HOSTILE},
    "commit": "c",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, model: NavModel) -> Path:
    return write_report(
        tmp_path_factory.mktemp("reports") / "run-1" / "report.html",
        run=RUN,
        episodes=episodes_frame(),
        steps=steps_frame(),
        decisions=decisions_frame(),
        calls=calls_frame(),
        model=model,
    )


@pytest.fixture(scope="module")
def page(report: Path) -> _Reader:
    reader = _Reader()
    reader.feed(report.read_text(encoding="utf-8"))
    return reader


def test_report_fetches_nothing(page: _Reader) -> None:
    assert [a for tag, a in page.elements if "src" in a or "href" in a or "srcset" in a] == []
    assert {tag for tag, _ in page.elements} & {"link", "img", "iframe", "object", "base"} == set()


def test_report_allows_only_its_own_scripts(page: _Reader) -> None:
    (policy,) = [a["content"] for t, a in page.elements if t == "meta" and "http-equiv" in a]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    run = [text for attributes, text in page.scripts if "type" not in attributes]
    hashes = [base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in run]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert len(run) == 2


def test_hostile_text_is_shown_and_never_becomes_markup(report: Path, page: _Reader) -> None:
    text = report.read_text(encoding="utf-8")
    assert HOSTILE not in text
    assert "&lt;/script&gt;&lt;script&gt;document.title" in text
    data = [text for attributes, text in page.scripts if attributes.get("type")]
    assert all("<" not in block for block in data)


def test_report_states_the_headline_numbers_and_their_source(report: Path) -> None:
    text = report.read_text(encoding="utf-8")
    for needed in ("89.7 %", "26 of 29", "arXiv 2609.13491", "19,800", "35,100", "102,000"):
        assert needed in text, needed


def test_report_lists_every_task_the_bad_ones_first(page: _Reader) -> None:
    outcomes = [
        str(a["class"]).split()[1]
        for t, a in page.elements
        if t == "span" and str(a.get("class")).startswith("outcome ")
    ]
    assert outcomes[:4] == ["failure", "failure", "error", "abstained"]
    assert outcomes[4:] == ["success"] * 26


def test_report_holds_plotly_once_and_six_figures(report: Path, page: _Reader) -> None:
    assert report.stat().st_size < 8_000_000
    assert len([a for a, _ in page.scripts if a.get("type") == "application/json"]) == 6


def test_report_of_a_run_without_tasks_says_so(tmp_path: Path) -> None:
    path = write_report(
        tmp_path / "report.html",
        run={"run_id": "empty"},
        episodes=episodes_frame().head(0),
        steps=steps_frame().head(0),
        decisions=decisions_frame().head(0),
        calls=calls_frame().head(0),
    )
    assert "no task was executed" in path.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------ list quality


def sweep_frame() -> pl.DataFrame:
    exact = [("exact", level, None, None, 0.98, 0.9 + level / 50) for level in range(5)]
    paper = [("paper", None, lsh, eps, 0.3, eps) for lsh in (0.3, 0.5) for eps in (0.5, 0.9)]
    columns = ["setting", "level", "lsh_threshold", "eps", "recall", "precision"]
    return pl.DataFrame([*exact, *paper], columns, orient="row")


def test_list_quality_says_where_both_measures_are_good() -> None:
    figure = plot_list_quality(sweep_frame())
    title = figure.layout.title.text
    assert title == "Both reach 95% at level 3 to 4; the published pipeline at best 30%"
    assert [trace.name for trace in figure.data if len(trace.x) == 2] == [
        "recall, LSH 0.3",
        "recall, LSH 0.5",
        "precision, LSH 0.3",
        "precision, LSH 0.5",
    ]
