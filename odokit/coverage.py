"""Say what a model knows from one demonstration only, and which demonstration would help most.

A write, a widget or a branch that one demonstration showed may be an accident of it: whether its
name varies, which of its neighbours are noise, and what its list is can only be told from two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Literal
from urllib.parse import urlsplit

import polars as pl

from odokit.events import EventKind
from odokit.navmodel import NavModel
from odokit.paraphrases import Paraphrases
from odokit.tasks import SLOT, ExpectedWrite, TaskFile, TaskTemplate

What = Literal["write", "widget", "branch"]
Need = tuple[str, str]


@dataclass(frozen=True)
class Evidence:
    """How often a part of the model was demonstrated.

    Attributes:
        what: `write`, `widget` (anything a user acts on), or `branch` (one of several ways on).
        label: What it is, in words.
        page: Address template of the page it is on; of a write its own.
        vertex: Name of the vertex; of a branch, of the vertex it leads to.
        trajectories: The demonstrations that show it.
    """

    what: What
    label: str
    page: str
    vertex: str
    trajectories: tuple[str, ...]

    @property
    def n_demonstrations(self) -> int:
        """Number of demonstrations that show it."""
        return len(self.trajectories)

    @property
    def confidence(self) -> float:
        """Chance that the next demonstration shows the same, from 0.5 to 1.

        Source: Laplace's rule of succession, (n + 1) / (n + 2) after n agreeing trials.
        """
        return (self.n_demonstrations + 1) / (self.n_demonstrations + 2)


@dataclass(frozen=True)
class Proposal:
    """A task worth demonstrating next.

    Attributes:
        template_id: Its task template.
        instance_id: An instance of it that was not demonstrated; empty when all were.
        text: That instance in words; the template's text when all were.
        n_missing: Known tasks that rest on nothing without it.
        n_single: Other known tasks that rest on one demonstration, and would on two with it.
        n_gained: Writes and widgets it would show for the first or second time.
    """

    template_id: str
    instance_id: str
    text: str
    n_missing: int
    n_single: int
    n_gained: int


@dataclass(frozen=True)
class _Known:
    """A template with all that its tasks rest on."""

    template: TaskTemplate
    demonstrations: tuple[str, ...]
    n_tasks: int
    needs: frozenset[Need]


def find_evidence(model: NavModel) -> tuple[Evidence, ...]:
    """Find what shows each write, widget and branch of a model, in that order."""
    return (*_writes_and_widgets(model), *_branches(model))


def frame_evidence(model: NavModel) -> pl.DataFrame:
    """The evidence as a frame.

    Returns:
        One row a write, widget or branch: what, label, page, vertex, n_demonstrations, confidence,
        trajectories.
    """
    schema: dict[str, pl.DataType | type[pl.DataType]] = {
        "what": pl.String,
        "label": pl.String,
        "page": pl.String,
        "vertex": pl.String,
        "n_demonstrations": pl.Int64,
        "confidence": pl.Float64,
        "trajectories": pl.List(pl.String),
    }
    rows = [{name: getattr(e, name) for name in schema} for e in find_evidence(model)]
    return pl.DataFrame(
        [row | {"trajectories": list(row["trajectories"])} for row in rows], schema=schema
    )


def propose_recordings(
    model: NavModel, tasks: TaskFile, paraphrases: Paraphrases | None = None
) -> tuple[Proposal, ...]:
    """Rank the task templates by how many known tasks another demonstration of them would help.

    A task rests on a demonstration of its template, on the writes of its answer key, and on what
    the template's demonstrations passed. Each instance counts once a known wording.

    Args:
        model: The model that was built from what there is.
        tasks: The known tasks.
        paraphrases: Other wordings of them.
    """
    known = [_known(model, tasks, t, paraphrases) for t in tasks.templates]
    shown = _support(model, known)
    proposals = [_propose(own, known, shown) for own in known]
    return tuple(sorted(proposals, key=lambda p: (-p.n_missing, -p.n_single, -p.n_gained)))


def frame_proposals(proposals: tuple[Proposal, ...]) -> pl.DataFrame:
    """The proposals as a frame, one row each, in their order; columns as the fields."""
    kinds = {"int": pl.Int64, "str": pl.String}
    schema = {f.name: kinds[str(f.type)] for f in fields(Proposal)}
    return pl.DataFrame([vars(p) for p in proposals], schema=schema)


def _writes_and_widgets(model: NavModel) -> Iterator[Evidence]:
    shown = _shown(model)
    for what in ("write", "widget"):
        for number, vertex in enumerate(model.vertices):
            is_write = vertex.kind.is_write and not model.is_noise(number)
            if is_write if what == "write" else vertex.kind.is_interaction:
                page = vertex.fixed.get("page") or vertex.fixed.get("base_path")
                yield Evidence(
                    "write" if is_write else "widget",
                    vertex.label,
                    page or vertex.fixed.get("path", ""),
                    vertex.name,
                    tuple(shown[number]),
                )


def _shown(model: NavModel) -> dict[int, list[str]]:
    """The trajectories that visit each vertex."""
    shown: dict[int, list[str]] = {}
    for trajectory_id, walk in model.walks.items():
        for vertex in dict.fromkeys(visit.vertex for visit in walk):
            shown.setdefault(vertex, []).append(trajectory_id)
    return shown


def _branches(model: NavModel) -> Iterator[Evidence]:
    """Ways on from where there are several, page changes and the application's writes left out."""
    ways: dict[int, dict[int, dict[str, None]]] = {}
    for trajectory_id, walk in model.walks.items():
        steps = [
            v.vertex
            for v in walk
            if v.step.event.kind.is_interaction or v.step.event.kind is EventKind.LOCATION
        ]
        for source, target in pairwise(steps):
            ways.setdefault(source, {}).setdefault(target, {})[trajectory_id] = None
    for source, targets in sorted(ways.items()):
        if len(targets) < 2:
            continue
        for target, trajectories in targets.items():
            vertex = model.vertices[target]
            label = f"{model.vertices[source].label} → {vertex.label}"
            fixed = model.vertices[source].fixed
            page = fixed.get("page") or fixed.get("base_path") or fixed.get("path", "")
            yield Evidence("branch", label, page, vertex.name, tuple(trajectories))


