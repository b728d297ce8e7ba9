"""Figures of what agents did: success, tokens, decisions, time, how elements were found.

Each takes a frame of the store's views (`v_episode`, `v_step`, `v_decision`) and changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from odokit.errors import ReportError
from odokit.report.baselines import BASELINES
from odokit.report.style import (
    BAR_PX,
    BLUE,
    GREY,
    MEANS,
    MEANS_TEXT,
    ORANGE,
    OUTCOME_PATTERNS,
    OUTCOMES,
    QUIET,
    count_ticks,
    counted,
    empty,
    finish,
    plain,
)
from odokit.report.tables import success_rate

if TYPE_CHECKING:
    import plotly.graph_objects as go

GROUPS = ("template_id", "role")
POINTS = ("demonstration", "writes", "path", "value", "target", "option", "state")
POINT_TEXT = {
    "demonstration": "which demonstration",
    "writes": "which writes complete it",
    "path": "which path",
    "value": "value of a field",
    "target": "which element",
    "option": "option of a list",
    "state": "state of a checkbox",
}
RUNGS = (
    "name+regions",
    "item",
    "name+near",
    "name",
    "name+text",
    "name+place",
    "nameless+attribute",
    "nameless+regions",
    "nameless+near",
    "nameless",
    "nameless+text",
    "nameless+place",
    "attribute",
    "alike name",
    "place",
    "option",
    "not found",
)
"""Rungs of the locate ladder from strict to loose; `option` was decided on the live page."""


def plot_success(episodes: pl.DataFrame, *, by: str = "template_id") -> go.Figure:
    """Plot how the tasks ended, one bar a group, the weakest group on top.

    Args:
        episodes: Rows of `v_episode`.
        by: Grouping column, `template_id` or `role`.
    """
    import plotly.graph_objects as go

    if by not in GROUPS:
        raise ReportError(f"cannot group by {by!r}; choose {' or '.join(GROUPS)}.")
    if episodes.is_empty():
        return empty("No task was executed yet", "Execute tasks to see how they end.")
    share = episodes.group_by(by).agg((pl.col("outcome") == "success").mean().alias("share"))
    groups = share.sort("share", by, descending=[True, True])[by].to_list()
    figure = go.Figure()
    for outcome, colour in OUTCOMES.items():
        rows = episodes.filter(pl.col("outcome") == outcome)
        counts = dict(rows.group_by(by).len().iter_rows())
        if not counts:
            continue
        n = [counts.get(group, 0) for group in groups]
        figure.add_bar(
            y=[plain(group, 40) for group in groups],
            x=n,
            name=f"{outcome} ({sum(n)})",
            orientation="h",
            marker={"color": colour, "pattern": _pattern(outcome)},
            hovertemplate="%{y}: %{x} " + outcome + "<extra></extra>",
        )
    figure.update_layout(barmode="stack")
    most = int(episodes.group_by(by).len()["len"].sort()[-1])
    figure.update_xaxes(title_text="tasks", rangemode="tozero", dtick=count_ticks(most))
    return finish(figure, *_success_title(episodes), height=len(groups) * BAR_PX + 70)


def _pattern(outcome: str) -> dict[str, object]:
    """Hatching, so that outcomes can be told apart without colours."""
    return {
        "shape": OUTCOME_PATTERNS[outcome],
        "fillmode": "overlay",
        "fgcolor": "white",
        "size": 7,
    }


def _success_title(episodes: pl.DataFrame) -> tuple[str, str]:
    rate = success_rate(episodes)
    if not rate.n:
        return "No task could be judged", f"{counted(rate.n_error, 'error')} of site or harness"
    title = f"{100 * rate.share:.1f} % of {counted(rate.n, 'task')} succeeded"
    subtitle = f"95 % interval {100 * rate.interval.low:.1f} to {100 * rate.interval.high:.1f} %"
    if rate.n_error:
        subtitle += f"; {counted(rate.n_error, 'error')} of site or harness counted apart"
    return title, subtitle


def plot_tokens(episodes: pl.DataFrame) -> go.Figure:
    """Plot the mean tokens a task beside what was published of other agents, and their spread.

    Args:
        episodes: Rows of `v_episode`; when no task needed a token there is no spread to show.
    """
    from plotly.subplots import make_subplots

    if episodes.is_empty():
        return empty("No tokens were counted yet", "Execute tasks to see what they cost.")
    has_spread = int(episodes["tokens"].sum()) > 0
    shape = {"rows": 2, "row_heights": [0.56, 0.44], "vertical_spacing": 0.2} if has_spread else {}
    figure = make_subplots(**shape)
    n_bars = _add_token_means(figure, episodes)
    if has_spread:
        _add_token_spread(figure, episodes)
    mean = float(_mean(episodes["tokens"]))
    n_free = episodes.filter(pl.col("tokens") == 0).height
    title = f"{mean:,.0f} tokens a task; {n_free} of {counted(episodes.height, 'task')} needed none"
    subtitle = f"published: {plain(BASELINES[0].setting)}, read on {BASELINES[0].as_of:%d.%m.%Y}"
    return finish(figure, title, subtitle, height=n_bars * 34 + (300 if has_spread else 70))


def _add_token_means(figure: go.Figure, episodes: pl.DataFrame) -> int:
    ours = _named(episodes).group_by("name", maintain_order=True).agg(pl.col("tokens").mean())
    names = [f"{b.agent}, published" for b in reversed(BASELINES)] + ours["name"].to_list()
    tokens = [float(b.tokens_per_task) for b in reversed(BASELINES)] + ours["tokens"].to_list()
    figure.add_bar(
        y=names,
        x=tokens,
        orientation="h",
        marker={"color": [GREY] * len(BASELINES) + [BLUE] * len(ours)},
        text=[f"{value:,.0f}" for value in tokens],
        textposition="outside",
        cliponaxis=False,
        hovertemplate="%{y}: %{x:,.0f} tokens a task<extra></extra>",
        showlegend=False,
        row=1,
        col=1,
    )
    figure.update_xaxes(title_text="mean tokens a task", rangemode="tozero", row=1, col=1)
    return len(names)


def _named(episodes: pl.DataFrame) -> pl.DataFrame:
    """Add the name under which rows are compared: agent and policy."""
    names = [
        plain(f"{agent}, {policy}", 40)
        for agent, policy in episodes.select("agent", "policy").iter_rows()
    ]
    return episodes.with_columns(pl.Series("name", names, dtype=pl.String))


def _add_token_spread(figure: go.Figure, episodes: pl.DataFrame) -> None:
    ordered = episodes.sort("tokens", descending=True)
    hover = [
        f"{plain(i)}<br>{plain(t, 100)}"
        for i, t in ordered.select("instance_id", "task").iter_rows()
    ]
    for column, name, colour in (
        ("tokens_prompt", "prompt", BLUE),
        ("tokens_completion", "completion", ORANGE),
    ):
        figure.add_bar(
            x=list(range(1, ordered.height + 1)),
            y=ordered[column].to_list(),
            name=name,
            marker={"color": colour},
            customdata=hover,
            hovertemplate="%{customdata}<br>%{y:,} " + name + " tokens<extra></extra>",
            row=2,
            col=1,
        )
    highest = max(1, int(ordered["tokens"][0]))
    figure.update_xaxes(title_text="tasks, dearest first", row=2, col=1)
    figure.update_yaxes(title_text="tokens", range=[0, highest * 1.1], row=2, col=1)
    figure.update_layout(barmode="stack")


def plot_decisions(decisions: pl.DataFrame) -> go.Figure:
    """Plot who answered which kind of question.

    Args:
        decisions: Rows of `v_decision`.
    """
    import plotly.graph_objects as go

    if decisions.is_empty():
        return empty("No decision was taken yet", "Execute tasks to see who decides what.")
    found = decisions["point"].unique().to_list()
    points = [p for p in (*POINTS, *sorted(set(found) - set(POINTS))) if p in found]
    figure = go.Figure()
    for means, colour in MEANS.items():
        rows = decisions.filter(pl.col("means") == means)
        counts = dict(rows.group_by("point").len().iter_rows())
        figure.add_bar(
            y=[plain(POINT_TEXT.get(p, p)) for p in reversed(points)],
            x=[counts.get(p, 0) for p in reversed(points)],
            name=f"{MEANS_TEXT[means]} ({rows.height})",
            orientation="h",
            marker={"color": colour},
            hovertemplate="%{y}: %{x} by " + means + "<extra></extra>",
        )
    figure.update_layout(barmode="stack")
    most = int(decisions.group_by("point").len()["len"].sort()[-1])
    figure.update_xaxes(title_text="decisions", rangemode="tozero", dtick=count_ticks(most))
    n_free = decisions.filter(pl.col("means") != "llm").height
    title = f"{n_free} of {counted(decisions.height, 'decision')} cost nothing"
    subtitle = f"the others took {int(decisions['tokens'].sum()):,} tokens"
    if n_free == decisions.height:
        subtitle = "none was put to a language model"
    return finish(figure, title, subtitle, height=len(points) * (BAR_PX + 8) + 70)


def plot_seconds(episodes: pl.DataFrame, steps: pl.DataFrame) -> go.Figure:
    """Plot how long tasks took, each a dot, and how long single steps did.

    Args:
        episodes: Rows of `v_episode`.
        steps: Rows of `v_step` of the same runs.
    """
    from plotly.subplots import make_subplots

    if episodes.is_empty():
        return empty("No task was timed yet", "Execute tasks to see how long they take.")
    medians = episodes.group_by("template_id").agg(pl.col("seconds").median().alias("median"))
    groups = medians.sort("median", "template_id")["template_id"].to_list()
    height = len(groups) * (BAR_PX - 4) + 330
    figure = make_subplots(
        rows=2, cols=1, row_heights=[1 - 200 / height, 200 / height], vertical_spacing=75 / height
    )
    for outcome, colour in OUTCOMES.items():
        rows = episodes.filter(pl.col("outcome") == outcome)
        if rows.is_empty():
            continue
        figure.add_scatter(
            x=rows["seconds"].to_list(),
            y=[plain(t, 40) for t in rows["template_id"]],
            mode="markers",
            name=outcome,
            marker={"color": colour, "size": 9, "opacity": 0.75},
            customdata=[plain(i) for i in rows["instance_id"]],
            hovertemplate="%{customdata}: %{x:.1f} s<extra></extra>",
            row=1,
            col=1,
        )
    order = [plain(g, 40) for g in groups]
    figure.update_yaxes(categoryorder="array", categoryarray=order, row=1, col=1)
    figure.update_xaxes(title_text="seconds a task", rangemode="tozero", row=1, col=1)
    figure.add_histogram(
        x=steps["seconds"].to_list(), marker={"color": BLUE}, showlegend=False, row=2, col=1
    )
    figure.update_xaxes(title_text="seconds a step", rangemode="tozero", row=2, col=1)
    figure.update_yaxes(title_text="steps", row=2, col=1)
    title = f"Half of the tasks took at most {float(_median(episodes['seconds'])):.1f} s"
    subtitle = "one dot a task, the slowest template on top"
    if not steps.is_empty():
        subtitle += f"; half of the steps took at most {float(_median(steps['seconds'])):.2f} s"
    return finish(figure, title, subtitle, height=height)


def plot_rungs(steps: pl.DataFrame) -> go.Figure:
    """Plot how elements were recognised, from strict to loose.

    Args:
        steps: Rows of `v_step`.
    """
    import plotly.graph_objects as go

    if steps.is_empty():
        return empty("No step was taken yet", "Execute tasks to see how elements are found.")
    rung = pl.col("rung").str.replace(r"^attribute .*", "attribute").replace({"": "not found"})
    named = steps.with_columns(rung)
    table = named.group_by("rung").agg(pl.len().alias("n"), pl.col("confidence").mean())
    rows = {name: (n, confidence) for name, n, confidence in table.iter_rows()}
    names: Sequence[str] = [r for r in (*RUNGS, *sorted(set(rows) - set(RUNGS))) if r in rows]
    names = names[::-1]
    figure = go.Figure()
    figure.add_bar(
        y=[plain(name) for name in names],
        x=[rows[name][0] for name in names],
        orientation="h",
        marker={"color": [GREY if name == "not found" else BLUE for name in names]},
        text=[f"{rows[n][0]}" + (f" at {rows[n][1]:.2f}" if rows[n][1] else "") for n in names],
        textposition="outside",
        textfont={"color": QUIET},
        cliponaxis=False,
        hovertemplate="%{y}: %{x} steps<extra></extra>",
    )
    most = max(n for n, _ in rows.values())
    figure.update_xaxes(title_text="steps", rangemode="tozero", dtick=count_ticks(most))
    n_strict = rows.get(RUNGS[0], (0, 0.0))[0]
    title = f"{n_strict} of {counted(steps.height, 'element')} were found by name and region"
    subtitle = "strict on top, loose below; after the count, mean confidence"
    return finish(figure, title, subtitle, height=len(names) * (BAR_PX + 6) + 70)


def _mean(values: pl.Series) -> float:
    return float(sum(values.to_list()) / max(1, len(values)))


def _median(values: pl.Series) -> float:
    ordered = values.sort().to_list()
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return float(ordered[middle])
    return float(ordered[middle - 1] + ordered[middle]) / 2
