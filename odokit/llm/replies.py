"""What a model may reply, one pydantic class per shape, and its schema in strict form."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict

_ANNOTATIONS = ("title", "description", "default")


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ChooseOne(_Reply):
    """One item of a numbered list."""

    number: int
    """Number as shown in the prompt, from 1; 0 when none fits."""


class ChooseMany(_Reply):
    """Items of a numbered list, in the order they are to happen."""

    numbers: list[int]
    """Numbers as shown in the prompt; empty when none fits."""


class SlotValue(_Reply):
    """The value of one named slot."""

    name: str
    """Slot name as shown in the prompt."""
    value: str
    """Its value."""


class Values(_Reply):
    """Values of the slots the task gives."""

    values: list[SlotValue]
    """One entry a slot; a slot the task does not give is left out."""


class PlanReply(_Reply):
    """All that a plan leaves open, in one reply."""

    demonstration: int
    """Number of the demonstration, from 1; 0 when none fits."""
    writes: list[int]
    """Numbers of its writes that complete the task, in order."""
    values: list[SlotValue]
    """Values of its slots."""


class Text(_Reply):
    """Free text."""

    text: str
    """The text."""


def strict_schema(reply_type: type[BaseModel]) -> dict[str, Any]:
    """Turn a reply class into a JSON schema that strict structured outputs accept.

    Every property is required and no other is allowed. Titles, descriptions and defaults are left
    out: strict mode refuses defaults, and the rest is paid for with each call.
    """
    schema = _strict(reply_type.model_json_schema())
    assert isinstance(schema, dict)
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    # Names under these two are the user's own, so a field may be called `title`.
    named = {
        key: {name: _strict(value) for name, value in node[key].items()}
        for key in ("properties", "$defs")
        if key in node
    }
    rest = {k: _strict(v) for k, v in node.items() if k not in (*named, *_ANNOTATIONS)}
    if "properties" in named:
        rest |= {"additionalProperties": False, "required": list(named["properties"])}
    return named | rest


def schema_text(reply_type: type[BaseModel]) -> str:
    """The strict schema as compact JSON, as counted against budgets."""
    return json.dumps(strict_schema(reply_type), separators=(",", ":"))
