"""Merge timelines into a behaviour model in the paper's three passes.

1. Every step but DOM effects finds its vertex by its key, or makes one.
2. DOM effects are keyed by their neighbours, or by the location alone when they follow one.
3. Edges connect what followed each other, with counts and mean times.

Vertices are numbered by first appearance over trajectories sorted by id, so any order of input
gives the same model. Source: paper, section III-B.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from odokit.dom import Document, parse
from odokit.errors import NavModelError
from odokit.events import Event, EventKind, Trajectory
from odokit.navmodel.identity import (
    IDENTITIES,
    FreeTarget,
    Identity,
    PageLists,
    fingerprint_identity,
    paper_identity,
    task_values,
)
from odokit.navmodel.model import NavModel, Vertex, Visit
from odokit.substructure import DEFAULT_LEVEL, Exact, RepeatedList, find_lists
from odokit.timeline import Timeline, build_timeline
from odokit.urls import UrlTemplates, preset


@dataclass
class _Bucket:
    """A vertex while it is being filled."""

    kind: EventKind
    fixed: Mapping[str, str]
    instances: list[str] = field(default_factory=list)
    free_targets: dict[str, FreeTarget] = field(default_factory=dict)
    label: str = ""


def discover_model(
    trajectories: Iterable[Trajectory],
    *,
    get_snapshot: Callable[[str], str] | None = None,
    identity: str = "fingerprint",
    level: int = DEFAULT_LEVEL,
) -> NavModel:
    """Build the behaviour model of some trajectories.

    Args:
        trajectories: Demonstrations of one application, in any order.
        get_snapshot: Gives a snapshot's HTML by hash; None leaves lists undiscovered.
        identity: `fingerprint` or `paper`.
        level: Weisfeiler-Lehman level of list discovery, 0 to 16.

    Raises:
        NavModelError: There is nothing to build from, an id is used twice, or a setting is unknown.
    """
    if identity not in IDENTITIES:
        raise NavModelError(f"identity {identity!r} is unknown; choose {' or '.join(IDENTITIES)}.")
    ordered = sorted(trajectories, key=lambda t: t.id)
    if not ordered:
        raise NavModelError("there are no trajectories; record or ingest demonstrations first.")
    if len({t.id for t in ordered}) < len(ordered):
        raise NavModelError("two trajectories have the same id; each must be ingested once.")
    builder = _Builder(ordered, identity, level, get_snapshot)
    return builder.build()


class _Builder:
    def __init__(
        self,
        trajectories: list[Trajectory],
        identity: str,
        level: int,
        get_snapshot: Callable[[str], str] | None,
    ) -> None:
        self._identity = identity
        self._level = level
        self._timelines = {t.id: build_timeline(t) for t in trajectories}
        self._urls = UrlTemplates.learn(
            ((url, task_values(t.header).values()) for t in trajectories for url in _addresses(t)),
            preset(t.header.app for t in trajectories),
        )
        self._lists = _page_lists(get_snapshot, level) if get_snapshot else None
        self._buckets: dict[tuple[str, ...], _Bucket] = {}

    def build(self) -> NavModel:
        keys = {i: self._first_pass(timeline) for i, timeline in self._timelines.items()}
        for trajectory_id, timeline in self._timelines.items():
            self._second_pass(timeline, keys[trajectory_id])
        number = {key: i for i, key in enumerate(self._buckets)}
        walks = {
            i: tuple(
                Visit(number[key], step)
                for key, step in zip(keys[i], timeline.steps, strict=True)
                if key is not None
            )
            for i, timeline in self._timelines.items()
        }
        vertices = tuple(_vertex(key, bucket) for key, bucket in self._buckets.items())
        return NavModel(
            model_id=self._model_id(),
            identity=self._identity,
            level=self._level,
            vertices=vertices,
            edges=_edges(walks),
            walks=walks,
            timelines=self._timelines,
            urls=self._urls,
        )

    def _first_pass(self, timeline: Timeline) -> list[tuple[str, ...] | None]:
        values = task_values(timeline.trajectory.header)
        keys: list[tuple[str, ...] | None] = []
        for step in timeline.steps:
            if step.event.kind is EventKind.DOM_EFFECT:
                keys.append(None)
                continue
            found = self._identify(step.event, values)
            self._add(found, step.event, timeline.step_id(step.idx))
            keys.append(found.key)
        return keys

    def _second_pass(self, timeline: Timeline, keys: list[tuple[str, ...] | None]) -> None:
        """Key effects by their neighbours; effects at either end are ignored."""
        for step in timeline.steps[1:-1]:
            if step.event.kind is not EventKind.DOM_EFFECT:
                continue
            before, after = keys[step.idx - 1], keys[step.idx + 1]
            if before is None or after is None:
                continue
            is_load = before[0] == EventKind.LOCATION
            fixed = {"after": _name(before)} | ({} if is_load else {"before": _name(after)})
            key = (EventKind.DOM_EFFECT, *fixed.values())
            self._add(Identity(key, fixed), step.event, timeline.step_id(step.idx))
            keys[step.idx] = key

    def _identify(self, event: Event, values: Mapping[str, str]) -> Identity:
        if self._identity == "paper":
            return paper_identity(event, self._urls)
        return fingerprint_identity(event, self._urls, values, self._lists)

    def _add(self, found: Identity, event: Event, step_id: str) -> None:
        bucket = self._buckets.get(found.key)
        if bucket is None:
            bucket = _Bucket(event.kind, found.fixed, label=_label(event, found.fixed))
            self._buckets[found.key] = bucket
        bucket.instances.append(step_id)
        if found.free_target is not None:
            bucket.free_targets[step_id] = found.free_target

    def _model_id(self) -> str:
        digest = hashlib.blake2b(digest_size=6)
        digest.update(f"{self._identity}/{self._level}".encode())
        for timeline in self._timelines.values():
            digest.update(timeline.trajectory.header.model_dump_json().encode())
            for event in timeline.trajectory.events:
                digest.update(event.model_dump_json().encode())
        return digest.hexdigest()


def _page_lists(get_snapshot: Callable[[str], str], level: int) -> PageLists:
    @cache
    def lists(snapshot: str) -> tuple[Document, tuple[RepeatedList, ...]]:
        document = parse(get_snapshot(snapshot))
        return document, find_lists(document, Exact(level))

    return lists


def _addresses(trajectory: Trajectory) -> Iterable[str]:
    for event in trajectory.events:
        yield event.url
        if event.request is not None:
            yield event.request.url


def _edges(walks: Mapping[str, tuple[Visit, ...]]) -> dict[tuple[int, int], tuple[int, float]]:
    gaps: dict[tuple[int, int], list[float]] = {}
    for walk in walks.values():
        for a, b in itertools.pairwise(walk):
            gap = max(0.0, b.step.event.t_ms - a.step.event.t_ms)
            gaps.setdefault((a.vertex, b.vertex), []).append(gap)
    return {pair: (len(ms), sum(ms) / len(ms)) for pair, ms in gaps.items()}


def _name(key: tuple[str, ...]) -> str:
    return hashlib.blake2b("\0".join(key).encode(), digest_size=6).hexdigest()


def _vertex(key: tuple[str, ...], bucket: _Bucket) -> Vertex:
    return Vertex(
        name=_name(key),
        kind=bucket.kind,
        fixed=dict(bucket.fixed),
        instances=tuple(bucket.instances),
        free_targets=dict(bucket.free_targets),
        label=bucket.label,
    )


_VERBS = {
    EventKind.CLICK: "click",
    EventKind.DATA_ENTRY: "enter",
    EventKind.RICH_TEXT: "write",
    EventKind.CHECKBOX: "set",
    EventKind.RADIO: "choose",
    EventKind.SELECT: "select",
}


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
    return f"{_VERBS[event.kind]} {event.element.role or event.element.tag} “{what}”"
