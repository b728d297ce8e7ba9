"""Keep behaviour models in the store and get them back as they were.

What the store keeps of a model is its graph and which timeline step belongs to which vertex; the
steps themselves are made again from the stored trajectories, as a timeline is a pure function.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

import orjson

from odokit.errors import NavModelError
from odokit.events import EventKind
from odokit.navmodel.identity import FreeTarget
from odokit.navmodel.model import NavModel, Vertex, Visit
from odokit.store import (
    EdgeRow,
    EventStore,
    ModelRow,
    StoredModel,
    VertexEventRow,
    VertexRow,
)
from odokit.substructure import DynamicXpath
from odokit.timeline import Timeline, build_timeline
from odokit.urls import UrlTemplates


def save_model(store: EventStore, model: NavModel) -> None:
    """Store a model, replacing the one of the same id; it becomes the latest.

    Raises:
        StoreError: The store cannot be written.
    """
    row = ModelRow(
        model.model_id,
        model.identity,
        model.level,
        tuple(model.walks),
        orjson.dumps(model.urls.to_json()).decode(),
        datetime.now(UTC).isoformat(),
    )
    vertices = [
        VertexRow(model.model_id, i, v.name, v.kind.value, v.label, orjson.dumps(v.fixed).decode())
        for i, v in enumerate(model.vertices)
    ]
    edges = [
        EdgeRow(model.model_id, i, source, target, count, ms)
        for i, ((source, target), (count, ms)) in enumerate(model.edges.items())
    ]
    store.save_model(row, vertices, list(_instance_rows(model)), edges)


def load_model(store: EventStore, model_id: str | None = None) -> NavModel:
    """Load a model with the trajectories it was built from.

    Args:
        store: An open store.
        model_id: Which one; the one saved last when None.

    Raises:
        NavModelError: There is none, or an older odokit saved it.
        StoreError: One of its trajectories is not stored.
    """
    stored = store.read_model(model_id)
    if stored is None:
        which = f"no model {model_id}" if model_id else "no model yet"
        raise NavModelError(
            f"the store holds {which}; discover one from the ingested trajectories and save it."
        )
    row = stored.model
    timelines = {t.id: build_timeline(t) for t in store.trajectories(row.trajectories)}
    return NavModel(
        model_id=row.model_id,
        identity=row.identity,
        level=row.level,
        vertices=_vertices(stored, timelines),
        edges={(e.source, e.target): (e.count, e.ms) for e in stored.edges},
        walks=_walks(stored, timelines),
        timelines=timelines,
        urls=_templates(row),
    )


def _templates(row: ModelRow) -> UrlTemplates:
    try:
        return UrlTemplates.from_json(orjson.loads(row.slugs))
    except KeyError as error:
        raise NavModelError(
            f"model {row.model_id} was saved by an older odokit (its address templates lack "
            f"{error}); build it again with `odokit model build`."
        ) from error


def _instance_rows(model: NavModel) -> Iterable[VertexEventRow]:
    for trajectory_id, walk in model.walks.items():
        timeline = model.timelines[trajectory_id]
        for visit in walk:
            free = model.vertices[visit.vertex].free_targets.get(timeline.step_id(visit.step.idx))
            found = free.dynamic_xpath if free else None
            yield VertexEventRow(
                model.model_id,
                visit.vertex,
                trajectory_id,
                visit.step.idx,
                slot=free.slot if free else None,
                by=free.by if free else None,
                prefix=found.prefix if found else None,
                tag=found.tag if found else None,
                suffix=found.suffix if found else None,
            )


def _vertices(stored: StoredModel, timelines: Mapping[str, Timeline]) -> tuple[Vertex, ...]:
    instances: defaultdict[int, list[str]] = defaultdict(list)
    free_targets: defaultdict[int, dict[str, FreeTarget]] = defaultdict(dict)
    for row in stored.instances:
        step_id = timelines[row.trajectory_id].step_id(row.idx)
        instances[row.vertex].append(step_id)
        if row.slot is not None and row.by is not None:
            free_targets[row.vertex][step_id] = FreeTarget(row.slot, row.by, _dynamic_xpath(row))
    return tuple(
        Vertex(
            name=row.name,
            kind=EventKind(row.kind),
            fixed=orjson.loads(row.fixed),
            instances=tuple(instances[row.number]),
            free_targets=free_targets[row.number],
            label=row.label,
        )
        for row in stored.vertices
    )


def _dynamic_xpath(row: VertexEventRow) -> DynamicXpath | None:
    if row.prefix is None or row.tag is None or row.suffix is None:
        return None
    return DynamicXpath(row.prefix, row.tag, row.suffix)


def _walks(stored: StoredModel, timelines: Mapping[str, Timeline]) -> dict[str, tuple[Visit, ...]]:
    visits: dict[str, list[Visit]] = {trajectory_id: [] for trajectory_id in timelines}
    for row in stored.instances:
        step = timelines[row.trajectory_id].steps[row.idx]
        visits[row.trajectory_id].append(Visit(row.vertex, step))
    return {trajectory_id: tuple(walk) for trajectory_id, walk in visits.items()}
