"""Figures of what was recorded: events, one trajectory in time, snapshots, lists on a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import polars as pl

from odokit.events import EventKind, Trajectory
from odokit.report.style import (
    BAR_PX,
    BLUE,
    GREY,
    INK,
    KIND_COLOURS,
    KIND_SYMBOLS,
    KIND_TEXT,
    ORANGE,
    QUIET,
    count_ticks,
    counted,
    empty,
    finish,
    plain,
)
from odokit.substructure import RepeatedList

if TYPE_CHECKING:
    import plotly.graph_objects as go

MAX_LISTS_SHOWN = 20


def frame_events(trajectories: Iterable[Trajectory]) -> pl.DataFrame:
    """Lay trajectories out as a frame with the main columns of `v_event`, one row an event."""
    rows = [
        {
            "trajectory_id": trajectory.id,
            "idx": event.idx,
            "kind": str(event.kind),
            "t_ms": event.t_ms,
            "url": event.url,
            "role": event.element.role if event.element else "",
            "name": event.element.name if event.element else "",
            "xpath": event.element.xpath if event.element else "",
            "value": event.value,
            "checked": event.checked,
            "method": event.request.method if event.request else "",
            "request_url": event.request.url if event.request else "",
            "operation": event.request.operation if event.request else "",
            "status": event.response.status if event.response else None,
            "snapshot": event.snapshot,
        }
        for trajectory in trajectories
        for event in trajectory.events
    ]
    return pl.DataFrame(rows, schema=_EVENT_SCHEMA)


def frame_health(trajectory: Trajectory) -> pl.DataFrame:
    """Lay a recording's health report out: what was tested, kept and missed, one row a finding."""
    health = trajectory.health
    if health is None:  # version 1 tells the gaps only
        rows = [("gap", gap, "", 1) for gap in trajectory.gaps]
    else:
        size = f"{health.snapshot_bytes / 1024:,.0f} KB on disk"
        rows = [("snapshots", size, "", health.n_snapshots)]
        rows += [
            ("self-test", ", ".join(test.failed) or "passed", test.url, 1)
            for test in health.self_tests
        ]
        rows += [("gap", gap.what, gap.where, gap.n) for gap in health.gaps]
    return pl.DataFrame(rows, schema=_HEALTH_SCHEMA, orient="row")


_HEALTH_SCHEMA = {"what": pl.String, "finding": pl.String, "where": pl.String, "n": pl.Int64}
_EVENT_SCHEMA: dict[str, type[pl.DataType]] = {
    "trajectory_id": pl.String,
    "idx": pl.Int64,
    "kind": pl.String,
    "t_ms": pl.Float64,
    "url": pl.String,
    "role": pl.String,
    "name": pl.String,
    "xpath": pl.String,
    "value": pl.String,
    "checked": pl.Boolean,
    "method": pl.String,
    "request_url": pl.String,
    "operation": pl.String,
    "status": pl.Int64,
    "snapshot": pl.String,
}


def plot_event_counts(events: pl.DataFrame) -> go.Figure:
    """Plot how many events of each of the ten kinds were recorded.

    Args:
        events: Rows of `v_event`.
    """
    import plotly.graph_objects as go

    if events.is_empty():
        return empty("No event was recorded yet", "Record or ingest demonstrations first.")
    counts = dict(events.group_by("kind").len().iter_rows())
    kinds = list(reversed(EventKind))
    n = [counts.get(str(kind), 0) for kind in kinds]
    figure = go.Figure()
    figure.add_bar(
        y=[KIND_TEXT[kind] for kind in kinds],
        x=n,
        orientation="h",
        marker={"color": [KIND_COLOURS[kind] for kind in kinds]},
        text=[f"{value:,}" for value in n],
        textposition="outside",
        textfont={"color": QUIET},
        cliponaxis=False,
        hovertemplate="%{y}: %{x:,}<extra></extra>",
    )
    figure.update_xaxes(title_text="events", rangemode="tozero", dtick=count_ticks(max(n)))
    n_trajectories = events["trajectory_id"].n_unique()
    n_interactions = sum(counts.get(str(kind), 0) for kind in EventKind if kind.is_interaction)
    title = f"{counted(events.height, 'event')} in {counted(n_trajectories, 'demonstration')}"
    subtitle = f"{n_interactions} by the user, {events.height - n_interactions} by the application"
    return finish(figure, title, subtitle, height=len(kinds) * BAR_PX + 70)


def plot_timeline(events: pl.DataFrame, *, selected: int | None = None) -> go.Figure:
    """Plot one trajectory in time, a lane for each kind of event.

    Args:
        events: Rows of `v_event` of one trajectory; of several, the first is shown.
        selected: `idx` of an event to mark.
    """
    import plotly.graph_objects as go

    if events.is_empty():
        return empty("This trajectory has no events", "Choose another, or record it again.")
    name = str(events["trajectory_id"][0])
    own = events.filter(pl.col("trajectory_id") == name).sort("idx")
    seen = set(own["kind"].to_list())
    lanes = [kind for kind in EventKind if str(kind) in seen][::-1]
    figure = go.Figure()
    if selected is not None:
        for t_ms in own.filter(pl.col("idx") == selected)["t_ms"]:
            figure.add_vline(x=t_ms / 1000, line={"color": ORANGE, "width": 3})
    for kind in lanes:
        rows = own.filter(pl.col("kind") == str(kind))
        figure.add_scatter(
            x=[t_ms / 1000 for t_ms in rows["t_ms"]],
            y=[KIND_TEXT[kind]] * rows.height,
            mode="markers",
            marker={"color": KIND_COLOURS[kind], "symbol": KIND_SYMBOLS[kind], "size": 12},
            customdata=[describe_row(row) for row in rows.iter_rows(named=True)],
            hovertemplate="%{customdata}<extra></extra>",
            showlegend=False,
        )
    figure.update_xaxes(title_text="seconds since the recording began", rangemode="tozero")
    order = [KIND_TEXT[kind] for kind in lanes]
    figure.update_yaxes(categoryorder="array", categoryarray=order)
    seconds = float(own["t_ms"].to_list()[-1]) / 1000
    title = f"{plain(name)}: {counted(own.height, 'event')} in {seconds:.1f} s"
    return finish(figure, title, "", height=len(lanes) * 38 + 70)


