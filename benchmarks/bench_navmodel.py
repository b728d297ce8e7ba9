"""Graph build: the package's passes on integer codes against a loop over events with networkx.

Both begin with the same columns: trajectory, key (text; empty for a DOM effect) and time of each
event, 60 events a trajectory, keys drawn by Zipf's law. Ours codes the texts, merges and makes the
igraph; naive looks every event up in a dictionary and grows a networkx graph edge by edge. Their
sizes are compared before the row counts. A last row adds one trajectory to a model of many.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import igraph
import networkx as nx
import numpy as np
import polars as pl
from common import Row, compare, main, make_row, measure

from odokit.events import Event, EventKind, Header, Request, Trajectory
from odokit.navmodel import ModelBuilder, discover_model
from odokit.navmodel.merge import IGNORED, StepColumns, merge_steps

N_EVENTS = 60
N_TEXTS = 2_000_000
EFFECT_SHARE, LOCATION_SHARE = 0.2, 0.1
SIZES = (45, 450, 4_500, 45_000)
QUICK_SIZES = (45, 450)
GROWN = 450
Size = tuple[int, int, int]


@dataclass(frozen=True)
class Events:
    """The events of all trajectories as columns, one trajectory after the other.

    Attributes:
        trajectory: Number of its trajectory.
        key: What identifies it; `at ...` for a location, empty for a DOM effect.
        t_ms: Time.
    """

    trajectory: list[int]
    key: list[str]
    t_ms: list[float]


def make_events(n_trajectories: int, seed: int = 0) -> Events:
    """Random events; a few keys are very frequent and most are rare, as in real logs."""
    rng = np.random.default_rng(seed)
    n = n_trajectories * N_EVENTS
    numbers = np.minimum(rng.zipf(1.3, n), N_TEXTS).tolist()
    draws = rng.random(n).tolist()
    keys = [
        ""
        if draw < EFFECT_SHARE
        else f"at /page/{number}"
        if draw < EFFECT_SHARE + LOCATION_SHARE
        else f"click button “Action {number}” of /page/{number % 97}"
        for number, draw in zip(numbers, draws, strict=True)
    ]
    times = (np.arange(n) % N_EVENTS * 700.0 + rng.random(n) * 300).tolist()
    return Events(np.repeat(np.arange(n_trajectories), N_EVENTS).tolist(), keys, times)


def ours(trajectory: np.ndarray, key: pl.Series, t_ms: np.ndarray) -> Size:
    """Vertices, edges and total count of the graph, by the package's merge."""
    texts = key.unique()
    coded = pl.DataFrame({"key": key}).join(
        pl.DataFrame({"key": texts.filter(texts != "")}).with_row_index("code"),
        on="key",
        how="left",
        maintain_order="left",
    )["code"]
    kinds = texts.filter(texts != "").str.starts_with("at ").to_numpy()
    codes = coded.cast(pl.Int64).fill_null(IGNORED).to_numpy()
    merged = merge_steps(StepColumns(trajectory, codes, kinds, t_ms))
    edges = merged.edges
    pairs = list(zip(edges["source"].to_list(), edges["target"].to_list(), strict=True))
    graph = igraph.Graph(n=merged.n_vertices, edges=pairs, directed=True)
    graph.es["count"] = edges["count"].to_list()
    return graph.vcount(), graph.ecount(), int(edges["count"].sum())


def naive(events: Events) -> Size:
    """The same by dictionaries and networkx, event by event."""
    names = naive_names(events)
    graph: nx.DiGraph = nx.DiGraph()
    previous: int | None = None
    for place, name in enumerate(names):
        if place and events.trajectory[place] != events.trajectory[place - 1]:
            previous = None
        if name is None:
            continue
        graph.add_node(name)
        graph.nodes[name].setdefault("instances", []).append(place)
        if previous is not None:
            gap = max(0.0, events.t_ms[place] - events.t_ms[previous])
            if graph.has_edge(names[previous], name):
                edge = graph.edges[names[previous], name]
                edge["count"] += 1
                edge["ms"] += gap
            else:
                graph.add_edge(names[previous], name, count=1, ms=gap)
        previous = place
    total = sum(count for _, _, count in graph.edges(data="count"))
    return graph.number_of_nodes(), graph.number_of_edges(), total


def naive_names(events: Events) -> list[object]:
    """The vertex of every event: its key, for an effect those around it, None when ignored."""
    names: list[object] = []
    last: object = None
    runs: list[tuple[int, object]] = []
    for place, (trajectory, key) in enumerate(zip(events.trajectory, events.key, strict=True)):
        if place and trajectory != events.trajectory[place - 1]:
            last, runs = None, []
        names.append(key or None)
        if not key:
            if last is not None:
                runs.append((place, last))
            continue
        for effect, before in runs:
            is_load = str(before).startswith("at ")
            names[effect] = (before,) if is_load else (before, key)
        last, runs = key, []
    return names


def build_row(n_trajectories: int) -> Row:
    """Compare both at a size; that they agree is part of it."""
    events = make_events(n_trajectories)
    columns = (np.array(events.trajectory), pl.Series(events.key), np.array(events.t_ms))
    mine = measure(partial(ours, *columns), repeats=3)
    theirs = measure(partial(naive, events))
    assert mine.result == theirs.result, (mine.result, theirs.result)
    name = f"graph build, {n_trajectories} trajectories"
    return make_row(name, len(events.key), mine, theirs)


def make_trajectory(number: int) -> Trajectory:
    """A trajectory of locations and writes."""
    site = "http://127.0.0.1:9"
    rng = np.random.default_rng(number)
    events = []
    for idx, place in enumerate(rng.integers(0, 40, N_EVENTS).tolist()):
        url = f"{site}/page-{place}/{number}"
        fields = (
            {"kind": EventKind.LOCATION, "to_url": url}
            if idx % 2 == 0
            else {
                "kind": EventKind.REST_CALL,
                "request": Request(method="POST", url=f"{site}/api/thing-{place}/{number}"),
            }
        )
        events.append(Event.model_validate({"idx": idx, "t_ms": 700.0 * idx, "url": url} | fields))
    return Trajectory(Header(trajectory_id=f"t{number:05}"), tuple(events))


def grow(builder: ModelBuilder, trajectory: Trajectory) -> int:
    """Add one trajectory to a builder that holds many, and build."""
    return len(builder.add([trajectory]).build().vertices)


def rebuild(trajectories: list[Trajectory]) -> int:
    """Build from all trajectories anew."""
    return len(discover_model(trajectories).vertices)


def rows(quick: bool) -> list[Row]:
    """Compare at growing sizes."""
    found = [build_row(size) for size in (QUICK_SIZES if quick else SIZES)]
    n_grown = 45 if quick else GROWN
    trajectories = [make_trajectory(i) for i in range(n_grown + 1)]
    builder = ModelBuilder().add(trajectories[:-1])
    name = f"add one trajectory to {n_grown}"
    again = partial(rebuild, trajectories)
    found.append(compare(name, n_grown, partial(grow, builder, trajectories[-1]), again, repeats=1))
    return found


if __name__ == "__main__":
    main(rows)
