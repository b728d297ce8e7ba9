"""The data set's side-effect templates as a task file of ours.

The data set binds each instance's answer key to database ids. What all instances of a template have
in common becomes the template's key; what differs is a parameter's value or becomes a further value
of the instance (`key_1`, `key_2`, ...).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from odokit.cascon.readers import CasconDataset, CasconInstance, SideEffectTemplate
from odokit.cascon.strict import CANVAS_NOISE, strict_expectation
from odokit.errors import TaskError
from odokit.tasks import TaskFile

_SLOT = re.compile(r"\[\[([^\]]+)\]\]")
_LABEL = "Task:"


def to_task_file(dataset: CasconDataset) -> TaskFile:
    """The side-effect templates with strict answer keys.

    The training instances are for demonstration, all others for execution. Accounts and passwords
    are left out.

    Raises:
        TaskError: The instances of a template have keys of different shape.
    """
    return TaskFile.model_validate(
        {
            "app": "canvas",
            "noise": [write.model_dump() for write in CANVAS_NOISE],
            "templates": [_template(t, dataset.training.get(t.id)) for t in dataset.templates],
        }
    )


def task_text(text: str) -> str:
    """A task's wording without the label before it."""
    return text.strip().removeprefix(_LABEL).strip()


def slot_name(parameter: str) -> str:
    """A parameter's name as a slot: `Group 1` becomes `group_1`."""
    return re.sub(r"\W+", "_", parameter.strip()).lower()


def _template(template: SideEffectTemplate, demonstrated: str | None) -> dict[str, Any]:
    values = [{slot_name(k): v for k, v in i.mapping.items()} for i in template.instances]
    common = _Common(template.id, values)
    keys = [strict_expectation(instance).model_dump() for instance in template.instances]
    expect = common.of(keys)
    return {
        "id": template.id,
        "role": "student",
        "text": _SLOT.sub(lambda m: f"{{{slot_name(m[1])}}}", task_text(template.text)),
        "expect": expect,
        "instances": [
            _instance(instance, own, demonstrated)
            for instance, own in zip(template.instances, values, strict=True)
        ],
    }


def _instance(
    instance: CasconInstance, values: Mapping[str, str], demonstrated: str | None
) -> dict[str, Any]:
    use = "demonstrate" if instance.id == demonstrated else "execute"
    return {"id": instance.id, "use": use, "values": dict(values)}


class _Common:
    """Finds what nested values have in common; the rest goes into the instances' values."""

    def __init__(self, template_id: str, values: list[dict[str, str]]) -> None:
        self._template_id = template_id
        self._values = values
        self._names: dict[tuple[str, ...], str] = {}

    def of(self, found: Sequence[Any], name: str = "") -> Any:
        """The pattern that gives each of some values when an instance's values are filled in."""
        first = found[0]
        if all(value == first for value in found):
            return first
        if all(isinstance(value, dict) and len(value) == len(first) for value in found):
            columns = zip(*(value.items() for value in found), strict=True)
            return {
                self.of([k for k, _ in items]): self.of([v for _, v in items], items[0][0])
                for items in columns
            }
        if all(isinstance(v, (list, tuple)) and len(v) == len(first) for v in found):
            return [self.of(items) for items in zip(*found, strict=True)]
        if not all(isinstance(v, (str, int)) and not isinstance(v, bool) for v in found):
            raise TaskError(
                f"template {self._template_id}: its instances' answer keys differ in more than "
                "texts and numbers, so they have no common template."
            )
        if name == "path":
            return "/".join(self._steps(found))
        return self._text([str(value) for value in found])  # a text also stands for its number

    def _steps(self, paths: Sequence[str]) -> list[str]:
        rows = [path.split("/") for path in paths]
        if len({len(row) for row in rows}) > 1:
            raise TaskError(f"template {self._template_id}: its paths differ in length.")
        return [self._text(steps) for steps in zip(*rows, strict=True)]

    def _text(self, texts: Sequence[str]) -> str:
        if len(set(texts)) == 1:
            return texts[0]
        worded = {_blank(t, v) for t, v in zip(texts, self._values, strict=True)}
        if len(worded) == 1:
            return worded.pop()
        name = self._names.setdefault(tuple(texts), f"key_{len(self._names) + 1}")
        for values, text in zip(self._values, texts, strict=True):
            values[name] = text
        return f"{{{name}}}"


def _blank(text: str, values: Mapping[str, str]) -> str:
    """A text with the values it holds blanked, longest first."""
    for name, value in sorted(values.items(), key=lambda item: -len(item[1])):
        if value and not name.startswith("key_"):
            text = text.replace(value, f"{{{name}}}")
    return text
