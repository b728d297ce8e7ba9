"""Turn the seed file into what the shop is filled with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from odokit.testbeds.generate import DataSet, Entity, generate, read_seed
from odokit.testbeds.vendure.accounts import IDENTIFIERS, PASSWORDS

FIXED = ("shop", "clerk", "countries")
"""Parts of the seed file that are not generated."""


def shop_data(seed: Path) -> dict[str, Any]:
    """Everything the shop is filled with, as one JSON object.

    An entity names the one above it by its kind, and those it picked by the relation; each goes by
    its first unique field.

    Args:
        seed: The seed file.

    Raises:
        TestBedError: The seed file is malformed.
    """
    data = generate(read_seed(seed))
    fixed = {name: (data.seed.model_extra or {})[name] for name in FIXED}
    fixed["clerk"] |= {"email": IDENTIFIERS["clerk"], "password": PASSWORDS["clerk"]}
    return {**fixed, "blocks": [_block(data, block) for block in range(data.seed.sets)]}


def _block(data: DataSet, block: int) -> dict[str, list[dict[str, Any]]]:
    def key(entity: Entity) -> Any:
        return entity.fields[data.seed.kinds[entity.kind].unique[0]]

    def entry(entity: Entity) -> dict[str, Any]:
        related = {name: [key(e) for e in chosen] for name, chosen in entity.picks.items()}
        above = {} if entity.above is None else {entity.above.kind: key(entity.above)}
        return {**entity.fields, **above, **related}

    return {kind: [entry(e) for e in data.of_kind(kind, block)] for kind in data.seed.kinds}
