"""The recording format as tables, made from its schema, so that the documentation cannot lag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from odokit.events import KIND_SPECS, recording_schema

TITLES = {
    "Header": "Header: the first line",
    "Event": "Event: one line each",
    "Closing": "Closing: the last line",
}


def document_recording() -> str:
    """The lines of a recording and everything in them, as Markdown."""
    schema = recording_schema()
    parts: dict[str, Any] = {}
    sections: list[str] = []
    for name, title in TITLES.items():
        sections.append(f"### {title}\n\n{_table(schema[name])}")
        if name == "Event":
            sections.append(f"What each kind must carry:\n\n{_kinds()}")
        parts |= schema[name].get("$defs", {})
    for name, part in sorted(parts.items()):
        if "properties" in part:
            said = part.get("description", "").split("\n")[0]
            sections.append(f"### {name}\n\n{said}\n\n{_table(part)}")
    return "\n\n".join(sections) + "\n"


def _table(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = ["| field | type | default | meaning |", "| --- | --- | --- | --- |"]
    for name, field in schema["properties"].items():
        default = "" if name in required else _default(field)
        meaning = " ".join(field.get("description", "").split()).replace("|", "\\|")
        rows.append(f"| `{name}` | {_type(field)} | {default} | {meaning} |")
    return "\n".join(rows)


def _default(field: Mapping[str, Any]) -> str:
    if "default" not in field:
        return "empty"
    value = str(field["default"])
    return {"None": "none", "": '`""`', "[]": "empty"}.get(value, f"`{value}`")


def _type(field: Mapping[str, Any]) -> str:
    if "$ref" in field:
        return str(field["$ref"]).rsplit("/", 1)[-1]
    if "anyOf" in field:
        return " or ".join(_type(option) for option in field["anyOf"])
    kind = str(field.get("type", "any JSON"))
    if kind == "array" and "items" in field:
        return f"list of {_type(field['items'])}"
    if kind == "array" and "prefixItems" in field:
        return "list of " + ", ".join(map(_type, field["prefixItems"]))
    if kind == "object" and "additionalProperties" in field:
        return f"object of {_type(field['additionalProperties'])}"
    return {"null": "none"}.get(kind, kind) + "".join(_bounds(field))


def _bounds(field: Mapping[str, Any]) -> Iterator[str]:
    if "minimum" in field:
        yield f" from {field['minimum']}"


def _kinds() -> str:
    rows = ["| kind | must carry | fixed parameters | free parameters |"]
    rows.append("| --- | --- | --- | --- |")
    for kind, spec in KIND_SPECS.items():
        cells = (spec.required, spec.fixed, spec.free)
        told = (", ".join(f"`{name}`" for name in names) for names in cells)
        rows.append(f"| `{kind}` | {' | '.join(told)} |")
    return "\n".join(rows)
