"""Views without a browser: a trait changes what is shown, bad values are refused, twins exist."""

from __future__ import annotations

import asyncio
import html
from typing import Any

import ipywidgets
import plotly.graph_objects as go
import pytest
import traitlets
from report_models import EVIL_NAME, make_trajectories

from odokit.errors import ReportError
from odokit.events import Trajectory
from odokit.navmodel import NavModel, discover_model, foreground
from odokit.plan import Plan, find_paths, make_instructions
from odokit.substructure import Hdbscan, Paper
from odokit.widgets import GraphView, ListView, PathView, TrajectoryView
from odokit.widgets.panes import PLOTLY_MIME, make_code, make_page, make_table

PAGE = (
    "<html><head><meta http-equiv=refresh content='0;url=https://evil.example'></head><body>"
    "<script>steal()</script><ul>"
    + "".join(f"<li><a href='https://evil.example'>{x}</a></li>" for x in "wxyz")
    + "</ul>"
    "<div><p>a</p><p>b</p><p><b>c</b></p></div></body></html>"
)


@pytest.fixture
def model() -> NavModel:
    return discover_model(make_trajectories())


@pytest.fixture
def plan(model: NavModel) -> Plan:
    targets = model.target_writes("create_class_1")
    path = find_paths(model, None, targets, "create_class_1")[0]
    values = {"title": EVIL_NAME}
    instructions = make_instructions(model, path, "create a class", values)
    return Plan("create a class", "create_class_1", values, targets, path, 1, instructions, None)


def shown(widget: ipywidgets.Widget) -> str:
    """All HTML of a view, joined."""
    panes = [child for child in widget.children if isinstance(child, ipywidgets.HTML)]
    return "\n".join(pane.value for pane in panes)


def drawn(widget: ipywidgets.Widget) -> Any:
    """The figure a view shows."""
    (output,) = [child for child in widget.children if isinstance(child, ipywidgets.Output)]
    (cell,) = output.outputs
    return cell["data"][PLOTLY_MIME]


# ------------------------------------------------------------------------------ graph


def test_graph_view_shows_the_selected_vertex(model: NavModel) -> None:
    view = GraphView(model)
    before = shown(view), drawn(view)
    number = next(n for n in foreground(model) if model.vertices[n].label.startswith("enter"))
    view.selected = model.vertices[number].name
    assert "Class name" in shown(view)
    assert "create_class_1#3" in shown(view)
    assert (shown(view), drawn(view)) != before


def test_graph_view_escapes_what_pages_say(model: NavModel) -> None:
    number = next(n for n in foreground(model) if "evil" in model.vertices[n].label)
    view = GraphView(model, model.vertices[number].name)
    assert EVIL_NAME not in shown(view)
    assert html.escape(EVIL_NAME) in shown(view)


def test_graph_view_follows_its_menu(model: NavModel) -> None:
    view = GraphView(model)
    picker = view.children[0]
    picker.value = picker.options[2][1]
    assert view.selected == picker.options[2][1]


def test_graph_view_refuses_an_unknown_vertex(model: NavModel) -> None:
    with pytest.raises(traitlets.TraitError, match="has no vertex nonsense"):
        GraphView(model).selected = "nonsense"


def test_graph_view_has_a_static_twin(model: NavModel) -> None:
    view = GraphView(model)
    figure = view.figure()
    assert isinstance(figure, go.Figure)
    opaque = [
        data[0]
        for trace in figure.data
        if trace.customdata is not None
        for data, opacity in zip(trace.customdata, trace.marker.opacity, strict=True)
        if opacity == 1.0
    ]
    assert opaque == [model.get_vertex(view.selected)]


# ------------------------------------------------------------------------------ trajectory


def test_trajectory_view_steps_through_events() -> None:
    view = TrajectoryView(make_trajectories())
    first = shown(view)
    view.event = 3
    assert "data_entry" in shown(view)
    assert "Biology" in shown(view)
    assert shown(view) != first
    assert drawn(view)["layout"]["shapes"][0]["x0"] == pytest.approx(1.5)


def test_trajectory_view_shows_recorded_html_as_text() -> None:
    view = TrajectoryView(make_trajectories(), "enrol_1", event=3)
    assert "<a href" not in shown(view)
    assert "onclick=&quot;steal()&quot;" in shown(view)


def test_another_trajectory_begins_at_its_first_event() -> None:
    view = TrajectoryView(make_trajectories(), event=6)
    view.trajectory_id = "enrol_1"
    assert view.event == 0
    assert view.children[1].max == len(make_trajectories()[1].events) - 1
    view.event = 8
    assert view.children[1].value == 8


@pytest.mark.parametrize(("trait", "value"), [("event", 7), ("event", -1), ("trajectory_id", "x")])
def test_trajectory_view_refuses_what_is_not_there(trait: str, value: object) -> None:
    view = TrajectoryView(make_trajectories())
    with pytest.raises(traitlets.TraitError, match="is n"):
        setattr(view, trait, value)


def test_trajectory_view_needs_an_event() -> None:
    empty = Trajectory(make_trajectories()[0].header, ())
    with pytest.raises(ReportError, match="record or ingest"):
        TrajectoryView([empty])


