"""The behaviour model: one directed graph of everything seen in all demonstrations.

The only module that uses igraph. Vertex numbers are igraph's and follow first appearance; outside a
process a vertex goes by its `name`, a hash of its key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import igraph
import numpy as np
import scipy.sparse as sp

from odokit.errors import NavModelError
from odokit.events import KIND_SPECS, EventKind
from odokit.navmodel.identity import FreeTarget, task_values
from odokit.substructure import DynamicXpath
from odokit.timeline import Step, Timeline, WriteFrequency, was_accepted, write_frequency
from odokit.urls import UrlTemplates


@dataclass(frozen=True)
class Vertex:
    """Equivalent events of all demonstrations.

    Attributes:
        name: Stable id, a hash of the key.
        kind: Event kind.
        fixed: Fixed parameters by name (the key).
        instances: Ids of its steps, `trajectory#index`.
        free_targets: For each instance with a free target, how it depends on the task.
        label: What it is, in a few words.
    """

    name: str
    kind: EventKind
    fixed: Mapping[str, str]
    instances: tuple[str, ...]
    free_targets: Mapping[str, FreeTarget] = field(default_factory=dict)
    label: str = ""

    @property
    def free(self) -> tuple[str, ...]:
        """Its free parameters: what a task may fill in."""
        element = ("element",) if self.has_free_target else ()
        return (*element, *KIND_SPECS[self.kind].free)

    @property
    def has_free_target(self) -> bool:
        """Whether the element depends on the task in at least half of its instances."""
        return 2 * len(self.free_targets) >= max(1, len(self.instances)) and bool(self.free_targets)

    @property
    def dynamic_xpaths(self) -> tuple[DynamicXpath, ...]:
        """The lists its element was picked from, without repeats."""
        found = (t.dynamic_xpath for t in self.free_targets.values())
        return tuple(dict.fromkeys(d for d in found if d is not None))


@dataclass(frozen=True)
class Visit:
    """One step of a trajectory's walk through the graph."""

    vertex: int
    """Vertex number."""
    step: Step
    """The timeline step mapped to it."""


