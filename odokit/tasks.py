"""Task templates, task instances and answer keys, read from YAML with errors that name the line.

A task file holds one application's templates. A template's `text` has `{parameter}` slots; an
instance gives their values; where `draw` says so, they are drawn from the application's generated
data (`testbeds.draw`). `expect` is the answer key: the writes that must be seen and the
database rows that must be there. `{parameter}` and `{id}` in it are filled from the instance, where
an id is looked up in the provisioned application by a query, never written down.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from odokit.errors import TaskError

SLOT = re.compile(r"\{(\w+)\}")
# The C parser where PyYAML was built with it: long task files are read ten times as fast.
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
Place = tuple[int | str, ...]
"""Keys and positions that lead to an entry of a file."""
Query = Callable[[str, Mapping[str, Any]], list[tuple[Any, ...]]]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ExpectedWrite(_Entry):
    """One request that must be observed."""

    method: str
    """HTTP method after `_method` override."""
    path: str
    """Path; `*` stands for one segment or part of one, `{id}` for a bound id. After a `?`, query
    parameters that must be there with these values; others may be there too."""
    body: Any = None
    """Subset the body must hold; `$`-matchers as in `evaluate`."""
    operation: str = ""
    """GraphQL operation name, when the write is a mutation."""
    status: int | Literal["2xx", "3xx", "ok", "not_refused"] = "2xx"
    """Response status or class that counts as accepted; `ok` is 2xx or 3xx, `not_refused` the same
    for logs that may hold no responses."""
    redirect: str = ""
    """Path the response must send the browser to, written like `path`."""
    answer: Any = None
    """Subset the response body must hold, written like `body`."""
    alternative: str = ""
    """Writes that share a label form a group; any complete group will do."""


class DatabaseCheck(_Entry):
    """One fact the application's database must hold afterwards."""

    query: str
    """SQL with `:name` parameters from values and ids; the first column of the first row counts."""
    equals: Any
    """What that cell must be; `{name}` slots are filled."""


class Expectation(_Entry):
    """The answer key of a template."""

    writes: tuple[ExpectedWrite, ...] = Field(min_length=1)
    """Writes that must be seen."""
    ordered: bool = False
    """Whether they must come in the order given."""
    also_allowed: tuple[ExpectedWrite, ...] = ()
    """Writes that may be seen besides; everything else unexpected is a failure."""
    database: tuple[DatabaseCheck, ...] = ()
    """Facts to cross-check."""


class TaskInstance(_Entry):
    """A task with all its parameters given."""

    id: str
    """Unique in the file."""
    use: Literal["demonstrate", "execute"]
    """Whether it is recorded for the model or kept for evaluation."""
    values: dict[str, str]
    """Value of every parameter of the template."""


class Draw(_Entry):
    """Where the value of a parameter comes from: `entity`, `of`, `fresh` or `choice`."""

    entity: str = ""
    """Kind of a generated entity that no other instance touches."""
    field: str = ""
    """Which of its fields, or of what it is related to (`class.name`), is the value."""
    where: dict[str, str | int | float | bool] = {}
    """Values its fields must have."""
    same: dict[str, str] = {}
    """Kind to parameter drawn before: both must belong to the same entity of that kind."""
    differs: dict[str, str] = {}
    """Kind to parameter drawn before: they must not belong to the same entity of that kind."""
    among: str = ""
    """`parameter.relation`: it must be one of those related to an entity drawn before."""
    not_among: str = ""
    """`parameter.relation`: it must be none of them."""
    shared: bool = False
    """Whether the task only reads it, so that other instances may read it too."""
    of: str = ""
    """Parameter drawn before, whose entity has the field."""
    fresh: str = ""
    """Pattern of pools and parameters for a value that exists nowhere yet."""
    choice: tuple[str, ...] = ()
    """Values taken in turn, one a block."""

    @model_validator(mode="after")
    def _has_one_source(self) -> Draw:
        sources = ("entity", "of", "fresh", "choice")
        if sum(bool(getattr(self, name)) for name in sources) != 1:
            raise ValueError(f"give one of {', '.join(sources)}")
        if bool(self.field) != bool(self.entity or self.of):
            raise ValueError("'field' goes with 'entity' or 'of', and they need it")
        return self


