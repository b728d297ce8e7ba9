"""From a path to instructions: what to do at each step, with which values.

An instruction has everything the executor needs: how to recognise the element, what to enter or
choose, and what the application is expected to do in answer. Source: paper, Table III.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odokit.decide import FieldQuestion, bind_state, bind_text
from odokit.events import Event, EventKind
from odokit.navmodel import NavModel
from odokit.plan.manner import Manner, Target, make_manner, make_target
from odokit.plan.search import NavPath, PathStep

KIND_NAMES = {
    EventKind.DATA_ENTRY: "text",
    EventKind.RICH_TEXT: "rich text",
    EventKind.RADIO: "radio",
    EventKind.SELECT: "select",
    EventKind.CHECKBOX: "checkbox",
}


@dataclass(frozen=True)
class Instruction:
    """One interaction to perform and what should follow.

    Attributes:
        number: Position among the plan's instructions, from 0.
        kind: Kind of interaction.
        vertex: Vertex number.
        label: What it is, in words.
        target: The element to act on.
        question: For a field, what is to be decided about its value; None for a click.
        writes: Writes expected to follow, as path steps.
        location: Address template expected to follow, if any.
        page: Address template of the page it happens on.
        manner: How the element is used.
    """

    number: int
    kind: EventKind
    vertex: int
    label: str
    target: Target
    question: FieldQuestion | None
    writes: tuple[PathStep, ...]
    location: str | None
    page: str
    manner: Manner


def make_instructions(
    model: NavModel, path: NavPath, task: str, values: Mapping[str, str]
) -> tuple[Instruction, ...]:
    """Turn a path into instructions for a task with these values."""
    positions = [
        i for i, s in enumerate(path.steps) if model.vertices[s.vertex].kind.is_interaction
    ]
    instructions = []
    for number, position in enumerate(positions):
        after = positions[number + 1] if number + 1 < len(positions) else len(path.steps)
        follow = path.steps[position + 1 : after]
        instructions.append(_instruction(model, number, path.steps[position], follow, task, values))
    return tuple(instructions)


def _instruction(
    model: NavModel,
    number: int,
    path_step: PathStep,
    follow: Sequence[PathStep],
    task: str,
    values: Mapping[str, str],
) -> Instruction:
    event = path_step.step.event
    vertex = model.vertices[path_step.vertex]
    old = model.values(path_step.trajectory_id)
    new = _given(old, values)
    step_id = f"{path_step.trajectory_id}#{path_step.step.idx}"
    places = [s.step.event.to_url for s in follow if s.step.event.kind is EventKind.LOCATION]
    return Instruction(
        number=number,
        kind=event.kind,
        vertex=path_step.vertex,
        label=vertex.label,
        target=make_target(event, vertex.free_targets.get(step_id), old, new),
        question=_question(event, task, old, new),
        writes=tuple(s for s in follow if s.step.event.kind.is_write),
        location=model.urls.template(places[-1]) if places else None,
        page=model.urls.template(event.url),
        manner=make_manner(event, old, new),
    )


def _given(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, str]:
    """Values of the demonstration's parameters that this task gives, and no others."""
    return {name: new[name] for name in old if name in new}


def _question(
    event: Event, task: str, old: Mapping[str, str], new: Mapping[str, str]
) -> FieldQuestion | None:
    if event.kind is EventKind.CLICK:
        return None
    assert event.element is not None
    label = event.element.name
    if event.kind is EventKind.RADIO:
        label = event.group or label
    options = tuple(option.label for option in event.options)
    if event.kind is EventKind.CHECKBOX:
        state = bind_state(bool(event.checked), old, new)
        return FieldQuestion(
            task=task,
            label=label,
            kind="checkbox",
            bound="on" if state else "off",
            is_constant=state == event.checked,
            demonstrated="on" if event.checked else "off",
        )
    binding = bind_text(event.value or "", old)
    return FieldQuestion(
        task=task,
        label=label,
        kind=KIND_NAMES[event.kind],
        bound=binding.fill(new),
        is_constant=binding.is_constant,
        demonstrated=event.value or "",
        options=options,
    )