def describe_row(row: dict[str, object]) -> str:
    """An event of `v_event` in a few lines of plotly's markup, its texts plain: for hovering."""
    what = row["name"] or row["operation"] or row["request_url"] or row["url"]
    lines = [f"<b>#{row['idx']} {plain(row['kind'])}</b>", plain(what, 100)]
    if row["role"]:
        lines.append(f"role: {plain(row['role'])}")
    if row["value"] is not None:
        lines.append(f"value: {plain(row['value'])}")
    if row["checked"] is not None:
        lines.append("checked" if row["checked"] else "not checked")
    if row["method"]:
        status = "no answer" if row["status"] is None else row["status"]
        lines.append(f"{plain(row['method'])}, {status}")
    return "<br>".join(lines)


def plot_snapshot_sizes(snapshots: pl.DataFrame) -> go.Figure:
    """Plot each snapshot's size on the page against its size in the store.

    Args:
        snapshots: Rows of `v_snapshot`.
    """
    import plotly.graph_objects as go

    if snapshots.is_empty():
        return empty("No snapshot is stored yet", "Ingest demonstrations first.")
    figure = go.Figure()
    for is_keyframe, name, colour, symbol in (
        (True, "kept whole", INK, "square"),
        (False, "kept as a difference", BLUE, "circle"),
    ):
        rows = snapshots.filter(pl.col("is_keyframe") == is_keyframe)
        if rows.is_empty():
            continue
        figure.add_scatter(
            x=[n / 1000 for n in rows["bytes"]],
            y=[n / 1000 for n in rows["stored_bytes"]],
            mode="markers",
            name=f"{name} ({rows.height})",
            marker={"color": colour, "symbol": symbol, "size": 9, "opacity": 0.7},
            customdata=[plain(page, 100) for page in rows["page"]],
            hovertemplate="%{customdata}<br>%{x:,.1f} kB kept in %{y:,.2f} kB<extra></extra>",
        )
    figure.update_xaxes(title_text="size of the page, kB", type="log", dtick="D2")
    figure.update_yaxes(title_text="size in the store, kB", type="log", dtick="D2")
    whole, stored = int(snapshots["bytes"].sum()), int(snapshots["stored_bytes"].sum())
    title = (
        f"{counted(snapshots.height, 'snapshot')} kept {whole / max(1, stored):,.0f} times smaller"
    )
    subtitle = (
        f"{whole / 1e6:,.1f} MB of pages in {stored / 1e6:,.2f} MB; both axes are logarithmic"
    )
    return finish(figure, title, subtitle, height=340)


def plot_lists(lists: Sequence[RepeatedList], *, by: str) -> go.Figure:
    """Plot the lists found on a page by their number of members, the longest on top.

    Args:
        lists: What `find_lists` gave.
        by: The setting it was asked for, in a few words.
    """
    import plotly.graph_objects as go

    if not lists:
        return empty(f"No list by {plain(by)}", "Try a lower level, or a larger distance.")
    longest = sorted(lists, key=lambda found: -len(found.members))[:MAX_LISTS_SHOWN][::-1]
    figure = go.Figure()
    figure.add_bar(
        y=[str(i) for i in range(len(longest))],
        x=[len(found.members) for found in longest],
        orientation="h",
        marker={"color": [BLUE if found.tag in _ROW_TAGS else GREY for found in longest]},
        customdata=[plain(found.container, 160) for found in longest],
        hovertemplate="%{customdata}: %{x} members<extra></extra>",
    )
    figure.update_yaxes(
        tickvals=[str(i) for i in range(len(longest))],
        ticktext=[f"{_tail(found.container)} › {plain(found.tag)}" for found in longest],
    )
    most = len(longest[-1].members)
    figure.update_xaxes(title_text="members", rangemode="tozero", dtick=count_ticks(most))
    n_members = sum(len(found.members) for found in lists)
    title = f"{counted(len(lists), 'list')} with {counted(n_members, 'member')} by {plain(by)}"
    subtitle = "blue: list items, table rows, options; grey: other elements that look alike"
    if len(lists) > MAX_LISTS_SHOWN:
        subtitle = f"the {MAX_LISTS_SHOWN} longest; " + subtitle
    return finish(figure, title, subtitle, height=len(longest) * BAR_PX + 70)


_ROW_TAGS = frozenset({"li", "tr", "option"})


def _tail(xpath: str) -> str:
    parts = xpath.split("/")[1:]
    return plain(("…/" if len(parts) > 3 else "/") + "/".join(parts[-3:]), 60)
