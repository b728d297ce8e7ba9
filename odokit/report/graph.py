"""Draw a behaviour model and a plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from odokit.events import EventKind
from odokit.navmodel import BLANK, Layout, NavModel, Vertex, foreground, layout_model
from odokit.report.style import (
    FAINT,
    GREY,
    INK,
    KIND_COLOURS,
    KIND_SYMBOLS,
    KIND_TEXT,
    ORANGE,
    QUIET,
    VERMILLION,
    counted,
    finish,
    plain,
)

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from odokit.plan import Instruction, Plan

LAYER_PX = 92
ROW_PX = 68
MIN_WIDTH_PX = 900
MAX_SHOWN_INSTANCES = 4
LABEL_CHARS = 24
EDGE_CLASSES = ((1, 1.0), (3, 2.0), (8, 3.5), (10**9, 5.5))
"""Edges are drawn in classes of equal width: (up to this count, width in pixels)."""
CURVE_POINTS = 14

Point = tuple[float, float]


def plot_model(
    model: NavModel, *, highlight: Sequence[int] = (), kept: Iterable[int] | None = None
) -> go.Figure:
    """Draw the behaviour graph in layers, from where tasks start on the left to where they end.

    Args:
        model: The behaviour model.
        highlight: Vertex numbers of a path, in order; the rest is dimmed.
        kept: Vertices to draw; all but DOM effects and the application's own writes when None.
    """
    import plotly.graph_objects as go

    layout = layout_model(model, kept)
    figure = go.Figure()
    figure.add_traces(list(_edge_traces(layout)))
    path = [v for v in highlight if v in layout.points]
    if path:
        figure.add_trace(_path_trace(layout, path))
    figure.add_traces(list(_vertex_traces(model, layout, frozenset(path))))
    n_layers = 1 + max((x for x, _ in layout.points.values()), default=0)
    n_rows = 1 + max((y for _, y in layout.points.values()), default=0)
    figure.update_xaxes(visible=False, range=[-0.8, n_layers - 0.2])
    figure.update_yaxes(visible=False, range=[n_rows - 0.3, -0.7])
    figure.update_layout(width=max(MIN_WIDTH_PX, int(n_layers * LAYER_PX)), dragmode="pan")
    left_out = len(model.vertices) - len(layout.points)
    taught = f"hat {counted(len(model.walks), 'demonstration')} taught of the application"
    title = f"{_named_path(model, path)} in w{taught}" if path else f"W{taught}"
    subtitle = (
        f"{len(layout.points)} vertices from first to last step; bigger and thicker: seen more "
        f"often; dotted: back to an earlier step; left out: {left_out} page changes and background "
        "writes"
    )
    finish(figure, title, subtitle, height=int(n_rows * ROW_PX) + 48)
    return figure


def _edge_traces(layout: Layout) -> Iterator[go.Scatter]:
    import plotly.graph_objects as go

    lowest = 0
    for highest, width in EDGE_CLASSES:
        lines = [
            _curve(layout, pair)
            for pair, count in layout.edges.items()
            if lowest < count <= highest and pair[0] != pair[1]
        ]
        lowest = highest
        forward = [line for line in lines if line[0][0] < line[-1][0]]
        back = [line for line in lines if line[0][0] >= line[-1][0]]
        for group, dash in ((forward, "solid"), (back, "dot")):
            x, y = _joined(group)
            line = {"width": width, "color": "#c5ced6", "dash": dash}
            if group:
                yield go.Scatter(
                    x=x, y=y, mode="lines", line=line, hoverinfo="skip", showlegend=False
                )


def _curve(layout: Layout, pair: tuple[int, int]) -> list[Point]:
    """An edge as points: level at its ends; the way back bows upwards."""
    (x0, y0), (x1, y1) = layout.points[pair[0]], layout.points[pair[1]]
    shares = [i / CURVE_POINTS for i in range(CURVE_POINTS + 1)]
    if x0 >= x1:
        lift = 0.3 + 0.06 * (x0 - x1)
        return [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t - 4 * lift * t * (1 - t)) for t in shares]
    return [(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t * t * (3 - 2 * t)) for t in shares]


def _joined(lines: Iterable[Sequence[Point]]) -> tuple[list[float | None], list[float | None]]:
    x: list[float | None] = []
    y: list[float | None] = []
    for line in lines:
        x += [*(p[0] for p in line), None]
        y += [*(p[1] for p in line), None]
    return x, y


def _path_trace(layout: Layout, path: Sequence[int]) -> go.Scatter:
    import plotly.graph_objects as go

    x, y = _joined(_curve(layout, pair) for pair in pairwise(path) if pair[0] != pair[1])
    line = {"width": 6, "color": ORANGE}
    return go.Scatter(x=x, y=y, mode="lines", line=line, hoverinfo="skip", name="the path")


def _vertex_traces(model: NavModel, layout: Layout, path: frozenset[int]) -> Iterator[go.Scatter]:
    import plotly.graph_objects as go

    for kind in KIND_SYMBOLS:
        numbers = [v for v in layout.points if model.vertices[v].kind is kind]
        if not numbers:
            continue
        shown = [1.0 if not path or v in path else 0.25 for v in numbers]
        yield go.Scatter(
            x=[layout.points[v][0] for v in numbers],
            y=[layout.points[v][1] for v in numbers],
            mode="markers+text",
            name=KIND_TEXT[kind],
            marker={
                "symbol": KIND_SYMBOLS[kind],
                "color": KIND_COLOURS[kind],
                "size": [_size(model.vertices[v]) for v in numbers],
                "opacity": shown,
                "line": {"width": 1.5, "color": "white"},
            },
            text=[_short_label(model.vertices[v]) for v in numbers],
            textposition=[_side(layout.points[v]) for v in numbers],
            textfont={"size": 10, "color": [INK if s == 1 else GREY for s in shown]},
            customdata=[[v, describe_vertex(model.vertices[v])] for v in numbers],
            hovertemplate="%{customdata[1]}<extra></extra>",
        )


def _named_path(model: NavModel, path: Sequence[int]) -> str:
    """What is picked out, as the beginning of a title."""
    if len(path) == 1:
        return f"“{_short_label(model.vertices[path[0]])}”"
    return f"A way of {counted(len(path), 'step')}"


def _size(vertex: Vertex) -> float:
    return float(min(30, 11 + 2.2 * len(vertex.instances) ** 0.5))


def _side(point: Point) -> str:
    """Labels of neighbouring layers stand above and below, so that each has room for two."""
    return "top center" if round(point[0]) % 2 else "bottom center"


def _short_label(vertex: Vertex) -> str:
    if vertex.kind is EventKind.LOCATION:
        return plain(path_tail(vertex.fixed["path"]), LABEL_CHARS)
    if vertex.kind.is_write:
        what = vertex.fixed.get("operation") or path_tail(vertex.fixed["path"])
        return plain(f"{vertex.fixed['method']} {what}", LABEL_CHARS)
    if vertex.kind is EventKind.DOM_EFFECT:
        return ""
    name = vertex.label.partition("“")[2].rstrip("”") or vertex.label
    if name == "{}":
        return "one of a list" if vertex.dynamic_xpaths else "named by the task"
    return plain(name, LABEL_CHARS)


def path_tail(path: str) -> str:
    """The end of an address template: its last two segments that say something."""
    parts = [p for p in path.split("/") if p not in ("", "#")]
    return "/".join(parts[-2:]) or "/"


def describe_vertex(vertex: Vertex) -> str:
    """A vertex in a few lines of plotly's markup, its texts plain: for hovering."""
    lines = [f"<b>{plain(vertex.label)}</b>", KIND_TEXT[vertex.kind]]
    lines += [f"{plain(k)}: {plain(v)}" for k, v in vertex.fixed.items() if v]
    if vertex.free_targets:
        slots = dict.fromkeys(t.slot for t in vertex.free_targets.values())
        lines.append(f"which one: given by {plain(', '.join(slots))}")
    lines.append(f"seen {counted(len(vertex.instances), 'time')}")
    lines += [f"  {plain(i)}" for i in vertex.instances[:MAX_SHOWN_INSTANCES]]
    return "<br>".join(lines)