class TaskTemplate(_Entry):
    """A kind of task, with its answer key and instances."""

    id: str
    """Unique in the file."""
    role: str
    """Which of the application's accounts performs it."""
    text: str
    """Task wording with `{parameter}` slots."""
    ids: dict[str, str] = Field(default_factory=dict)
    """Ids the answer key needs: name to SQL, run after provisioning."""
    expect: Expectation
    """Answer key."""
    draw: dict[str, Draw] = {}
    """Where the parameters of drawn instances come from, in the order of drawing."""
    source: str = ""
    """File and line it was read from; set by `read_tasks`."""
    instances: tuple[TaskInstance, ...] = ()
    """Instances written down, each with its own entities; drawn ones are added later."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameter names in the order of the text."""
        return tuple(dict.fromkeys(SLOT.findall(self.text)))

    def instance_text(self, instance: TaskInstance, *, wording: str = "") -> str:
        """The instance's task in words: the template's own, or another wording's slots filled."""
        return str(fill(wording or self.text, instance.values))

    @model_validator(mode="after")
    def _instances_give_every_parameter(self) -> TaskTemplate:
        if not self.instances and not self.draw:
            raise ValueError("there are neither instances nor a draw section")
        undrawn = set(self.parameters) - set(self.draw)
        if self.draw and undrawn:
            raise ValueError(f"the draw section gives no value for {', '.join(sorted(undrawn))}")
        for n, instance in enumerate(self.instances):
            missing = set(self.parameters) - set(instance.values)
            if missing:
                raise _at(
                    ("instances", n, "values"),
                    f"instance '{instance.id}' gives no value for {', '.join(sorted(missing))}",
                )
        self._answer_key_uses_known_names()
        return self

    def _answer_key_uses_known_names(self) -> None:
        given = self.instances[0].values if self.instances else self.draw
        known = set(given) | set(self.ids)
        for place, name in _slots(self.expect.model_dump(), ("expect",)):
            if name not in known:
                raise _at(place, f"the answer key uses '{{{name}}}', which is no parameter or id")
        checks = {("ids", name): sql for name, sql in self.ids.items()} | {
            ("expect", "database", n, "query"): check.query
            for n, check in enumerate(self.expect.database)
        }
        for place, query in checks.items():
            for name in re.findall(r"(?<!:):(\w+)", query):
                if name not in known:
                    raise _at(place, f"a query uses ':{name}', which is no parameter or id")


class TaskFile(_Entry):
    """All templates of one application."""

    app: str
    """Application name."""
    noise: tuple[ExpectedWrite, ...] = ()
    """Writes the application sends by itself; the evaluator ignores them."""
    templates: tuple[TaskTemplate, ...] = Field(min_length=1)
    """The templates."""

    @model_validator(mode="after")
    def _ids_are_unique(self) -> TaskFile:
        seen: set[str] = set()
        for n, template in enumerate(self.templates):
            ids: dict[Place, str] = {("templates", n, "id"): template.id}
            for k, instance in enumerate(template.instances):
                ids["templates", n, "instances", k, "id"] = instance.id
            for place, name in ids.items():
                if name in seen:
                    raise _at(place, f"the id '{name}' is used twice")
                seen.add(name)
        return self

    def find(self, instance_id: str) -> tuple[TaskTemplate, TaskInstance]:
        """The template and instance of an instance id.

        Raises:
            TaskError: No instance has that id.
        """
        for template, instance in self.iter_instances():
            if instance.id == instance_id:
                return template, instance
        raise TaskError(f"{self.app} has no task instance '{instance_id}'.")

    def iter_instances(self, use: str | None = None) -> Iterator[tuple[TaskTemplate, TaskInstance]]:
        """Every instance with its template, in file order, of one use or of both."""
        for template in self.templates:
            for instance in template.instances:
                if use is None or instance.use == use:
                    yield template, instance


def fill(pattern: Any, values: Mapping[str, Any]) -> Any:
    """Replace `{name}` in every string of a nested value; a lone `{name}` keeps its type.

    Keys are filled too, as applications name fields after ids.
    """
    if isinstance(pattern, str):
        whole = SLOT.fullmatch(pattern)
        if whole and whole[1] in values:
            return values[whole[1]]
        return SLOT.sub(lambda m: str(values.get(m[1], m[0])), pattern)
    if isinstance(pattern, dict):
        return {str(fill(key, values)): fill(value, values) for key, value in pattern.items()}
    if isinstance(pattern, (list, tuple)):
        return [fill(value, values) for value in pattern]
    return pattern