def _known(
    model: NavModel, tasks: TaskFile, template: TaskTemplate, paraphrases: Paraphrases | None
) -> _Known:
    texts = {i.id: template.instance_text(i) for i in template.instances}
    demonstrations = tuple(
        trajectory_id
        for trajectory_id, timeline in model.timelines.items()
        if trajectory_id in texts or timeline.trajectory.header.task in texts.values()
    )
    n_wordings = 1
    if paraphrases is not None:
        n_wordings += sum(map(len, paraphrases.wordings.get(template.id, {}).values()))
    visited = {
        v.vertex for t in demonstrations for v in model.walks[t] if v.step.event.kind.is_interaction
    }
    needs = {("demonstration", template.id)}
    needs |= {("vertex", model.vertices[v].name) for v in visited}
    needs |= {("write", _write_name(w)) for w in template.expect.writes}
    n_tasks = sum(i.use == "execute" for i in template.instances) * n_wordings
    return _Known(template, demonstrations, n_tasks, frozenset(needs))


def _support(model: NavModel, known: list[_Known]) -> dict[Need, int]:
    """How many demonstrations show each need."""
    shown = _shown(model)
    found = {("vertex", v.name): len(shown[n]) for n, v in enumerate(model.vertices)}
    for own in known:
        found["demonstration", own.template.id] = len(own.demonstrations)
        for write in own.template.expect.writes:
            showing = {
                trajectory
                for number, vertex in enumerate(model.vertices)
                if vertex.kind.is_write and _is_expected(write, vertex.fixed)
                for trajectory in shown[number]
            }
            found["write", _write_name(write)] = len(showing)
    return found


def _propose(own: _Known, known: list[_Known], shown: Mapping[Need, int]) -> Proposal:
    missing = {need for need in own.needs if shown[need] == 0}
    single = {need for need in own.needs if shown[need] == 1}
    helped = [other for other in known if other.needs & missing]
    doubled = [other for other in known if other.needs & single and other not in helped]
    template = own.template
    todo = (i for i in template.instances if i.id not in own.demonstrations)
    instance = next(todo, None)
    return Proposal(
        template_id=template.id,
        instance_id=instance.id if instance else "",
        text=template.instance_text(instance) if instance else template.text,
        n_missing=sum(other.n_tasks for other in helped),
        n_single=sum(other.n_tasks for other in doubled),
        n_gained=sum(what != "demonstration" for what, _ in missing | single),
    )


def _write_name(write: ExpectedWrite) -> str:
    return " ".join((write.method, "/".join(_segments(write.path)), write.operation)).strip()


def _segments(path: str) -> list[str]:
    """Segments of an expected path; `*` for those that hold a slot or a star."""
    filled = SLOT.sub("*", urlsplit(path).path)
    return ["*" if "*" in s else s for s in filled.strip("/").split("/")]


def _is_expected(write: ExpectedWrite, fixed: Mapping[str, str]) -> bool:
    """Whether a write vertex is what an answer key expects, by method, path and operation."""
    if (write.method, write.operation) != (fixed.get("method"), fixed.get("operation", "")):
        return False
    expected, found = _segments(write.path), fixed.get("path", "").strip("/").split("/")
    pairs = zip(expected, found, strict=False)
    return len(expected) == len(found) and all(a == b or "*" in (a, b) for a, b in pairs)
