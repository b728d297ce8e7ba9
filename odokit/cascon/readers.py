"""Read the CASCON-2026 data set: templates, instances, answer keys, training set, agents' tasks.

The data are not part of odokit: whoever has them names the folder. Expected there are `tasks.json`,
and, where present, `training_instances.csv`, `odobot_tasks.json`, `webvoyager_tasks.jsonl` and
`agent_e_tasks.json`. Source: github.com/aianta/CASCON-2026-OdoBot-Dataset, commit 996b7c9.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from odokit.errors import TaskError

SIDE_EFFECT = "Side-effect"
QUESTION = "Information Seeking"
AGENT_FILES: Mapping[str, str] = {
    "odobot": "odobot_tasks.json",
    "webvoyager": "webvoyager_tasks.jsonl",
    "agent_e": "agent_e_tasks.json",
}

M = TypeVar("M", bound=BaseModel)


class _Entry(BaseModel):
    # An error must not show the input, which holds passwords.
    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)


class KeyEntry(_Entry):
    """One request of an answer key."""

    method: str
    """HTTP method as sent; a `_method` override is in `request_kv`."""
    path: str
    """Path, with query where it counts; `[[ANY]]` is a wild card."""
    request_kv: dict[str, Any]
    """What the body must hold; keys that begin with `_` describe the request."""
    answer_id: int | None = None
    """Alternative the entry belongs to."""

    @property
    def fields(self) -> dict[str, Any]:
        """The body's fields, without those that describe the request."""
        return {k: v for k, v in self.request_kv.items() if not k.startswith("_")}


class _Instance(_Entry):
    id: str
    """Unique in the data set."""
    text: str = Field(alias="instance_text")
    """The task in words."""
    username: str = Field(alias="instance_username")
    """Account that performs it."""
    password: SecretStr = Field(alias="instance_password")
    """That account's password."""
    mapping: dict[str, str]
    """Value of every parameter."""


class CasconInstance(_Instance):
    """A side-effect task with all parameters given."""

    answer_key: tuple[KeyEntry, ...] = Field(min_length=1)
    """The requests that must be seen."""

    @property
    def alternatives(self) -> list[tuple[KeyEntry, ...]]:
        """The answer key's alternatives; any of them that is complete will do."""
        ids = dict.fromkeys(e.answer_id for e in self.answer_key)
        return [tuple(e for e in self.answer_key if e.answer_id == i) for i in ids]

    @model_validator(mode="after")
    def _alternatives_are_whole(self) -> CasconInstance:
        if len({e.answer_id is None for e in self.answer_key}) > 1:
            raise ValueError("some entries of the answer key have an answer_id and some have none")
        return self


class QuestionInstance(_Instance):
    """An information-seeking task with all parameters given."""

    answer_key: dict[Literal["Numeric", "Number", "Text", "Date Time"], Any]
    """The answer by its type; times are UTC."""


class _Template(_Entry):
    text: str = Field(alias="parameterized_text")
    """Wording with `[[parameter]]` slots."""
    parameters: tuple[str, ...]
    """Parameter names."""


class SideEffectTemplate(_Template):
    """A kind of task that changes the application's data."""

    id: str
    """Unique in the data set."""
    instances: tuple[CasconInstance, ...] = Field(min_length=1)
    """Its instances."""


class QuestionTemplate(_Template):
    """A kind of task that asks for an answer."""

    id: str | None
    """Unique in the data set; one template has none."""
    instances: tuple[QuestionInstance, ...] = Field(min_length=1)
    """Its instances."""


@dataclass(frozen=True)
class AgentTask:
    """A task in the form one of the compared agents was given it.

    Attributes:
        agent: `odobot`, `webvoyager` or `agent_e`.
        instance_id: Task instance.
        start_url: Where the agent begins.
        prompt: What it is told; holds the account's password.
    """

    agent: str
    instance_id: str
    start_url: str
    prompt: str = field(repr=False)


@dataclass(frozen=True)
class CasconDataset:
    """Everything that was read.

    Attributes:
        templates: Side-effect templates with their instances.
        questions: Information-seeking templates with theirs.
        training: The demonstrated instance's id, by template id.
        agent_tasks: The evaluation instances as given to each agent.
    """

    templates: tuple[SideEffectTemplate, ...]
    questions: tuple[QuestionTemplate, ...]
    training: Mapping[str, str]
    agent_tasks: Mapping[str, tuple[AgentTask, ...]]

    def iter_instances(self) -> Iterator[tuple[SideEffectTemplate, CasconInstance]]:
        """Every side-effect instance with its template, in file order."""
        for template in self.templates:
            for instance in template.instances:
                yield template, instance

    def find(self, instance_id: str) -> tuple[SideEffectTemplate, CasconInstance]:
        """The side-effect template and instance of an instance id.

        Raises:
            TaskError: No side-effect instance has that id.
        """
        for template, instance in self.iter_instances():
            if instance.id == instance_id:
                return template, instance
        raise TaskError(f"the data set has no side-effect instance '{instance_id}'.")