def bind(template: TaskTemplate, instance: TaskInstance, query: Query) -> Expectation:
    """Fill an answer key for one instance, looking ids up in the provisioned application.

    Raises:
        TaskError: An id query finds no row, so the template's entity does not exist.
    """
    names = query_parameters(template, instance, query)
    return Expectation.model_validate(
        {
            "writes": [_filled(w, names) for w in template.expect.writes],
            "also_allowed": [_filled(w, names) for w in template.expect.also_allowed],
            "ordered": template.expect.ordered,
            "database": [
                {"query": c.query, "equals": fill(c.equals, names)}
                for c in template.expect.database
            ],
        }
    )


def query_parameters(
    template: TaskTemplate, instance: TaskInstance, query: Query
) -> dict[str, Any]:
    """Values and ids by name, for running the database checks.

    Raises:
        TaskError: An id query finds no row, so the template's entity does not exist.
    """
    names: dict[str, Any] = dict(instance.values)
    for name, sql in template.ids.items():
        rows = query(sql, names)
        if not rows:
            raise TaskError(
                f"{template.source}, field ids.{name}: for task '{instance.id}' its query finds "
                f"nothing ({sql}). The entity it names does not exist; reset the test bed or mend "
                "the task file."
            )
        names[name] = rows[0][0]
    return names


def read_tasks(path: Path) -> TaskFile:
    """Read and check a task file.

    Raises:
        TaskError: The file is missing or malformed; the message names file, line and field.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise TaskError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    try:
        node = yaml.compose(text, Loader=LOADER)
        data = yaml.load(text, Loader=LOADER)  # safe: see LOADER
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise TaskError(f"{path}{line}: not valid YAML: {problem}. Mend that line.") from error
    try:
        file = TaskFile.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = (*first["loc"], *first.get("ctx", {}).get("place", ()))
        field = ".".join(map(str, place)) or "(file)"
        raise TaskError(
            f"{path}, line {_line_of(node, place)}, field {field}: {first['msg']}. "
            "See CONTRIBUTING.md, 'Task files'."
        ) from error
    templates = tuple(
        template.model_copy(update={"source": f"{path}, line {_line_of(node, ('templates', n))}"})
        for n, template in enumerate(file.templates)
    )
    return file.model_copy(update={"templates": templates})


def draw_lines(path: Path) -> dict[tuple[str, str], int]:
    """Line of each entry of a draw section, by template id and parameter, in a file read before."""
    node = yaml.compose(path.read_text(encoding="utf-8"), Loader=LOADER)
    return {
        (template.id, parameter): _line_of(node, ("templates", n, "draw", parameter))
        for n, template in enumerate(read_tasks(path).templates)
        for parameter in template.draw
    }


def _filled(write: ExpectedWrite, names: Mapping[str, Any]) -> dict[str, Any]:
    filled: dict[str, Any] = fill(write.model_dump(), names)
    # A title in a path must neither split it nor act as a pattern.
    in_url = {name: quote(str(value), safe="") for name, value in names.items()}
    return filled | {"path": fill(write.path, in_url), "redirect": fill(write.redirect, in_url)}


def _at(place: Place, message: str) -> PydanticCustomError:
    """A fault that lies deeper than the entry whose check found it."""
    return PydanticCustomError("task_file", "{message}", {"message": message, "place": place})


def _slots(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    if isinstance(value, str):
        yield from ((place, name) for name in SLOT.findall(value))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key != "query":
                yield from _slots(key, (*place, key))
                yield from _slots(inner, (*place, key))
    elif isinstance(value, (list, tuple)):
        for n, inner in enumerate(value):
            yield from _slots(inner, (*place, n))


def _line_of(node: yaml.Node | None, loc: Place) -> int:
    """Line of the deepest YAML node on the way to a field."""
    line = 1
    for step in loc:
        found: yaml.Node | None = None
        if isinstance(node, yaml.MappingNode):
            found = next((v for k, v in node.value if k.value == step), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            found = node.value[step] if step < len(node.value) else None
        if found is None:
            break
        node, line = found, found.start_mark.line + 1
    return line
