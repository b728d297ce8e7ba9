"""Draw the instances of task templates from generated data, so that no two touch the same entity.

Entities form a tree: a lesson belongs to a class. An instance that changes an entity takes it, and
nobody else may draw it, or anything below it, or take anything above it; one that only reads it
shares it with other readers.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from odokit.errors import TaskError, TestBedError
from odokit.tasks import Draw, TaskFile, TaskInstance, TaskTemplate
from odokit.testbeds.generate import N_TRIES, DataSet, Entity, Scalar, expand_pattern


def draw_instances(
    tasks: TaskFile, data: DataSet, *, places: Mapping[tuple[str, str], str] | None = None
) -> TaskFile:
    """Give every template with a `draw` section one instance a block; the first is demonstrated.

    Args:
        tasks: The task file as read.
        data: What the application is provisioned with.
        places: Where each parameter of a template is drawn, for messages: file and line.

    Raises:
        TaskError: A template asks for an entity that does not exist or is taken.
    """
    state = _State(data, data.values(), places or {})
    drawn: dict[str, list[TaskInstance]] = {t.id: [] for t in tasks.templates if t.draw}
    # Whoever takes a whole class must come before those who use what is in it.
    order = sorted((t for t in tasks.templates if t.draw), key=lambda t: _depth(t, data))
    for block in range(data.seed.sets):
        for template in order:
            drawn[template.id].append(_draw_one(template, block, state))
    templates = tuple(
        t.model_copy(update={"instances": (*t.instances, *drawn.get(t.id, []))})
        for t in tasks.templates
    )
    return TaskFile.model_validate(
        {**{name: getattr(tasks, name) for name in TaskFile.model_fields}, "templates": templates}
    )


@dataclass
class _State:
    """What has been given out so far."""

    data: DataSet
    values: set[str]
    places: Mapping[tuple[str, str], str]
    taken: set[int] = field(default_factory=set)
    read: set[int] = field(default_factory=set)

    def where(self, template: TaskTemplate, parameter: str, block: int) -> str:
        """Where a draw is written, and for which block it is made."""
        place = self.places.get((template.id, parameter), "")
        named = f"template '{template.id}', parameter '{parameter}', block {block}"
        return f"{place}, {named}" if place else named

    def is_free(self, entity: Entity, *, shared: bool) -> bool:
        if any(id(e) in self.taken for e in entity.line()):
            return False
        return shared or id(entity) not in self.read

    def give(self, entity: Entity, *, shared: bool) -> None:
        own, *above = (id(e) for e in entity.line())
        (self.read if shared else self.taken).add(own)
        self.read.update(above)


def _depth(template: TaskTemplate, data: DataSet) -> int:
    """How deep in the tree the highest entity lies that a template takes for itself."""
    depths = [9]
    for draw in template.draw.values():
        if draw.entity and not draw.shared:
            found = data.of_kind(draw.entity)
            depths.append(len(list(found[0].line())) if found else 0)
    return min(depths)


def _draw_one(template: TaskTemplate, block: int, state: _State) -> TaskInstance:
    wanted = [name for name, draw in template.draw.items() if draw.entity]
    entities = _choose(template, wanted, block, {}, state)
    for parameter, entity in entities.items():
        state.give(entity, shared=template.draw[parameter].shared)
    values: dict[str, str] = {}
    for parameter, draw in template.draw.items():
        where = state.where(template, parameter, block)
        if draw.entity or draw.of:
            entity = _known(entities, draw.of or parameter, where)
            values[parameter] = str(_value(entity, draw.field, where))
        elif draw.fresh:
            start = f"{state.data.seed.random_seed} {template.id} {parameter} {block}"
            chance = random.Random(start)
            values[parameter] = _fresh(draw.fresh, values, entities, state, chance, where)
        else:
            values[parameter] = draw.choice[block % len(draw.choice)]
    use: Literal["demonstrate", "execute"] = "demonstrate" if block == 0 else "execute"
    return TaskInstance(id=f"{template.id}_{block}", use=use, values=values)


def _choose(
    template: TaskTemplate,
    wanted: Sequence[str],
    block: int,
    chosen: dict[str, Entity],
    state: _State,
) -> dict[str, Entity]:
    """Choose an entity for each parameter, going back to another where one fits no other."""
    if not wanted:
        return chosen
    parameter, *rest = wanted
    draw = template.draw[parameter]
    where = state.where(template, parameter, block)
    failure: TaskError | None = None
    for entity in _candidates(draw, block, chosen, state, where):
        try:
            return _choose(template, rest, block, {**chosen, parameter: entity}, state)
        except TaskError as error:
            failure = error
    raise failure or TaskError(
        f"{where}: no {draw.entity} is left that fits {draw.where or 'the draw'}. Raise the count "
        f"of '{draw.entity}' in the seed file, or mark entities that are only read as shared."
    )


def _candidates(
    draw: Draw, block: int, chosen: Mapping[str, Entity], state: _State, where: str
) -> list[Entity]:
    """The entities of the block that are free and fit what was chosen before."""
    kinds = state.data.seed.kinds
    if draw.entity not in kinds:
        raise TaskError(f"{where}: there is no kind '{draw.entity}'; kinds are {', '.join(kinds)}.")
    return [
        entity
        for entity in state.data.of_kind(draw.entity, block)
        if entity not in chosen.values()
        and state.is_free(entity, shared=draw.shared)
        and _fits(entity, draw, chosen, where)
    ]


def _fits(entity: Entity, draw: Draw, entities: Mapping[str, Entity], where: str) -> bool:
    if any(_value(entity, name, where) != wanted for name, wanted in draw.where.items()):
        return False
    for kind, other in draw.same.items():
        if entity.link(kind) is not _known(entities, other, where).link(kind):
            return False
    for kind, other in draw.differs.items():
        if entity.link(kind) is _known(entities, other, where).link(kind):
            return False
    if draw.among and entity not in _related(draw.among, entities, where):
        return False
    return not draw.not_among or entity not in _related(draw.not_among, entities, where)


def _related(path: str, entities: Mapping[str, Entity], where: str) -> tuple[Entity, ...]:
    parameter, _, relation = path.partition(".")
    entity = _known(entities, parameter, where)
    if relation not in entity.picks:
        raise TaskError(f"{where}: a {entity.kind} has no relation '{relation}' ('{path}').")
    return entity.picks[relation]


def _known(entities: Mapping[str, Entity], parameter: str, where: str) -> Entity:
    if parameter not in entities:
        raise TaskError(
            f"{where}: '{parameter}' is no entity drawn before it; those are "
            f"{', '.join(entities) or 'none'}."
        )
    return entities[parameter]


def _value(entity: Entity, path: str, where: str) -> Scalar:
    try:
        return entity.value(path)
    except TestBedError as error:
        raise TaskError(f"{where}: {error}") from error


def _fresh(
    pattern: str,
    values: Mapping[str, str],
    entities: Mapping[str, Entity],
    state: _State,
    chance: random.Random,
    where: str,
) -> str:
    """A value that exists nowhere yet."""

    def look_up(path: str) -> str:
        parameter, _, rest = path.partition(".")
        return str(_value(_known(entities, parameter, where), rest, where))

    for _ in range(N_TRIES):
        try:
            value = str(expand_pattern(pattern, state.data.seed.pools, look_up, values, chance))
        except TestBedError as error:
            raise TaskError(f"{where}: {error}") from error
        if value not in state.values:
            state.values.add(value)
            return value
    raise TaskError(f"{where}: '{pattern}' gives no new value; add words to its pools.")
