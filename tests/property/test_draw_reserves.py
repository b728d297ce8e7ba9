"""Whatever the templates ask for, no entity that one instance changes is used by another."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from odokit.errors import TaskError
from odokit.tasks import TaskFile
from odokit.testbeds.draw import draw_instances
from odokit.testbeds.generate import DataSet, Entity, Seed, generate


def seed(n_sets: int, n_classes: int, n_lessons: int, start: int) -> Seed:
    title = {"unique": ["title"], "fields": {"title": "{word} {number}"}}
    return Seed.model_validate(
        {
            "sets": n_sets,
            "random_seed": start,
            "pools": {"word": ["a", "b", "c"], "number": {"start": 1, "stop": 900}},
            "kinds": {
                "class": {"count": n_classes, **title},
                "lesson": {"of": "class", "count": n_lessons, **title},
            },
        }
    )


def task_file(wanted: list[tuple[str, bool]]) -> TaskFile:
    templates: list[dict[str, Any]] = []
    for number, (kind, shared) in enumerate(wanted):
        draw = {
            "title": {"entity": kind, "field": "title", "shared": shared},
            "name": {"fresh": "{word} {number}"},
        }
        expect = {"writes": [{"method": "POST", "path": "/x/"}]}
        part = {"role": "admin", "text": "{title} {name}", "expect": expect, "draw": draw}
        templates.append({"id": f"t{number}", **part})
    return TaskFile.model_validate({"app": "school", "templates": templates})


def entity_of(data: DataSet, kind: str, title: str) -> Entity:
    (found,) = (e for e in data.of_kind(kind) if e.fields["title"] == title)
    return found


@settings(deadline=None, max_examples=60)
@given(
    wanted=st.lists(st.tuples(st.sampled_from(["class", "lesson"]), st.booleans()), min_size=1),
    n_sets=st.integers(1, 3),
    n_classes=st.integers(1, 6),
    n_lessons=st.integers(1, 4),
    start=st.integers(0, 5),
)
def test_what_is_changed_is_nobody_elses(
    wanted: list[tuple[str, bool]], n_sets: int, n_classes: int, n_lessons: int, start: int
) -> None:
    data = generate(seed(n_sets, n_classes, n_lessons, start))
    file = task_file(wanted)
    try:
        drawn = draw_instances(file, data)
    except TaskError as error:
        assert "is left" in str(error)  # too few entities, and it says so
        return
    assert drawn == draw_instances(file, data)
    used: list[tuple[Entity, bool]] = []
    fresh: list[str] = []
    for (kind, shared), template in zip(wanted, drawn.templates, strict=True):
        assert len(template.instances) == n_sets
        for block, instance in enumerate(template.instances):
            entity = entity_of(data, kind, instance.values["title"])
            assert entity.block == block
            used.append((entity, shared))
            fresh.append(instance.values["name"])
    assert len(set(fresh)) == len(fresh)
    assert not set(fresh) & data.values()
    for number, (entity, shared) in enumerate(used):
        if not shared:
            others = [pair for place, pair in enumerate(used) if place != number]
            assert not [o for o, _ in others if entity in o.line()]  # at it or below it
            assert not [o for o, is_read in others if o in entity.line() and not is_read]
