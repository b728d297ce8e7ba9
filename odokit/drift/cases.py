"""Recorded interactions as cases: what to look for, on which page, and which element is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from odokit.events import Element, EventKind, Trajectory, read_recording
from odokit.navmodel import NavModel, Visit, discover_model
from odokit.plan import Target, make_target
from odokit.record import SnapshotFolder


@dataclass(frozen=True)
class Case:
    """A recorded interaction with the page it happened on.

    Attributes:
        step_id: Trajectory id and timeline index.
        page: Address template of the page.
        snapshot: Content hash of the page.
        target: How the executor would recognise the element for the demonstrated values.
    """

    step_id: str
    page: str
    snapshot: str
    target: Target

    def seen_as(self, described: dict[str, Any]) -> Target:
        """The target with its element described afresh, by the recorder on the page as it is kept.

        A kept page has no style sheets, so that names may differ from those seen when it was
        recorded; only the drift may make a difference here.
        """
        element = Element.model_validate(described)
        name = self.target.name
        if name == self.target.element.name:
            name = element.name
        landmarks: tuple[str | None, ...] = element.landmarks
        return replace(self.target, element=element, name=name, landmarks=landmarks)


@dataclass(frozen=True)
class Cases:
    """The cases of a folder of recordings.

    Attributes:
        app: Name of the application.
        cases: Its recorded interactions, in order of recording.
        snapshots: Where their pages are.
        n_left_out: Interactions in frames or shadow trees, or without a page; none is a case.
    """

    app: str
    cases: tuple[Case, ...]
    snapshots: SnapshotFolder
    n_left_out: int

    def by_snapshot(self) -> dict[str, list[Case]]:
        """The cases of each page."""
        found: dict[str, list[Case]] = {}
        for case in self.cases:
            found.setdefault(case.snapshot, []).append(case)
        return found


def read_cases(folder: Path) -> Cases:
    """Read a folder of recordings into cases.

    Args:
        folder: Recordings with their `snapshots` folder.

    Raises:
        RecordError: A recording is malformed.
        NavModelError: There is none.
    """
    paths = sorted([*folder.glob("*.jsonl.zst"), *folder.glob("*.jsonl")])
    trajectories = [read_recording(path) for path in paths]
    snapshots = SnapshotFolder(folder / "snapshots")
    model = discover_model(trajectories, get_snapshot=snapshots.get)
    visits = list(_interactions(model))
    cases = tuple(case for t, v in visits if (case := _case(model, t, v)) is not None)
    return Cases(_app(trajectories), cases, snapshots, len(visits) - len(cases))


def _app(trajectories: list[Trajectory]) -> str:
    return trajectories[0].header.app


def _interactions(model: NavModel) -> Iterator[tuple[str, Visit]]:
    for trajectory_id, walk in model.walks.items():
        for visit in walk:
            if visit.step.event.kind.is_interaction:
                yield trajectory_id, visit


def _case(model: NavModel, trajectory_id: str, visit: Visit) -> Case | None:
    event = visit.step.event
    if event.element is None or event.snapshot is None:
        return None
    if event.element.frame or event.element.shadow:
        return None
    step_id = f"{trajectory_id}#{visit.step.idx}"
    values = model.values(trajectory_id)
    free = model.vertices[visit.vertex].free_targets.get(step_id)
    target = make_target(event, free, values, values)
    if event.kind is EventKind.RADIO:
        target = replace(target, name=event.value, free=None, wanted=event.value, is_constant=False)
    return Case(step_id, model.urls.template(event.url), event.snapshot, target)