def test_trajectory_view_has_a_static_twin() -> None:
    figure = TrajectoryView(make_trajectories(), "enrol_1", event=2).figure()
    assert figure.layout.title.text.startswith("enrol_1: 9 events")


# ------------------------------------------------------------------------------ list


def test_list_view_finds_anew_at_another_level() -> None:
    view = ListView(PAGE, level=0)
    assert [(one.tag, len(one.members)) for one in view.lists] == [("li", 4), ("p", 3)]
    before = shown(view)
    view.level = 1
    assert [(one.tag, len(one.members)) for one in view.lists] == [("li", 4), ("p", 2)]
    assert shown(view) != before


def test_list_view_outlines_the_selected_list() -> None:
    view = ListView(PAGE, level=0)
    assert "li:nth-of-type(4)" in shown(view)
    view.selected = 1
    assert "p:nth-of-type(3)" in shown(view)
    assert "li:nth-of-type" not in shown(view)


def test_list_view_of_a_page_without_lists() -> None:
    view = ListView("<p>alone</p>")
    assert view.lists == ()
    assert view.figure().layout.title.text == "No list by exact, level 3"


@pytest.mark.parametrize(
    ("trait", "value"),
    [("level", 17), ("level", -1), ("eps", 0.0), ("lsh_threshold", 2.0), ("min_cluster_size", 1)],
)
def test_list_view_refuses_what_has_no_meaning(trait: str, value: float) -> None:
    view = ListView(PAGE, level=0)
    with pytest.raises(traitlets.TraitError, match=f"{trait} of list discovery is {value}"):
        setattr(view, trait, value)


def test_list_view_refuses_what_is_not_there() -> None:
    view = ListView(PAGE, level=0)
    for trait, value in (("selected", 2), ("method", "fuzzy")):
        with pytest.raises(traitlets.TraitError):
            setattr(view, trait, value)


def test_list_view_shows_the_thresholds_of_its_setting() -> None:
    view = ListView(PAGE)
    shown = [[c.description for c in view.children if c.layout.display != "none"][1:-3]]
    for method in ("paper", "hdbscan"):
        view.method = method
        shown.append([c.description for c in view.children if c.layout.display != "none"][1:-3])
    assert shown == [["Level"], ["LSH", "Distance"], ["Smallest"]]
    assert view.setting == Hdbscan()


def test_list_view_of_the_published_pipeline_follows_its_distance() -> None:
    view = ListView(PAGE, method="paper", eps=0.9)
    assert ("li", 4) in [(one.tag, len(one.members)) for one in view.lists]
    assert view.setting == Paper(eps=0.9)
    view.eps = 0.01
    assert view.setting == Paper(eps=0.01)
    assert view.figure().layout.title.text.endswith("by paper, lsh_threshold 0.5, eps 0.01")


async def test_list_view_follows_a_slider_when_it_rests() -> None:
    view = ListView(PAGE, level=0)
    slider = next(c for c in view.children if getattr(c, "description", "") == "Level")
    settled = asyncio.Event()
    seen: list[int] = []
    view.observe(lambda change: (seen.append(change["new"]), settled.set()), "level")
    slider.value = 1
    slider.value = 2
    assert view.level == 0
    await settled.wait()
    assert seen == [2]


def test_list_view_has_a_static_twin() -> None:
    bars = ListView(PAGE, level=0).figure().data[0]
    assert list(bars.x) == [3, 4]


# ------------------------------------------------------------------------------ path


def test_path_view_shows_the_selected_interaction(model: NavModel, plan: Plan) -> None:
    view = PathView(model, plan)
    assert "New class" in shown(view)
    view.step = 1
    assert html.escape(EVIL_NAME) in shown(view)
    assert EVIL_NAME not in shown(view)
    view.step = 2
    assert "POST /api/auth/classroom" in shown(view)


def test_path_view_refuses_a_step_beyond_the_plan(model: NavModel, plan: Plan) -> None:
    with pytest.raises(traitlets.TraitError, match="0 to 2"):
        PathView(model, plan).step = 3


def test_path_view_has_a_static_twin(model: NavModel, plan: Plan) -> None:
    figure = PathView(model, plan).figure()
    assert figure.layout.title.text.startswith("3 interactions to do")


# ------------------------------------------------------------------------------ panes


def test_a_recorded_page_cannot_act() -> None:
    frame = make_page(PAGE, ["/html/body/ul/li[1]"])
    assert frame.startswith('<iframe sandbox=""')
    assert frame.count("<") == 2  # the frame's own tags; the page is an attribute's text
    page = html.unescape(frame.split('srcdoc="')[1].split('" style=')[0])
    assert page.startswith('<meta http-equiv="Content-Security-Policy" content="default-src \'none')
    assert "html>body>ul>li:nth-of-type(1){outline" in page


def test_an_xpath_that_is_none_outlines_nothing() -> None:
    assert "outline" not in make_page(PAGE, ["/html/body/*{}</style><script>"])


def test_panes_escape_and_cut() -> None:
    assert "<script>" not in make_table([("a", "<script>")], ("<b>",)) + make_code("<script>")
    assert make_code("#" * 5000).count("#") == 2000
