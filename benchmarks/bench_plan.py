"""Planning: the package's beam search against equation 1 read word by word.

Both search the same random graphs for the same pairs of vertices, mostly of one trajectory. Ours
has the distances of all vertices to the target at once, from two sparse matrices; naive intersects
for each candidate the trajectories of candidate and target, and averages the indexes of their
events. Only the answers are in the time, the matrices of ours included, building the model not.
"""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import numpy as np
from common import Row, main, make_row, measure

from odokit.events import Event, EventKind, Header, Trajectory
from odokit.navmodel import NavModel, Vertex, Visit
from odokit.navmodel.merge import StepColumns, merge_steps
from odokit.plan import beam_search
from odokit.plan.search import BEAM_WIDTH, MAX_GAPS, MAX_PATHS, MAX_STEPS
from odokit.timeline import Step, Timeline
from odokit.urls import UrlTemplates

N_EVENTS = 60
SIZES = ((60, 40), (1_500, 20))
QUICK_SIZES = ((30, 10),)
LONG, LONG_QUERIES = 10_000, 200
SAME_TRAJECTORY_SHARE = 0.7
Paths = list[list[tuple[int, ...]]]
Pairs = list[tuple[int, int]]


def make_model(n_trajectories: int, seed: int = 0) -> NavModel:
    """A model of random walks; a few vertices are very frequent and most are rare."""
    rng = np.random.default_rng(seed)
    keys = np.minimum(rng.zipf(1.3, n_trajectories * N_EVENTS), 50 * n_trajectories)
    _, first, codes = np.unique(keys, return_index=True, return_inverse=True)
    owners = np.repeat(np.arange(n_trajectories, dtype=np.int64), N_EVENTS)
    times = np.tile(np.arange(N_EVENTS) * 700.0, n_trajectories)
    is_location = np.zeros(len(first), dtype=np.bool_)
    merged = merge_steps(StepColumns(owners, codes.ravel().astype(np.int64), is_location, times))
    click = Event(kind=EventKind.LOCATION, idx=0, t_ms=0, url="/", to_url="/")
    steps = [Step(i, click) for i in range(N_EVENTS)]
    walks = {
        f"t{i}": tuple(map(Visit, row.tolist(), steps))
        for i, row in enumerate(merged.vertex.reshape(n_trajectories, N_EVENTS))
    }
    trajectory = Trajectory(Header(trajectory_id="t"), ())
    pairs = merged.edges.select("source", "target").rows()
    return NavModel(
        model_id="random",
        identity="fingerprint",
        level=0,
        vertices=tuple(Vertex(str(i), EventKind.CLICK, {}, ()) for i in range(merged.n_vertices)),
        edges=dict.fromkeys(pairs, (1, 0.0)),
        walks=walks,
        timelines=dict.fromkeys(walks, Timeline(trajectory, ())),
        urls=UrlTemplates(),
    )


def make_queries(model: NavModel, n: int, seed: int = 1) -> Pairs:
    """Pairs of different vertices, mostly of one trajectory and in its order."""
    rng = random.Random(seed)
    walks = list(model.walks.values())
    pairs: Pairs = []
    while len(pairs) < n:
        walk = rng.choice(walks)
        source, target = sorted(rng.sample(range(N_EVENTS), 2))
        other = walk if rng.random() < SAME_TRAJECTORY_SHARE else rng.choice(walks)
        if walk[source].vertex != other[target].vertex:
            pairs.append((walk[source].vertex, other[target].vertex))
    return pairs


def ours(model: NavModel, pairs: Pairs) -> Paths:
    """The paths of every pair by the package."""
    return [beam_search(model, source, target) for source, target in pairs]


def naive(model: NavModel, pairs: Pairs) -> Paths:
    """The paths of every pair with equation 1 as it is written."""
    events: dict[int, dict[str, list[int]]] = {}
    for trajectory_id, walk in model.walks.items():
        for visit in walk:
            events.setdefault(visit.vertex, {}).setdefault(trajectory_id, []).append(visit.step.idx)
    follow: dict[int, set[int]] = {}
    for source, target in model.edges:
        follow.setdefault(source, set()).add(target)
    return [naive_search(events, follow, source, target) for source, target in pairs]


def naive_search(
    events: dict[int, dict[str, list[int]]], follow: dict[int, set[int]], source: int, target: int
) -> list[tuple[int, ...]]:
    """The beam search of the paper, distances computed when they are needed."""
    frontier: list[tuple[tuple[int, ...], int]] = [((source,), 0)]
    found: list[tuple[int, ...]] = []
    for _ in range(MAX_STEPS):
        grown = []
        for path, gaps in frontier:
            for vertex in sorted(follow.get(path[-1], ())):
                if vertex in path:
                    continue
                if vertex == target:
                    found.append((*path, vertex))
                    continue
                distance = naive_distance(events, vertex, target)
                now = gaps + (distance == float("inf"))
                if now <= MAX_GAPS:
                    grown.append((distance, (*path, vertex), now))
        grown.sort(key=lambda item: (item[0], item[1]))
        frontier = [(path, gaps) for _, path, gaps in grown[:BEAM_WIDTH]]
        if not frontier or len(found) >= MAX_PATHS:
            break
    return found[:MAX_PATHS]


def naive_distance(events: dict[int, dict[str, list[int]]], vertex: int, target: int) -> float:
    """Equation 1: difference of the mean indexes over the common trajectories."""
    common = events[vertex].keys() & events[target].keys()
    if not common:
        return float("inf")
    own, theirs = (
        [index for trajectory in common for index in events[v][trajectory]]
        for v in (vertex, target)
    )
    return abs(sum(own) / len(own) - sum(theirs) / len(theirs))


def rows(quick: bool) -> list[Row]:
    """Compare at growing sizes; at the last the naive way answers a few only."""
    found = []
    sizes = [(size, n, n) for size, n in (QUICK_SIZES if quick else SIZES)]
    sizes += [] if quick else [(LONG, LONG_QUERIES, 3)]
    for n_trajectories, n_queries, n_naive in sizes:
        model = make_model(n_trajectories)
        queries = make_queries(model, n_queries)
        mine = measure(partial(ours, model, queries), repeats=3)
        theirs = measure(partial(naive, model, queries[:n_naive]))
        assert mine.result[:n_naive] == theirs.result, "the ways differ"
        name = f"plan a path, {n_trajectories} trajectories"
        found.append(
            per_query(make_row(name, len(model.vertices), mine, theirs), n_queries, n_naive)
        )
    return found


def per_query(row: Row, n_ours: int, n_naive: int) -> Row:
    """A row of seconds a query."""
    mine, theirs = row.ours_s / n_ours, row.naive_s / n_naive
    ratio = round(theirs / mine, 1)
    return replace(row, ours_s=round(mine, 6), naive_s=round(theirs, 6), ratio=ratio)


if __name__ == "__main__":
    main(rows)
