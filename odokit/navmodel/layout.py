"""Where the vertices of a behaviour model stand when it is drawn, left to right as tasks go on.

Only what a reader looks for is drawn by default: DOM effects and the writes that come with every
page hide the structure. Left-out vertices are bridged, so that a walk stays one line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from odokit.events import EventKind
from odokit.navmodel.model import NavModel

Pair = tuple[int, int]


@dataclass(frozen=True)
class Layout:
    """A drawing of a model as data.

    Attributes:
        points: Place of each drawn vertex: its layer from 0 at the left, its row downwards from 0.
        edges: Times one drawn vertex came right after another.
    """

    points: Mapping[int, tuple[float, float]]
    edges: Mapping[Pair, int]


def foreground(model: NavModel) -> frozenset[int]:
    """Vertices that tell what was done: all but DOM effects and the application's own writes."""
    return frozenset(
        number
        for number, vertex in enumerate(model.vertices)
        if vertex.kind is not EventKind.DOM_EFFECT and not model.is_noise(number)
    )


def layout_model(model: NavModel, kept: Iterable[int] | None = None) -> Layout:
    """Lay a model out in layers, as a tree of its strongest edges with the others across it.

    Args:
        model: The behaviour model.
        kept: Vertices to draw; the foreground when None.

    Source:
        Layers by longest path; rows by E. M. Reingold, J. S. Tilford, Tidier drawings of trees
        (1981). igraph 1.0's Sugiyama layout corrupts memory on graphs with cycles.
    """
    chosen = foreground(model) if kept is None else frozenset(kept)
    walks = [[v.vertex for v in walk if v.vertex in chosen] for walk in model.walks.values()]
    edges = Counter(pair for walk in walks for pair in pairwise(walk))
    order = list(dict.fromkeys(vertex for walk in walks for vertex in walk))
    starts = list(dict.fromkeys(walk[0] for walk in walks if walk))
    forward = _forward_edges([*starts, *order], edges)
    layer = _longest_paths(order, forward)
    rows = _rows(order, layer, _tree(forward, layer, edges))
    return Layout({v: (float(layer[v]), rows[v]) for v in order}, dict(edges))


def _forward_edges(order: Iterable[int], edges: Iterable[Pair]) -> list[Pair]:
    """The edges that close no cycle, by depth-first search from where walks start."""
    after: dict[int, list[int]] = {}
    for source, target in edges:
        after.setdefault(source, []).append(target)
    forward: list[Pair] = []
    seen: set[int] = set()
    for root in order:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, iter(after.get(root, ())))]
        on_stack = {root}
        while stack:
            vertex, rest = stack[-1]
            follower = next(rest, None)
            if follower is None:
                on_stack.discard(stack.pop()[0])
            elif follower not in on_stack:
                forward.append((vertex, follower))
                if follower not in seen:
                    seen.add(follower)
                    on_stack.add(follower)
                    stack.append((follower, iter(after.get(follower, ()))))
    return forward


def _longest_paths(order: Sequence[int], forward: Sequence[Pair]) -> dict[int, int]:
    """Layer of each vertex: the edges of the longest way to it."""
    after: dict[int, list[int]] = {}
    open_edges = Counter(target for _, target in forward)
    for source, target in forward:
        after.setdefault(source, []).append(target)
    layer = dict.fromkeys(order, 0)
    ready = [v for v in order if not open_edges[v]]
    while ready:
        vertex = ready.pop()
        for follower in after.get(vertex, ()):
            layer[follower] = max(layer[follower], layer[vertex] + 1)
            open_edges[follower] -= 1
            if not open_edges[follower]:
                ready.append(follower)
    return layer


def _tree(
    forward: Iterable[Pair], layer: Mapping[int, int], edges: Mapping[Pair, int]
) -> dict[int, list[int]]:
    """Children of each vertex: those it leads to most often among the vertices one layer before."""
    parent: dict[int, int] = {}
    for source, target in forward:
        is_near = layer[source] + 1 == layer[target]
        best = edges.get((parent.get(target, -1), target), 0)
        if is_near and edges[source, target] > best:
            parent[target] = source
    children: dict[int, list[int]] = {}
    for child, source in parent.items():
        children.setdefault(source, []).append(child)
    return children


def _rows(
    order: Sequence[int], layer: Mapping[int, int], children: Mapping[int, Sequence[int]]
) -> dict[int, float]:
    """Rows in which sub-trees lie as near each other as they may, parents amid their children."""
    offset: dict[int, float] = {}
    contour: dict[int, dict[int, tuple[float, float]]] = {}
    for vertex in sorted(order, key=lambda v: -layer[v]):
        below = children.get(vertex, ())
        merged = _pack(below, contour, offset)
        own = (offset[below[0]] + offset[below[-1]]) / 2 if below else 0.0
        for child in below:
            offset[child] -= own
        contour[vertex] = {depth: (a - own, b - own) for depth, (a, b) in merged.items()}
        contour[vertex][layer[vertex]] = (0.0, 0.0)
    has_parent = {child for below in children.values() for child in below}
    roots = [v for v in order if v not in has_parent]
    _pack(roots, contour, offset)
    rows: dict[int, float] = {}
    stack = [(root, 0.0) for root in roots]
    while stack:
        vertex, start = stack.pop()
        rows[vertex] = start + offset[vertex]
        stack.extend((child, rows[vertex]) for child in children.get(vertex, ()))
    top = min(rows.values(), default=0.0)
    return {vertex: row - top for vertex, row in rows.items()}


def _pack(
    siblings: Sequence[int],
    contour: Mapping[int, Mapping[int, tuple[float, float]]],
    offset: dict[int, float],
) -> dict[int, tuple[float, float]]:
    """Put sub-trees under each other without overlap; give what they fill, layer by layer."""
    filled: dict[int, tuple[float, float]] = {}
    for vertex in siblings:
        own = contour[vertex]
        gaps = [filled[depth][1] + 1 - top for depth, (top, _) in own.items() if depth in filled]
        offset[vertex] = max(gaps, default=0.0)
        for depth, (top, bottom) in own.items():
            top, bottom = top + offset[vertex], bottom + offset[vertex]
            before = filled.get(depth, (top, bottom))
            filled[depth] = (min(before[0], top), max(before[1], bottom))
    return filled