@dataclass(frozen=True)
class NavModel:
    """Behaviour model of an application.

    Attributes:
        model_id: Hash of inputs and parameters; equal inputs give an equal id.
        identity: Rule that decides which events are the same: `fingerprint` or `paper`.
        level: Weisfeiler-Lehman level of list discovery.
        vertices: All vertices, by vertex number.
        edges: (from, to) to (count, mean milliseconds between the two).
        walks: Each trajectory's visits in time order, by trajectory id.
        timelines: Each trajectory's timeline, by trajectory id.
        urls: Address templates.
    """

    model_id: str
    identity: str
    level: int
    vertices: tuple[Vertex, ...]
    edges: Mapping[tuple[int, int], tuple[int, float]]
    walks: Mapping[str, tuple[Visit, ...]]
    timelines: Mapping[str, Timeline]
    urls: UrlTemplates

    @cached_property
    def graph(self) -> igraph.Graph:
        """The graph with `name`, `kind`, `label` on vertices and `count`, `ms` on edges."""
        graph = igraph.Graph(n=len(self.vertices), edges=list(self.edges), directed=True)
        graph.vs["name"] = [v.name for v in self.vertices]
        graph.vs["kind"] = [str(v.kind) for v in self.vertices]
        graph.vs["label"] = [v.label for v in self.vertices]
        graph.es["count"] = [count for count, _ in self.edges.values()]
        graph.es["ms"] = [ms for _, ms in self.edges.values()]
        return graph

    def successors(self, vertex: int) -> list[int]:
        """Vertices that followed a vertex, in vertex order."""
        found: list[int] = sorted(self.graph.successors(vertex))
        return found

    def shortest_route(self, source: int, target: int) -> list[int]:
        """The fewest vertices from one to another, both included; empty when none leads there."""
        # igraph warns about what it cannot reach; asking first is quieter and no slower.
        if target not in self.graph.subcomponent(source, mode="out"):
            return []
        route: list[int] = self.graph.get_shortest_path(source, to=target, mode="out")
        return route

    def find_location(self, url: str) -> int | None:
        """The location vertex of an address, None when that page was never demonstrated."""
        return self._locations.get(self.urls.template(url))

    def get_vertex(self, name: str) -> int:
        """Vertex number of a name.

        Raises:
            NavModelError: The model has no such vertex.
        """
        for number, vertex in enumerate(self.vertices):
            if vertex.name == name:
                return number
        raise NavModelError(f"model {self.model_id} has no vertex {name}; was it rebuilt?")

    def share(self, vertex: int) -> float:
        """Share of trajectories that visit a vertex, from 0 to 1."""
        # A trajectory's id may hold the mark itself.
        seen = {i.rpartition("#")[0] for i in self.vertices[vertex].instances}
        return len(seen) / max(1, len(self.walks))

    def is_noise(self, vertex: int) -> bool:
        """Whether it is a write that belongs to no task; see `WriteFrequency.is_noise`."""
        return vertex in self.write_frequencies and self.write_frequencies[vertex].is_noise

    @cached_property
    def write_frequencies(self) -> Mapping[int, WriteFrequency]:
        """How often each write came, and how often with nothing done before it, by vertex."""
        seen: defaultdict[int, list[tuple[str, Step]]] = defaultdict(list)
        for trajectory_id, walk in self.walks.items():
            for visit in walk:
                if visit.step.event.kind.is_write:
                    seen[visit.vertex].append((trajectory_id, visit.step))
        return {v: write_frequency(steps, len(self.walks)) for v, steps in sorted(seen.items())}

    def target_writes(self, trajectory_id: str) -> tuple[Visit, ...]:
        """The writes that can complete a demonstrated task: caused, accepted and not noise."""
        return tuple(
            visit
            for visit in self.walks[trajectory_id]
            if visit.step.event.kind.is_write
            and visit.step.cause is not None
            and not self.is_noise(visit.vertex)
            and was_accepted(visit.step.event)
        )

    def values(self, trajectory_id: str) -> dict[str, str]:
        """Task parameter values of a demonstration."""
        return task_values(self.timelines[trajectory_id].trajectory.header)

    def distances_to(self, target: int) -> np.ndarray:
        """Estimated distance of every vertex to a target, infinite without a common trajectory.

        Source: paper, equation 1; over all vertices at once from sums and counts of step indexes.
        Only the trajectories that visit the target can be common.
        """
        counts, sums = self._index_matrices
        in_common = self._visits_by_vertex[target]
        counts, sums = counts[:, in_common], sums[:, in_common]
        target_counts, target_sums = (m[target].toarray().ravel() for m in (counts, sums))
        common = np.asarray(counts.sum(axis=1)).ravel()
        own = np.asarray(sums.sum(axis=1)).ravel()
        seen = counts.copy()
        seen.data = np.ones_like(seen.data)
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.abs(own / common - (seen @ target_sums) / (seen @ target_counts))
        return np.where(common > 0, distance, np.inf)

    @cached_property
    def _visits_by_vertex(self) -> tuple[np.ndarray, ...]:
        """For each vertex, the columns of the trajectories that visit it."""
        rows = self._index_matrices[0].tocsr()
        return tuple(np.split(rows.indices, rows.indptr[1:-1]))

    @cached_property
    def _index_matrices(self) -> tuple[sp.csc_matrix, sp.csc_matrix]:
        """How often each vertex was visited in each trajectory, and the sum of these indexes."""
        column = {trajectory: i for i, trajectory in enumerate(self.walks)}
        visits = [(v.vertex, column[t], v.step.idx) for t, walk in self.walks.items() for v in walk]
        rows, columns, indexes = (np.array(c) for c in zip(*visits, strict=True))
        shape = (len(self.vertices), len(self.walks))
        counts = sp.coo_matrix((np.ones(len(rows)), (rows, columns)), shape).tocsc()
        sums = sp.coo_matrix((indexes.astype(float), (rows, columns)), shape).tocsc()
        return counts, sums

    @cached_property
    def _locations(self) -> dict[str, int]:
        return {
            v.fixed["path"]: i for i, v in enumerate(self.vertices) if v.kind is EventKind.LOCATION
        }


def first_visit(walk: Sequence[Visit], vertex: int) -> int | None:
    """Position of a walk's first visit to a vertex, None when it never comes there."""
    return next((i for i, visit in enumerate(walk) if visit.vertex == vertex), None)
