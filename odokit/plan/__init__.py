"""From a task in words to a plan: demonstration, targets, path and instructions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from odokit.annotate import describe_trajectory
from odokit.decide import Decider, DemonstrationCard, PathOption
from odokit.errors import NoPathError
from odokit.navmodel import NavModel, Visit
from odokit.plan.instructions import Instruction, make_instructions
from odokit.plan.manner import Answer, Manner, Target, make_target
from odokit.plan.search import NavPath, PathStep, beam_search, find_paths

__all__ = [
    "Answer",
    "Instruction",
    "Manner",
    "NavPath",
    "PathStep",
    "Plan",
    "Target",
    "beam_search",
    "demonstration_cards",
    "find_paths",
    "make_instructions",
    "make_plan",
    "make_target",
    "replan",
]


@dataclass(frozen=True)
class Plan:
    """What will be done for a task.

    Attributes:
        task: The task in words.
        trajectory_id: The demonstration it follows.
        values: Value of each task parameter.
        targets: The demonstration's writes that complete the task, in order.
        path: The path chosen.
        n_paths: Number of candidate paths.
        instructions: The interactions to perform.
        start_url: Where to begin when the current page was never demonstrated, else None.
    """

    task: str
    trajectory_id: str
    values: Mapping[str, str]
    targets: tuple[Visit, ...]
    path: NavPath
    n_paths: int
    instructions: tuple[Instruction, ...]
    start_url: str | None


def demonstration_cards(model: NavModel) -> list[DemonstrationCard]:
    """Describe every demonstration that has something to complete."""
    cards = []
    for trajectory_id, timeline in model.timelines.items():
        writes = [model.vertices[v.vertex].label for v in model.target_writes(trajectory_id)]
        if writes:
            cards.append(
                DemonstrationCard(
                    trajectory_id=trajectory_id,
                    task=timeline.trajectory.header.task,
                    values=model.values(trajectory_id),
                    writes=writes,
                    description=describe_trajectory(model, trajectory_id),
                )
            )
    return cards


async def make_plan(task: str, url: str, model: NavModel, decider: Decider) -> Plan:
    """Plan a task from the current address.

    Args:
        task: The task in words.
        url: The browser's current address.
        model: The behaviour model.
        decider: Answers what is open.

    Raises:
        UndecidedError: A decision stayed below its threshold.
        NoPathError: The model has no demonstration with a write, or no path.
    """
    cards = demonstration_cards(model)
    if not cards:
        raise NoPathError("no demonstration ends in a write, so no task can be completed.")
    choice = await decider.choose_plan(task, cards)
    writes = model.target_writes(choice.trajectory_id)
    targets = tuple(writes[i] for i in sorted(choice.writes))
    return await _plan(task, url, model, decider, choice.trajectory_id, choice.values, targets)


async def replan(
    plan: Plan, url: str, model: NavModel, decider: Decider, *, done: set[int]
) -> Plan:
    """Plan the rest of a task from another place.

    Args:
        plan: The plan that went astray.
        url: The browser's current address.
        model: The behaviour model.
        decider: Answers what is open.
        done: Step indexes of the target writes already observed.
    """
    left = tuple(t for t in plan.targets if t.step.idx not in done)
    return await _plan(plan.task, url, model, decider, plan.trajectory_id, plan.values, left)


async def _plan(
    task: str,
    url: str,
    model: NavModel,
    decider: Decider,
    trajectory_id: str,
    values: Mapping[str, str],
    targets: tuple[Visit, ...],
) -> Plan:
    source = model.find_location(url)
    paths = find_paths(model, source, targets, trajectory_id)
    start_url = None
    if not paths:
        # Nothing leads on from here: begin again where the demonstration began.
        paths = find_paths(model, None, targets, trajectory_id)
        source = None
    if source is None:
        start_url = _moved_to(url, model.timelines[trajectory_id].trajectory.header.start_url)
    options = [PathOption(p.describe(model), p.overlap) for p in paths]
    description = describe_trajectory(model, trajectory_id)
    path = paths[await decider.choose_path(task, description, options)]
    return Plan(
        task=task,
        trajectory_id=trajectory_id,
        values=values,
        targets=targets,
        path=path,
        n_paths=len(paths),
        instructions=make_instructions(model, path, task, values),
        start_url=start_url,
    )


def _moved_to(url: str, recorded: str) -> str:
    """A recorded address at the host in use now."""
    here = urlsplit(url)
    return urlsplit(recorded)._replace(scheme=here.scheme, netloc=here.netloc).geturl()
