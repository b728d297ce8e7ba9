"""Expand a seed file into several different data sets of one application, the same on every run.

A seed file holds `pools` of words and the `kinds` of entities a data set has. Each data set, or
block, is a year group with its classes or a department with its products; all live in one
application side by side. A pattern such as `"{first} {last|upper}"` draws a word from a pool, or
takes a field made before, or a field of the entity above (`{class.name}`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from odokit.errors import TestBedError
from odokit.tasks import LOADER

SLOT = re.compile(r"\{(\w+)((?:\.\w+)*)(?:\|(\w+))?(?::([^{}]*))?\}")
N_TRIES = 500
Scalar = str | int | float | bool | None
FILTERS: Mapping[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "sentence": lambda text: text[:1].upper() + text[1:],
    "initial": lambda text: text[:1].lower(),
    "slug": lambda text: re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"),
    "username": lambda text: re.sub(r"[^a-z]", "", (text[:1] + text.split()[-1]).lower()),
}
"""What `{name|filter}` can do to a word."""


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Range(_Entry):
    """A pool of numbers."""

    start: float
    """First number."""
    stop: float
    """Last number, which is in the pool."""
    step: float = 1
    """Distance between two numbers."""

    def draw(self, chance: random.Random) -> Scalar:
        """One of its numbers, a whole one as integer; none is listed, for there may be many."""
        n = round((self.stop - self.start) / self.step)
        number = round(self.start + chance.choice(range(n + 1)) * self.step, 6)
        return int(number) if number == int(number) else number


class Pick(_Entry):
    """A relation from an entity to some others of its block."""

    kind: str
    """Kind of the others, which comes earlier in the file."""
    count: int = Field(ge=1)
    """How many."""
    near: str = ""
    """Kind of entity above both that they must share; anywhere in the block when empty."""


class Kind(_Entry):
    """What one kind of entity looks like and how many a block has."""

    of: str = ""
    """Kind of the entity above; each such entity has `count` of these. Empty: each block has."""
    count: int = Field(ge=1)
    """How many."""
    fields: dict[str, Scalar | list[Scalar]]
    """Pattern, or a list of patterns taken in turn, of each field."""
    unique: tuple[str, ...] = ()
    """Fields whose value no other entity of this kind may have, in any block."""
    family: str = ""
    """Kinds of one family share their unique values, such as the user names of all people."""
    picks: dict[str, Pick] = {}
    """Relations by name."""


class Seed(BaseModel):
    """The part of a seed file that is generated; an application reads the rest itself."""

    model_config = ConfigDict(frozen=True, extra="allow")

    sets: int = Field(ge=1)
    """Number of blocks."""
    random_seed: int
    """Start of the random numbers: same seed, same data."""
    pools: dict[str, list[Scalar] | Range]
    """Words by pool."""
    kinds: dict[str, Kind]
    """Kinds of entities; a kind may refer only to kinds before it."""

    @model_validator(mode="after")
    def _kinds_refer_backwards(self) -> Seed:
        known: set[str] = set()
        for name, kind in self.kinds.items():
            asked = {pick.kind for pick in kind.picks.values()} | ({kind.of} if kind.of else set())
            if asked - known:
                raise ValueError(f"kind '{name}' refers to {sorted(asked - known)}, not yet known")
            if set(kind.unique) - set(kind.fields):
                raise ValueError(f"kind '{name}' has no field {set(kind.unique)} to keep unique")
            known.add(name)
        return self


@dataclass(frozen=True, eq=False)
class Entity:
    """One generated thing.

    Attributes:
        kind: Its kind.
        block: Number of its data set, from 0.
        number: Number among its kind in the block, from 0.
        above: The entity it belongs to, or None.
        fields: Its values by field.
        picks: Entities it is related to, by relation.
    """

    kind: str
    block: int
    number: int
    above: Entity | None
    fields: Mapping[str, Scalar] = field(default_factory=dict)
    picks: Mapping[str, tuple[Entity, ...]] = field(default_factory=dict)

    def line(self) -> Iterator[Entity]:
        """The entity itself, the one above it, and so on upwards."""
        entity: Entity | None = self
        while entity is not None:
            yield entity
            entity = entity.above

    def link(self, kind: str) -> Entity | None:
        """The entity of a kind in its line, itself included."""
        return next((e for e in self.line() if e.kind == kind), None)

    def value(self, path: str) -> Scalar:
        """The value of a field, of itself (`name`) or of a relation (`class.name`, `tags.0.name`).

        Raises:
            TestBedError: There is no such field.
        """
        entity, steps = self, path.split(".")
        while len(steps) > 1:
            name = steps.pop(0)
            linked = entity.link(name)
            if name in entity.picks and steps[0].isdigit():
                chosen, place = entity.picks[name], int(steps.pop(0))
                linked = chosen[place] if place < len(chosen) else None
            if linked is None:
                raise TestBedError(f"a {self.kind} has no '{path}'; mend the seed or task file.")
            entity = linked
        if steps[0] not in entity.fields:
            raise TestBedError(f"a {self.kind} has no '{path}'; mend the seed or task file.")
        return entity.fields[steps[0]]


@dataclass(frozen=True)
class DataSet:
    """Everything generated from a seed file.

    Attributes:
        seed: The seed file.
        entities: All entities, block by block, each kind after the kinds it refers to.
    """

    seed: Seed
    entities: tuple[Entity, ...]

    def of_kind(self, kind: str, block: int | None = None) -> list[Entity]:
        """The entities of a kind, in one block or in all."""
        return [e for e in self.entities if e.kind == kind and block in (None, e.block)]

    def below(self, entity: Entity, kind: str) -> list[Entity]:
        """The entities of a kind that belong to an entity."""
        return [e for e in self.entities if e.kind == kind and entity in e.line()]

    def values(self) -> set[str]:
        """Every value that occurs in the data."""
        return {str(value) for entity in self.entities for value in entity.fields.values()}


def read_seed(path: Path) -> Seed:
    """Read and check a seed file.

    Raises:
        TestBedError: The file is missing or malformed; the message names file and field.
    """
    try:
        data = yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)
        return Seed.model_validate(data)
    except (OSError, yaml.YAMLError) as error:
        raise TestBedError(f"{path} cannot be read as YAML: {error}. Mend it.") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "(file)"
        raise TestBedError(f"{path}, field {where}: {first['msg']}. Mend the seed file.") from error


def generate(seed: Seed) -> DataSet:
    """Expand a seed into its blocks; the same seed gives the same data.

    Raises:
        TestBedError: A pattern names no pool or field, or pools are too small for unique values.
    """
    entities: list[Entity] = []
    taken: set[tuple[str, str, Scalar]] = set()
    for block in range(seed.sets):
        made: dict[str, list[Entity]] = {}
        for name, kind in seed.kinds.items():
            chance = random.Random(f"{seed.random_seed} {block} {name}")
            parents: Sequence[Entity | None] = made[kind.of] if kind.of else [None]
            made[name] = []
            for above in parents:
                for place in range(kind.count):
                    draft = Entity(name, block, len(made[name]), above)
                    made[name].append(_make(seed, draft, place, made, taken, chance))
        entities += [entity for group in made.values() for entity in group]
    return DataSet(seed, tuple(entities))


def expand_pattern(
    pattern: Scalar,
    pools: Mapping[str, list[Scalar] | Range],
    look_up: Callable[[str], Scalar],
    known: Mapping[str, Any],
    chance: random.Random,
) -> Scalar:
    """Fill a pattern; one that is a single slot keeps the type of its word.

    Args:
        pattern: Text with `{name}`, `{name.field}`, `{name|filter}` or `{name:.2f}`.
        pools: Words by pool.
        look_up: Gives the value of a dotted path.
        known: Values that come before pools of the same name.
        chance: Draws from the pools.

    Raises:
        TestBedError: A name is neither known nor a pool, or a filter does not exist.
    """
    if not isinstance(pattern, str):
        return pattern

    def word(match: re.Match[str]) -> Scalar:
        name, path, how, form = match.groups()
        if path:
            found = look_up(name + path)
        elif name in known:
            found = known[name]
        elif name in pools:
            pool = pools[name]
            found = pool.draw(chance) if isinstance(pool, Range) else chance.choice(pool)
        else:
            raise TestBedError(f"'{pattern}' asks for '{name}', which is no pool or field.")
        if how and how not in FILTERS:
            raise TestBedError(f"'{pattern}' uses '|{how}'; filters are {', '.join(FILTERS)}.")
        found = FILTERS[how](str(found)) if how else found
        return format(found, form) if form else found

    whole = SLOT.fullmatch(pattern)
    return word(whole) if whole else SLOT.sub(lambda match: str(word(match)), pattern)


def _make(
    seed: Seed,
    draft: Entity,
    place: int,
    made: Mapping[str, Sequence[Entity]],
    taken: set[tuple[str, str, Scalar]],
    chance: random.Random,
) -> Entity:
    """Give an entity its fields, drawn again until the unique ones are new, and its relations."""
    kind = seed.kinds[draft.kind]
    for _ in range(N_TRIES):
        fields: dict[str, Scalar] = {}
        for name, pattern in kind.fields.items():
            chosen = pattern[place % len(pattern)] if isinstance(pattern, list) else pattern
            fields[name] = expand_pattern(chosen, seed.pools, draft.value, fields, chance)
        keys = {(kind.family or draft.kind, name, fields[name]) for name in kind.unique}
        if not keys & taken:
            taken |= keys
            picks = {n: _pick(p, draft, made, chance) for n, p in kind.picks.items()}
            return Entity(draft.kind, draft.block, draft.number, draft.above, fields, picks)
    raise TestBedError(
        f"block {draft.block} finds no {draft.kind} whose {', '.join(kind.unique)} is new; add "
        f"words to the pools of {[kind.fields[name] for name in kind.unique]}."
    )


def _pick(
    pick: Pick, draft: Entity, made: Mapping[str, Sequence[Entity]], chance: random.Random
) -> tuple[Entity, ...]:
    near = draft.link(pick.near) if pick.near else None
    fit = [e for e in made[pick.kind] if near is None or e.link(pick.near) is near]
    if len(fit) < pick.count:
        raise TestBedError(
            f"a {draft.kind} of block {draft.block} needs {pick.count} of {pick.kind}, but there "
            f"are {len(fit)}; raise the count of '{pick.kind}' in the seed."
        )
    return tuple(chance.sample(fit, pick.count))
