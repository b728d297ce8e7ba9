"""Find paths through the model: the demonstration's own walk, and the paper's beam search.

Source: paper, section IV, "Computing paths": a beam of the three vertices nearest to the target by
equation 1, no vertex twice, at most five steps at infinite distance.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from odokit.events import EventKind
from odokit.navmodel import NavModel, Visit, first_visit
from odokit.timeline import Step

BEAM_WIDTH = 3
MAX_GAPS = 5
MAX_PATHS = 5
MAX_STEPS = 80


@dataclass(frozen=True)
class PathStep:
    """A vertex of a path with the recorded step that shows how it is done.

    Attributes:
        vertex: Vertex number.
        trajectory_id: Trajectory of the reference step.
        step: The reference step.
    """

    vertex: int
    trajectory_id: str
    step: Step


@dataclass(frozen=True)
class NavPath:
    """A path from a source to a target.

    Attributes:
        steps: The steps, source first.
        overlap: Share of its vertices that the chosen demonstration visits, from 0 to 1.
        origin: `demonstration`, `bridge` or `beam`.
    """

    steps: tuple[PathStep, ...]
    overlap: float
    origin: str

    def describe(self, model: NavModel) -> str:
        """The path's interactions in words, one a line."""
        labels = [model.vertices[s.vertex] for s in self.steps]
        return "\n".join(f"- {v.label}" for v in labels if v.kind.is_interaction)


def find_paths(
    model: NavModel, source: int | None, targets: Sequence[Visit], trajectory_id: str
) -> list[NavPath]:
    """Find candidate paths from the current location to the last target write.

    Args:
        model: The behaviour model.
        source: Vertex of the current location; None when it was never demonstrated.
        targets: Target writes in order, visits of the chosen demonstration.
        trajectory_id: The chosen demonstration.

    Returns:
        The demonstration's own walk first if it passes the source; else a bridge to it; then what
        beam search finds. Without a source, the whole demonstration, to be started at its start.
    """
    walk = model.walks[trajectory_id]
    end = next(i for i, visit in enumerate(walk) if visit.step.idx == targets[-1].step.idx)
    if source is None:
        return [_demonstrated(model, walk[: end + 1], trajectory_id, "demonstration")]
    paths: list[NavPath] = []
    start = first_visit(walk[: end + 1], source)
    if start is not None:
        paths.append(_demonstrated(model, walk[start : end + 1], trajectory_id, "demonstration"))
    else:
        paths.extend(_bridges(model, source, walk[: end + 1], trajectory_id))
    for vertices in beam_search(model, source, targets[-1].vertex):
        path = _referenced(model, vertices, trajectory_id, "beam")
        if all(_keys(path) != _keys(p) for p in paths):
            paths.append(path)
    return paths


def beam_search(
    model: NavModel,
    source: int,
    target: int,
    *,
    width: int = BEAM_WIDTH,
    max_gaps: int = MAX_GAPS,
    max_paths: int = MAX_PATHS,
) -> list[tuple[int, ...]]:
    """The paper's modified beam search.

    Args:
        model: The behaviour model.
        source: Start vertex.
        target: End vertex.
        width: Paths kept at each depth.
        max_gaps: Most steps at infinite distance in a path.
        max_paths: Paths after which to stop.

    Returns:
        Vertex sequences from source to target, in the order found.
    """
    distance = model.distances_to(target)
    frontier: list[tuple[tuple[int, ...], int]] = [((source,), 0)]
    found: list[tuple[int, ...]] = []
    for _ in range(MAX_STEPS):
        grown: list[tuple[float, tuple[int, ...], int]] = []
        for path, gaps in frontier:
            following = np.array(model.successors(path[-1]), dtype=np.int64)
            if target in following and target != source:
                found.append((*path, target))
            following = following[~np.isin(following, (*path, target))]
            if gaps == max_gaps:
                following = following[np.isfinite(distance[following])]
            # A hub has thousands of ways on, and no more than `width` of them can stay.
            for vertex in following[np.lexsort((following, distance[following]))][:width].tolist():
                away = float(distance[vertex])
                grown.append((away, (*path, vertex), gaps + int(np.isinf(away))))
        nearest = heapq.nsmallest(width, grown, key=lambda item: (item[0], item[1]))
        frontier = [(path, gaps) for _, path, gaps in nearest]
        if not frontier or len(found) >= max_paths:
            break
    return found[:max_paths]


def _demonstrated(
    model: NavModel, visits: Sequence[Visit], trajectory_id: str, origin: str
) -> NavPath:
    steps = tuple(PathStep(v.vertex, trajectory_id, v.step) for v in visits)
    return NavPath(steps, _overlap(model, steps, trajectory_id), origin)


def _bridges(
    model: NavModel, source: int, walk: Sequence[Visit], trajectory_id: str
) -> list[NavPath]:
    """The shortest way from the source onto the demonstration's first locations."""
    joins = [
        i for i, visit in enumerate(walk) if model.vertices[visit.vertex].kind is EventKind.LOCATION
    ]
    for join in joins:
        route = model.shortest_route(source, walk[join].vertex)
        if not route:
            continue
        bridge = _referenced(model, tuple(route[:-1]), trajectory_id, "bridge").steps
        rest = _demonstrated(model, walk[join:], trajectory_id, "bridge").steps
        steps = (*bridge, *rest)
        if not any(model.vertices[s.vertex].kind.is_write for s in bridge):
            return [NavPath(steps, _overlap(model, steps, trajectory_id), "bridge")]
    return []


def _referenced(
    model: NavModel, vertices: tuple[int, ...], trajectory_id: str, origin: str
) -> NavPath:
    """Give each vertex a reference step: the demonstration's if it has one, else any."""
    steps: list[PathStep] = []
    for vertex in vertices:
        walks = [trajectory_id, *(t for t in model.walks if t != trajectory_id)]
        for trajectory in walks:
            position = first_visit(model.walks[trajectory], vertex)
            if position is not None:
                step = model.walks[trajectory][position].step
                steps.append(PathStep(vertex, trajectory, step))
                break
    return NavPath(tuple(steps), _overlap(model, tuple(steps), trajectory_id), origin)


def _overlap(model: NavModel, steps: Sequence[PathStep], trajectory_id: str) -> float:
    own = {visit.vertex for visit in model.walks[trajectory_id]}
    return sum(s.vertex in own for s in steps) / max(1, len(steps))


def _keys(path: NavPath) -> tuple[int, ...]:
    return tuple(s.vertex for s in path.steps)