def plot_path(model: NavModel, plan: Plan) -> go.Figure:
    """Draw a plan as a list of steps, top to bottom: what is done, with which value, what follows.

    Args:
        model: The behaviour model the plan was made with.
        plan: The plan.
    """
    import plotly.graph_objects as go

    rows = _path_rows(model, plan)
    figure = go.Figure()
    y = list(range(len(rows)))
    figure.add_trace(
        go.Scatter(
            x=[0] * len(y), y=y, mode="lines", line={"width": 4, "color": FAINT}, hoverinfo="skip"
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[0] * len(y),
            y=y,
            mode="markers",
            marker={
                "size": 15,
                "color": [KIND_COLOURS[row.kind] for row in rows],
                "symbol": [KIND_SYMBOLS[row.kind] for row in rows],
            },
            text=[row.hover for row in rows],
            hovertemplate="%{text}<extra></extra>",
        )
    )
    for i, row in enumerate(rows):
        figure.add_annotation(x=0.03, y=i, text=row.text, showarrow=False, xanchor="left")
    figure.update_xaxes(visible=False, range=[-0.05, 1], fixedrange=True)
    figure.update_yaxes(visible=False, range=[len(rows) - 0.4, -0.6], fixedrange=True)
    title = f"{counted(len(plan.instructions), 'interaction')} to do: {plain(plan.task, 90)}"
    subtitle = (
        f"as in {plain(plan.trajectory_id)}; {plan.path.origin} path, "
        f"{counted(plan.n_paths, 'candidate')}, {100 * plan.path.overlap:.0f} % of it in that "
        "demonstration"
    )
    figure.update_layout(showlegend=False)
    return finish(figure, title, subtitle, height=len(rows) * 30 + 48)


@dataclass(frozen=True)
class _Row:
    """A step of a plan as it is shown; texts are plain."""

    kind: EventKind
    text: str
    hover: str


def _path_rows(model: NavModel, plan: Plan) -> list[_Row]:
    instructions = iter(plan.instructions)
    goals = {(plan.trajectory_id, t.step.idx) for t in plan.targets}
    rows: list[_Row] = []
    shown = foreground(model)
    for step in plan.path.steps:
        vertex = model.vertices[step.vertex]
        text = plain(vertex.label)
        if vertex.kind.is_interaction:
            text = _instruction_text(next(instructions))
        if (step.trajectory_id, step.step.idx) in goals:
            text += f'  <span style="color:{QUIET}">completes the task</span>'
        if step.vertex in shown:
            rows.append(_Row(vertex.kind, text, describe_vertex(vertex)))
    return rows


def _instruction_text(instruction: Instruction) -> str:
    """What is done, with what comes from the task in colour."""
    named = instruction.target.name or instruction.target.wanted or BLANK
    before, blank, after = instruction.label.partition(BLANK)
    label = f"{plain(before)}{_value_text(named)}{plain(after)}" if blank else plain(before)
    question = instruction.question
    value = question.bound if question is not None else None
    return f"<b>{label}</b>" + (f"  {_value_text(value)}" if value else "")


def _value_text(value: str) -> str:
    return f'<span style="color:{VERMILLION}">{plain(value, 60)}</span>'
