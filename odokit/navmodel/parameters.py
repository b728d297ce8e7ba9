"""The input parameters of a model: what its fields take, field by field.

A parameter belongs to a vertex, never to a label: the title of a page and the title of an
announcement are two, though both fields are called "Title". Source: paper, section III-C2; the
reference merges them by label (its defect 11).
"""

from __future__ import annotations

from dataclasses import dataclass

from odokit.events import Event, EventKind
from odokit.navmodel.model import NavModel

FIELDS = frozenset(
    {
        EventKind.DATA_ENTRY,
        EventKind.RICH_TEXT,
        EventKind.CHECKBOX,
        EventKind.RADIO,
        EventKind.SELECT,
    }
)


@dataclass(frozen=True)
class InputParameter:
    """What a field takes.

    Attributes:
        vertex: Name of its vertex.
        label: What the field is called.
        kind: Kind of field.
        page: Address template of its page.
        values: Different values demonstrated, in order; `on` and `off` of a check box.
        slots: Task parameters whose values were entered as they are.
        options: What there was to choose from.
    """

    vertex: str
    label: str
    kind: EventKind
    page: str
    values: tuple[str, ...]
    slots: tuple[str, ...]
    options: tuple[str, ...]


def input_parameters(model: NavModel) -> tuple[InputParameter, ...]:
    """The parameters of every field, in vertex order."""
    steps: dict[int, list[tuple[str, Event]]] = {}
    for trajectory_id, walk in model.walks.items():
        for visit in walk:
            if visit.step.event.kind in FIELDS:
                steps.setdefault(visit.vertex, []).append((trajectory_id, visit.step.event))
    return tuple(_parameter(model, vertex, seen) for vertex, seen in sorted(steps.items()))


def _parameter(model: NavModel, number: int, seen: list[tuple[str, Event]]) -> InputParameter:
    vertex, first = model.vertices[number], seen[0][1]
    given = [(model.values(trajectory_id), _value(event)) for trajectory_id, event in seen]
    slots = (name for known, value in given for name, v in known.items() if v == value)
    options = (option.label for _, event in seen for option in event.options)
    return InputParameter(
        vertex=vertex.name,
        label=(first.group if first.kind is EventKind.RADIO else "")
        or (first.element.name if first.element else ""),
        kind=vertex.kind,
        page=model.urls.template(first.url),
        values=tuple(dict.fromkeys(value for _, value in given)),
        slots=tuple(dict.fromkeys(slots)),
        options=tuple(dict.fromkeys(options)),
    )


def _value(event: Event) -> str:
    if event.kind is EventKind.CHECKBOX:
        return "on" if event.checked else "off"
    return event.value or ""