def read_dataset(folder: Path) -> CasconDataset:
    """Read the data set.

    Args:
        folder: Where its files are; only `tasks.json` must be there.

    Raises:
        TaskError: A file is missing or malformed; the message names file, item and field.
    """
    path = folder / "tasks.json"
    templates: list[SideEffectTemplate] = []
    questions: list[QuestionTemplate] = []
    for where, item in _json_items(path):
        kind = item.get("type")
        if kind == SIDE_EFFECT:
            templates.append(_parsed(SideEffectTemplate, path, where, item))
        elif kind == QUESTION:
            questions.append(_parsed(QuestionTemplate, path, where, item))
        else:
            raise _fault(path, where, "type", f"{kind!r} is neither {SIDE_EFFECT} nor {QUESTION}")
    everything: list[SideEffectTemplate | QuestionTemplate] = [*templates, *questions]
    _check_instances(path, everything)
    found = {i.id: t.id for t in everything for i in t.instances}
    return CasconDataset(
        tuple(templates),
        tuple(questions),
        _training(folder / "training_instances.csv", found),
        {agent: _agent_tasks(folder, agent, found) for agent in AGENT_FILES},
    )


def _check_instances(
    path: Path, templates: Iterable[SideEffectTemplate | QuestionTemplate]
) -> None:
    seen: set[str] = set()
    for template in templates:
        for n, instance in enumerate(template.instances):
            where = f"template {template.id}"
            if instance.id in seen:
                raise _fault(path, where, f"instances[{n}].id", f"{instance.id} is used twice")
            seen.add(instance.id)
            missing = sorted(set(template.parameters) - set(instance.mapping))
            if missing:
                lacks = f"gives no value for {', '.join(missing)}"
                raise _fault(path, where, f"instances[{n}].mapping", lacks)


def _training(path: Path, found: Mapping[str, str | None]) -> dict[str, str]:
    if not path.exists():
        return {}
    training: dict[str, str] = {}
    rows = csv.DictReader(_text(path).splitlines(), delimiter="|")
    for row in rows:
        where = f"line {rows.line_num}"
        template, instance = row.get("task_id") or "", row.get("instance_id") or ""
        if found.get(instance) != template:
            known = "no instance of that task" if instance in found else "no known instance"
            raise _fault(path, where, "instance_id", f"{instance!r} is {known}")
        training[template] = instance
    return training


class _OdobotInner(_Entry):
    id: str
    userLocation: str
    task: str


class _OdobotTask(_Entry):
    odoBotNL: _OdobotInner

    def task(self) -> AgentTask:
        inner = self.odoBotNL
        return AgentTask("odobot", inner.id, inner.userLocation, inner.task)


class _WebVoyagerTask(_Entry):
    id: str
    web: str
    ques: str

    def task(self) -> AgentTask:
        return AgentTask("webvoyager", self.id, self.web, self.ques)


class _AgentETask(_Entry):
    task_id: str
    start_url: str
    intent: str

    def task(self) -> AgentTask:
        return AgentTask("agent_e", self.task_id, self.start_url, self.intent)


_AGENT_MODELS: Mapping[str, type[_OdobotTask | _WebVoyagerTask | _AgentETask]] = {
    "odobot": _OdobotTask,
    "webvoyager": _WebVoyagerTask,
    "agent_e": _AgentETask,
}


def _agent_tasks(
    folder: Path, agent: str, found: Mapping[str, str | None]
) -> tuple[AgentTask, ...]:
    path = folder / AGENT_FILES[agent]
    if not path.exists():
        return ()
    tasks = []
    for where, item in _json_lines(path) if path.suffix == ".jsonl" else _json_items(path):
        task = _parsed(_AGENT_MODELS[agent], path, where, item).task()
        if task.instance_id not in found:
            raise _fault(path, where, "id", f"{task.instance_id!r} is no known instance")
        tasks.append(task)
    return tuple(tasks)


def _json_items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a JSON array with what to call each in a message."""
    items = _parsed_json(path, "", _text(path))
    if not isinstance(items, list):
        raise TaskError(f"{path}: holds no list. Restore the file.")
    for n, item in enumerate(items):
        if not isinstance(item, dict):
            raise _fault(path, f"item {n}", "(whole item)", "is no object")
        yield f"item {n} ({item['id']})" if isinstance(item.get("id"), str) else f"item {n}", item


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for n, line in enumerate(_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        item = _parsed_json(path, f", line {n}", line)
        if not isinstance(item, dict):
            raise _fault(path, f"line {n}", "(whole line)", "is no object")
        yield f"line {n}", item


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise TaskError(
            f"{path} cannot be read: {error.strerror}. Name the folder that holds the data set."
        ) from error
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 text ({error.reason}). Restore the file.") from error


def _parsed_json(path: Path, where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise TaskError(f"{path}{where}: not JSON ({error}). Restore the file.") from error


def _parsed(model: type[M], path: Path, where: str, item: Any) -> M:
    try:
        return model.model_validate(item)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        steps = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in first["loc"])
        raise _fault(path, where, steps.lstrip(".") or "(whole item)", first["msg"]) from error


def _fault(path: Path, where: str, name: str, problem: str) -> TaskError:
    return TaskError(
        f"{path}, {where}, field {name}: {problem}. Mend the item or restore the file."
    )
