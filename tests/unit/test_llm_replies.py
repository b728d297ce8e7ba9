"""Reply schemas fit strict structured outputs, and faults are told without quoting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from openai.lib._pydantic import to_strict_json_schema
from pydantic import BaseModel, Field, ValidationError

from odokit.llm.model import describe_faults
from odokit.llm.replies import ChooseMany, ChooseOne, PlanReply, Text, Values, strict_schema


class Awkward(BaseModel):
    """Has what strict mode refuses, and fields called like keywords."""

    title: str = Field("x", description="costs tokens")
    properties: list[ChooseOne] = Field(default_factory=list, title="T")
    default: int | None = None


def objects(node: Any) -> Iterator[dict[str, Any]]:
    """Every object schema in a schema."""
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for value in node.values():
            yield from objects(value)
    elif isinstance(node, list):
        for item in node:
            yield from objects(item)


def bare(node: Any, *, is_named: bool = False) -> Any:
    """A schema without annotations, for comparison with the openai package's own."""
    if isinstance(node, list):
        return sorted(map(bare, node), key=repr)
    if not isinstance(node, dict):
        return node
    return {
        key: bare(value, is_named=key in {"properties", "$defs"} and not is_named)
        for key, value in node.items()
        if is_named or key not in {"title", "description", "default"}
    }


@pytest.mark.parametrize("reply", [ChooseOne, ChooseMany, Values, PlanReply, Text, Awkward])
def test_schema_is_strict(reply: type[BaseModel]) -> None:
    schema = strict_schema(reply)
    found = list(objects(schema))
    assert found
    for node in found:
        assert node["additionalProperties"] is False
        assert node["required"] == list(node["properties"])
    assert bare(schema) == bare(to_strict_json_schema(reply))


def test_schema_keeps_fields_called_like_keywords() -> None:
    schema = strict_schema(Awkward)
    assert list(schema["properties"]) == ["title", "properties", "default"]
    assert schema["properties"]["title"] == {"type": "string"}
    assert "description" not in schema


def test_a_reply_round_trips() -> None:
    text = '{"demonstration": 2, "writes": [3, 1], "values": [{"name": "n", "value": "v"}]}'
    reply = PlanReply.model_validate_json(text)
    assert (reply.demonstration, reply.writes) == (2, [3, 1])
    assert (reply.values[0].name, reply.values[0].value) == ("n", "v")


@pytest.mark.parametrize("text", ['{"number": "1"}', '{"number": 1, "why": "x"}', "[1]", "one", ""])
def test_a_loose_reply_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        ChooseOne.model_validate_json(text)


def test_faults_name_places_and_quote_nothing() -> None:
    with pytest.raises(ValidationError) as caught:
        PlanReply.model_validate_json('{"demonstration": "hush", "writes": ["hush"], "values": []}')
    told = describe_faults(caught.value)
    assert "demonstration: Input should be a valid integer" in told
    assert "writes.0: " in told
    assert "hush" not in told
