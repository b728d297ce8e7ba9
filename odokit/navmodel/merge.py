"""The three passes on integer codes: which steps share a vertex, which vertices are joined.

Every model is merged here, whatever its size; the passes touch whole columns, never single steps.

1. Steps but DOM effects have the vertex of their key.
2. A DOM effect has the vertex of the two steps around it, or of the location alone when it follows
   one, whatever comes next; effects at either end of a trajectory are ignored.
3. An edge leads from each step's vertex to that of the next step of its trajectory.

Source: paper, section III-B.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Codes = npt.NDArray[np.int64]
IGNORED = -1


@dataclass(frozen=True)
class StepColumns:
    """The steps of all trajectories, one trajectory after the other, each in time order.

    Attributes:
        trajectory: Number of each step's trajectory.
        key: Code of its key, from 0; `IGNORED` for a DOM effect.
        is_location: Whether a key is one of locations, by code.
        t_ms: Milliseconds since its recording began.
    """

    trajectory: Codes
    key: Codes
    is_location: npt.NDArray[np.bool_]
    t_ms: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Merged:
    """The graph as columns.

    Attributes:
        vertex: Vertex number of each step, `IGNORED` where it has none. Keys have their code for
            number, then come effects in order of first appearance.
        n_vertices: Number of vertices.
        before: For each vertex of effects, the vertex they follow.
        after: For each vertex of effects, the vertex that follows, `IGNORED` after a location.
        edges: One row an edge, in order of first appearance: source, target, count, ms (mean).
    """

    vertex: Codes
    n_vertices: int
    before: Codes
    after: Codes
    edges: pl.DataFrame


def merge_steps(steps: StepColumns) -> Merged:
    """Merge steps into vertices and edges.

    Args:
        steps: All steps; their keys are numbered by first appearance.
    """
    n_keys = len(steps.is_location)
    vertex = steps.key.copy()
    where, before, after = _effects(steps)
    after = np.where(steps.is_location[before], IGNORED, after)
    codes, effect = _by_appearance(before * (n_keys + 1) + (after + 1))
    vertex[where] = n_keys + effect
    return Merged(
        vertex=vertex,
        n_vertices=n_keys + len(codes),
        before=codes // (n_keys + 1),
        after=codes % (n_keys + 1) - 1,
        edges=_edges(steps, vertex, n_keys + len(codes)),
    )


def _effects(steps: StepColumns) -> tuple[Codes, Codes, Codes]:
    """Positions of the effects between two other steps, and the keys of the steps around them."""
    is_effect = steps.key == IGNORED
    places = np.arange(len(is_effect), dtype=np.int64)
    previous = np.maximum.accumulate(np.where(is_effect, -1, places))
    following = np.minimum.accumulate(np.where(is_effect, len(places), places)[::-1])[::-1]
    where = np.flatnonzero(is_effect & (previous >= 0) & (following < len(places)))
    own = steps.trajectory[where]
    same = (steps.trajectory[previous[where]] == own) & (steps.trajectory[following[where]] == own)
    where = where[same]
    return where, steps.key[previous[where]], steps.key[following[where]]


def _by_appearance(values: Codes) -> tuple[Codes, Codes]:
    """Distinct values in order of first appearance, and the place of each value among them."""
    distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return distinct[order], place[inverse.ravel()]


def _edges(steps: StepColumns, vertex: Codes, n_vertices: int) -> pl.DataFrame:
    kept = np.flatnonzero(vertex != IGNORED)
    follows = steps.trajectory[kept[1:]] == steps.trajectory[kept[:-1]]
    source, target = kept[:-1][follows], kept[1:][follows]
    gaps = np.maximum(0.0, steps.t_ms[target] - steps.t_ms[source])
    # One number a pair: grouping by two columns takes twice as long.
    pairs = pl.DataFrame({"pair": vertex[source] * n_vertices + vertex[target], "ms": gaps})
    return (
        pairs.group_by("pair", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("count"), pl.col("ms").mean())
        .select(
            (pl.col("pair") // max(1, n_vertices)).alias("source"),
            (pl.col("pair") % max(1, n_vertices)).alias("target"),
            "count",
            "ms",
        )
    )
