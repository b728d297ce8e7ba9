"""Build behaviour models: drafts of each trajectory once, then the three passes over all of them.

What a trajectory alone tells - its timeline, the lists of its pages, what in its keys is fixed - is
worked out once, when it is added. What needs all of them - address templates, vertices, edges - is
made anew from the drafts at each build, on integer codes, so that the order of adding leaves no
trace: trajectories are sorted by id, and vertices numbered by first appearance. Source: paper,
section III-B.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from odokit.dom import Document, parse
from odokit.errors import NavModelError
from odokit.events import Event, EventKind, Trajectory
from odokit.navmodel.identity import (
    IDENTITIES,
    Draft,
    FreeTarget,
    PageLists,
    find_free_target,
    find_opener,
    fingerprint_draft,
    paper_draft,
    task_values,
)
from odokit.navmodel.merge import IGNORED, Merged, StepColumns, merge_steps
from odokit.navmodel.model import NavModel, Vertex, Visit
from odokit.substructure import DEFAULT_LEVEL, Exact, RepeatedList, find_lists
from odokit.timeline import Timeline, build_timeline
from odokit.urls import Places, UrlPattern, UrlTemplates, observe, preset

PAGES_KEPT = 64
"""Parsed pages kept while trajectories are added; neighbours in time share most of theirs."""

Key = tuple[str, ...]


@dataclass(frozen=True)
class _Drafted:
    """What was worked out of one trajectory.

    Attributes:
        timeline: Its clean steps.
        drafts: A draft a step; None for DOM effects.
        places: What there is to be learned from its addresses.
        digest: Hash of all it says.
    """

    timeline: Timeline
    drafts: tuple[Draft | None, ...]
    places: frozenset[Places]
    digest: bytes


def discover_model(
    trajectories: Iterable[Trajectory],
    *,
    get_snapshot: Callable[[str], str] | None = None,
    identity: str = "fingerprint",
    level: int = DEFAULT_LEVEL,
    patterns: Sequence[UrlPattern] = (),
) -> NavModel:
    """Build the behaviour model of some trajectories.

    Args:
        trajectories: Demonstrations of one application, in any order.
        get_snapshot: Gives a snapshot's HTML by hash; None leaves lists undiscovered.
        identity: `fingerprint` or `paper`.
        level: Weisfeiler-Lehman level of list discovery, 0 to 16.
        patterns: What varies in the application's addresses, besides what its preset says.

    Raises:
        NavModelError: There is nothing to build from, an id is used twice, or a setting is unknown.
    """
    builder = ModelBuilder(
        get_snapshot=get_snapshot, identity=identity, level=level, patterns=patterns
    )
    return builder.add(trajectories).build()


class ModelBuilder:
    """Grows a behaviour model by trajectories, in any order.

    Args:
        get_snapshot: Gives a snapshot's HTML by hash; None leaves lists undiscovered.
        identity: `fingerprint` or `paper`.
        level: Weisfeiler-Lehman level of list discovery, 0 to 16.
        patterns: What varies in the application's addresses, besides what its preset says.

    Raises:
        NavModelError: A setting is unknown.
    """

    def __init__(
        self,
        *,
        get_snapshot: Callable[[str], str] | None = None,
        identity: str = "fingerprint",
        level: int = DEFAULT_LEVEL,
        patterns: Sequence[UrlPattern] = (),
    ) -> None:
        if identity not in IDENTITIES:
            known = " or ".join(IDENTITIES)
            raise NavModelError(f"identity {identity!r} is unknown; choose {known}.")
        self._identity = identity
        self._level = level
        self._patterns = tuple(patterns)
        self._lists = _page_lists(get_snapshot, level) if get_snapshot else None
        self._drafted: dict[str, _Drafted] = {}

    @classmethod
    def of(
        cls, model: NavModel, *, get_snapshot: Callable[[str], str] | None = None
    ) -> ModelBuilder:
        """A builder that holds a model's trajectories already; none of their pages is read again.

        Args:
            model: Where to go on from, such as a loaded one.
            get_snapshot: Gives the snapshots of the trajectories still to be added.
        """
        builder = cls(
            get_snapshot=get_snapshot,
            identity=model.identity,
            level=model.level,
            patterns=model.urls.patterns,
        )
        for trajectory_id, timeline in model.timelines.items():
            drafts: list[Draft | None] = [None] * len(timeline.steps)
            for vertex, step in (
                (model.vertices[v.vertex], v.step) for v in model.walks[trajectory_id]
            ):
                if vertex.kind is not EventKind.DOM_EFFECT:
                    free = vertex.free_targets.get(timeline.step_id(step.idx))
                    drafts[step.idx] = Draft.of(step.event, vertex.fixed, free)
            builder._hold(timeline, drafts)
        return builder

    def add(self, trajectories: Iterable[Trajectory]) -> Self:
        """Add trajectories; the cost does not depend on how many there are already.

        Raises:
            NavModelError: One has the id of another.
        """
        for trajectory in trajectories:
            if trajectory.id in self._drafted:
                raise NavModelError(
                    f"two trajectories have the same id {trajectory.id}; each must be added once."
                )
            timeline = build_timeline(trajectory)
            self._hold(timeline, self._drafts(timeline))
        return self

    def build(self) -> NavModel:
        """The model of everything added so far.

        Raises:
            NavModelError: Nothing was added.
        """
        if not self._drafted:
            raise NavModelError("there are no trajectories; record or ingest demonstrations first.")
        drafted = [self._drafted[trajectory_id] for trajectory_id in sorted(self._drafted)]
        apps = preset(d.timeline.trajectory.header.app for d in drafted)
        patterns = tuple(dict.fromkeys((*self._patterns, *apps)))
        urls = UrlTemplates.learn_places((p for d in drafted for p in d.places), patterns)
        keys, columns = _columns(drafted, urls)
        merged = merge_steps(columns)
        timelines = {d.timeline.id: d.timeline for d in drafted}
        walks = _walks(timelines, merged)
        sources, targets, counts, gaps = (merged.edges[c].to_list() for c in merged.edges.columns)
        return NavModel(
            model_id=self._model_id(drafted, patterns),
            identity=self._identity,
            level=self._level,
            vertices=_vertices(drafted, walks, merged, keys),
            edges=dict(
                zip(
                    zip(sources, targets, strict=True),
                    zip(counts, gaps, strict=True),
                    strict=True,
                )
            ),
            walks=walks,
            timelines=timelines,
            urls=urls,
        )

    def _drafts(self, timeline: Timeline) -> list[Draft | None]:
        """Draft every step; DOM effects have no key of their own."""
        values = task_values(timeline.trajectory.header)
        drafts: list[Draft | None] = []
        before: Event | None = None
        for event in (step.event for step in timeline.steps):
            if event.kind is EventKind.DOM_EFFECT:
                drafts.append(None)
                continue
            if self._identity == "paper":
                drafts.append(paper_draft(event))
                continue
            free = find_free_target(event, values, self._lists)
            opener = find_opener(event, before, values, self._lists) if free and before else ""
            drafts.append(fingerprint_draft(event, values, free, opener))
            if event.kind.is_interaction or event.kind is EventKind.LOCATION:
                before = event if event.kind.is_interaction else None
        return drafts

    def _hold(self, timeline: Timeline, drafts: Sequence[Draft | None]) -> None:
        header = timeline.trajectory.header
        digest = hashlib.blake2b(header.model_dump_json().encode())
        for event in timeline.trajectory.events:
            digest.update(event.model_dump_json().encode())
        places = observe(_addresses(timeline.trajectory), task_values(header).values())
        self._drafted[timeline.id] = _Drafted(timeline, tuple(drafts), places, digest.digest())

    def _model_id(self, drafted: Sequence[_Drafted], patterns: Sequence[UrlPattern]) -> str:
        digest = hashlib.blake2b(digest_size=6)
        digest.update(f"{self._identity}/{self._level}/{patterns}".encode())
        for one in drafted:
            digest.update(one.digest)
        return digest.hexdigest()


def _page_lists(get_snapshot: Callable[[str], str], level: int) -> PageLists:
    @lru_cache(maxsize=PAGES_KEPT)
    def lists(snapshot: str) -> tuple[Document, tuple[RepeatedList, ...]]:
        document = parse(get_snapshot(snapshot))
        return document, find_lists(document, Exact(level))

    return lists


def _addresses(trajectory: Trajectory) -> Iterable[str]:
    for event in trajectory.events:
        yield event.url
        if event.request is not None:
            yield event.request.url


def _columns(
    drafted: Sequence[_Drafted], urls: UrlTemplates
) -> tuple[list[tuple[Key, Mapping[str, str]]], StepColumns]:
    """Every key with its fixed parameters, in order of first appearance, and the steps in codes."""
    codes: dict[Key, int] = {}
    keys: list[tuple[Key, Mapping[str, str]]] = []
    coded: list[int] = []
    for draft in (draft for d in drafted for draft in d.drafts):
        if draft is None:
            coded.append(IGNORED)
            continue
        fixed = draft.fixed(urls.template)
        key = (draft.kind, *fixed.values())
        code = codes.setdefault(key, len(codes))
        if code == len(keys):
            keys.append((key, fixed))
        coded.append(code)
    lengths = [len(d.drafts) for d in drafted]
    times = [step.event.t_ms for d in drafted for step in d.timeline.steps]
    columns = StepColumns(
        trajectory=np.repeat(np.arange(len(drafted), dtype=np.int64), lengths),
        key=np.array(coded, dtype=np.int64),
        is_location=np.array([key[0] == EventKind.LOCATION for key, _ in keys], dtype=np.bool_),
        t_ms=np.array(times, dtype=np.float64),
    )
    return keys, columns


def _walks(timelines: Mapping[str, Timeline], merged: Merged) -> dict[str, tuple[Visit, ...]]:
    walks: dict[str, tuple[Visit, ...]] = {}
    vertices = iter(merged.vertex.tolist())
    for trajectory_id, timeline in timelines.items():
        visits = (Visit(next(vertices), step) for step in timeline.steps)
        walks[trajectory_id] = tuple(v for v in visits if v.vertex != IGNORED)
    return walks


def _vertices(
    drafted: Sequence[_Drafted],
    walks: Mapping[str, tuple[Visit, ...]],
    merged: Merged,
    keys: Sequence[tuple[Key, Mapping[str, str]]],
) -> tuple[Vertex, ...]:
    instances: list[list[str]] = [[] for _ in range(merged.n_vertices)]
    free_targets: list[dict[str, FreeTarget]] = [{} for _ in range(merged.n_vertices)]
    first: dict[int, Event] = {}
    for one in drafted:
        for visit in walks[one.timeline.id]:
            step_id = one.timeline.step_id(visit.step.idx)
            instances[visit.vertex].append(step_id)
            first.setdefault(visit.vertex, visit.step.event)
            draft = one.drafts[visit.step.idx]
            if draft is not None and draft.free_target is not None:
                free_targets[visit.vertex][step_id] = draft.free_target
    named = [*((_name(key), fixed) for key, fixed in keys), *_effects(merged, keys)]
    return tuple(
        Vertex(
            name=name,
            kind=first[number].kind,
            fixed=dict(fixed),
            instances=tuple(instances[number]),
            free_targets=free_targets[number],
            label=_label(first[number], fixed),
        )
        for number, (name, fixed) in enumerate(named)
    )


def _effects(
    merged: Merged, keys: Sequence[tuple[Key, Mapping[str, str]]]
) -> Iterable[tuple[str, Mapping[str, str]]]:
    """Name and fixed parameters of each vertex of DOM effects: the steps around them."""
    for before, after in zip(merged.before.tolist(), merged.after.tolist(), strict=True):
        fixed = {"after": _name(keys[before][0])}
        if after != IGNORED:
            fixed["before"] = _name(keys[after][0])
        yield _name((EventKind.DOM_EFFECT, *fixed.values())), fixed


def _name(key: Key) -> str:
    return hashlib.blake2b("\0".join(key).encode(), digest_size=6).hexdigest()


def _label(event: Event, fixed: Mapping[str, str]) -> str:
    if event.kind is EventKind.LOCATION:
        return f"at {fixed['path']}"
    if event.kind.is_write:
        operation = f" {fixed['operation']}" if "operation" in fixed else ""
        return f"{fixed['method']} {fixed['path']}{operation}"
    if event.kind is EventKind.DOM_EFFECT:
        return "page changes"
    assert event.element is not None
    what = fixed.get("name") or fixed.get("group") or event.element.name or event.element.tag
    return f"{event.verb} {event.element.role or event.element.tag} “{what}”"
