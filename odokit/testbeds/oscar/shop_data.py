"""Turn the seed file into what the shop's own Python provisions from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from odokit.testbeds.generate import DataSet, Entity, generate, read_seed

FIXED = ("accounts", "countries", "addresses")
"""Parts of the seed file that are not generated."""


def shop_data(seed: Path, passwords: Mapping[str, str]) -> dict[str, Any]:
    """Everything the shop is filled with, as one JSON object.

    An entity refers to others, those above it and those it picked, by their first unique field.

    Args:
        seed: The seed file.
        passwords: Passwords by role.

    Raises:
        TestBedError: The seed file is malformed.
    """
    data = generate(read_seed(seed))
    fixed = {name: (data.seed.model_extra or {})[name] for name in FIXED}
    blocks = [_block(data, block) for block in range(data.seed.sets)]
    return {**fixed, "passwords": dict(passwords), "blocks": blocks}


def _block(data: DataSet, block: int) -> dict[str, list[dict[str, Any]]]:
    def key(entity: Entity) -> Any:
        return entity.fields[data.seed.kinds[entity.kind].unique[0]]

    def entry(entity: Entity) -> dict[str, Any]:
        above = {e.kind: key(e) for e in entity.line() if e is not entity}
        related = {name: [key(e) for e in chosen] for name, chosen in entity.picks.items()}
        return {**entity.fields, **above, **related}

    return {kind: [entry(e) for e in data.of_kind(kind, block)] for kind in data.seed.kinds}
