"""Data sets are generated the same each time, and drawn instances never share what they change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from odokit.errors import TaskError, TestBedError
from odokit.tasks import TaskFile, draw_lines, read_tasks
from odokit.testbeds.draw import draw_instances
from odokit.testbeds.generate import Seed, generate, read_seed

SEED: dict[str, Any] = {
    "sets": 3,
    "random_seed": 7,
    "pools": {
        "first": ["Ada", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gina", "Hugo", "Ida", "Jan"],
        "last": ["Ames", "Boyd", "Cole", "Dunn", "East", "Frey", "Gale", "Holt", "Ives", "Judd"],
        "subject": ["Latin", "Botany", "Chess", "Dance", "Greek", "Music", "Pottery", "Physics"],
        "year": {"start": 5, "stop": 9},
        "price": {"start": 0.5, "stop": 9.5, "step": 0.5},
    },
    "kinds": {
        "class": {
            "count": 3,
            "fields": {"name": "{subject} {year}", "fee": "{price:.2f}"},
            "unique": ["name"],
        },
        "learner": {
            "of": "class",
            "count": 4,
            "fields": {"full_name": "{first} {last}", "login": "{full_name|username}{year}"},
            "unique": ["full_name", "login"],
        },
        "group": {
            "of": "class",
            "count": 2,
            "fields": {"name": ["Red of {class.name|lower}", "Blue"], "open": [True, False]},
            "picks": {"members": {"kind": "learner", "count": 2, "near": "class"}},
        },
    },
}


def template(name: str, draw: dict[str, Any]) -> dict[str, Any]:
    text = " ".join(f"{{{parameter}}}" for parameter in draw)
    write = {"method": "POST", "path": "/x/"}
    return {"id": name, "role": "admin", "text": text, "expect": {"writes": [write]}, "draw": draw}


def tasks(*templates: dict[str, Any]) -> TaskFile:
    return TaskFile.model_validate({"app": "school", "templates": list(templates)})


DATA = generate(Seed.model_validate(SEED))
LEARNER = {"entity": "learner", "field": "full_name"}
CLASS = {"entity": "class", "field": "name"}


def test_blocks_are_whole_different_and_the_same_on_every_run() -> None:
    again = generate(Seed.model_validate(SEED))
    assert [dict(e.fields) for e in DATA.entities] == [dict(e.fields) for e in again.entities]
    assert [len(DATA.of_kind(k, 1)) for k in ("class", "learner", "group")] == [3, 12, 6]
    names = [e.fields["name"] for e in DATA.of_kind("class")]
    assert len(set(names)) == 9
    other = generate(Seed.model_validate({**SEED, "random_seed": 8}))
    assert [e.fields["name"] for e in other.of_kind("class")] != names


def test_a_family_of_kinds_shares_unique_values() -> None:
    people = {"first": ["Ada", "Ben"], "last": ["Ames", "Boyd", "Cole"]}
    kind = {
        "count": 3,
        "fields": {"name": "{first} {last}"},
        "unique": ["name"],
        "family": "person",
    }
    file = {
        "sets": 1,
        "random_seed": 1,
        "pools": people,
        "kinds": {"teacher": kind, "learner": kind},
    }
    made = generate(Seed.model_validate(file))
    assert len({e.fields["name"] for e in made.entities}) == 6
    with pytest.raises(TestBedError, match="no learner whose name is new"):
        generate(
            Seed.model_validate({**file, "sets": 2, "kinds": {"learner": {**kind, "count": 4}}})
        )


def test_fields_come_from_pools_filters_and_the_entity_above() -> None:
    group = DATA.of_kind("group", 2)[0]
    above = group.link("class")
    assert above is not None
    assert group.fields["name"] == f"Red of {str(above.fields['name']).lower()}"
    assert group.fields["open"] is True
    assert group.value("class.name") == above.fields["name"]
    assert all(m.link("class") is above for m in group.picks["members"])
    assert group.value("members.1.full_name") == group.picks["members"][1].fields["full_name"]
    assert DATA.below(above, "learner")[0].above is above
    first, last = str(DATA.of_kind("learner")[0].fields["full_name"]).split()
    assert str(DATA.of_kind("learner")[0].fields["login"])[:-1] == (first[0] + last).lower()
    assert len(str(above.fields["fee"]).partition(".")[2]) == 2
    for path in ("title", "shop.name", "members.7.full_name"):
        with pytest.raises(TestBedError, match=f"a group has no '{path}'"):
            group.value(path)


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("class", {"fields": {"name": "{planet}"}}, "'planet', which is no pool or field"),
        ("class", {"fields": {"name": "{subject|shout}"}}, "'|shout'; filters are"),
        ("class", {"count": 50}, "no class whose name is new; add words"),
        ("learner", {"of": "planet"}, "kind 'learner' refers to .*planet"),
        ("learner", {"unique": ["age"]}, "no field .*age.* to keep unique"),
        (
            "group",
            {"picks": {"m": {"kind": "learner", "count": 5, "near": "class"}}},
            "there are 4",
        ),
    ],
)
def test_a_bad_seed_is_refused(
    tmp_path: Path, kind: str, change: dict[str, Any], complaint: str
) -> None:
    kinds = {**SEED["kinds"], kind: {**SEED["kinds"][kind], **change}}
    path = tmp_path / "seed.yaml"
    path.write_text(yaml.safe_dump({**SEED, "kinds": kinds}, sort_keys=False))
    with pytest.raises(TestBedError, match=complaint):
        generate(read_seed(path))


def test_a_seed_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "seed.yaml"
    with pytest.raises(TestBedError, match="cannot be read"):
        read_seed(path)
    path.write_text("sets: 3")
    with pytest.raises(TestBedError, match="field random_seed: Field required"):
        read_seed(path)


def test_every_template_gets_an_instance_a_block() -> None:
    file = tasks(
        template("greet", {"who": LEARNER, "where": {"of": "who", "field": "class.name"}}),
        template("choose", {"mode": {"choice": ["on", "off"]}}),
        template("found", {"name": {"fresh": "{subject} {year}"}, "note": {"fresh": "On {name}"}}),
    )
    drawn = draw_instances(file, DATA)
    greet, choose, found = drawn.templates
    assert [i.id for i in greet.instances] == ["greet_0", "greet_1", "greet_2"]
    assert [i.use for i in greet.instances] == ["demonstrate", "execute", "execute"]
    for block, instance in enumerate(greet.instances):
        (learner,) = (
            e for e in DATA.of_kind("learner") if e.fields["full_name"] == instance.values["who"]
        )
        assert learner.block == block
        assert instance.values["where"] == learner.value("class.name")
    assert [i.values["mode"] for i in choose.instances] == ["on", "off", "on"]
    names = {i.values["name"] for i in found.instances}
    assert len(names) == 3
    assert not names & DATA.values()
    assert all(i.values["note"] == f"On {i.values['name']}" for i in found.instances)
    assert drawn == draw_instances(file, DATA)


def test_who_takes_a_class_shares_it_with_nobody() -> None:
    file = tasks(
        template("greet", {"who": LEARNER}),
        template("read", {"what": {**CLASS, "shared": True}}),
        template("close", {"what": CLASS}),
    )
    drawn = draw_instances(file, DATA)
    for block in range(3):
        close = drawn.find(f"close_{block}")[1].values["what"]
        assert drawn.find(f"read_{block}")[1].values["what"] != close
        who = drawn.find(f"greet_{block}")[1].values["who"]
        (learner,) = (e for e in DATA.of_kind("learner") if e.fields["full_name"] == who)
        assert learner.value("class.name") != close


def test_relations_between_drawn_entities_hold() -> None:
    group = {"entity": "group", "field": "name", "where": {"open": False}}
    join = {
        "group": group,
        "who": {**LEARNER, "same": {"class": "group"}, "not_among": "group.members"},
        "to": {**CLASS, "shared": True, "differs": {"class": "who"}},
    }
    leave = {"group": {**group, "shared": True}, "who": {**LEARNER, "among": "group.members"}}
    drawn = draw_instances(tasks(template("join", join), template("leave", leave)), DATA)
    for name, is_member in (("join", False), ("leave", True)):
        for block in range(3):
            values = drawn.find(f"{name}_{block}")[1].values
            (who,) = (e for e in DATA.of_kind("learner") if e.fields["full_name"] == values["who"])
            groups = [g for g in DATA.of_kind("group") if g.above is who.above and g.number % 2]
            assert (who in groups[0].picks["members"]) is is_member
            if "to" in values:
                assert values["to"] != who.value("class.name")


@pytest.mark.parametrize(
    ("draw", "complaint"),
    [
        (
            {"a": {**CLASS, "where": {"name": "Nowhere 1"}}},
            "'a', block 0: no class is left .*Raise",
        ),
        ({"a": CLASS, "b": CLASS, "c": CLASS, "d": CLASS}, "parameter 'd', block 0: no class is"),
        ({"a": {"entity": "planet", "field": "name"}}, "no kind 'planet'; kinds are class"),
        ({"a": {"of": "b", "field": "name"}}, "'b' is no entity drawn before it"),
        ({"a": CLASS, "b": {**LEARNER, "among": "a.pets"}}, "has no relation 'pets'"),
        ({"a": {"fresh": "{year}"}, "b": {"fresh": "{a}"}}, "'{a}' gives no new value"),
        ({"a": {"fresh": "{planet}"}}, "asks for 'planet'"),
        ({"a": {"entity": "class", "field": "nmae"}}, "a class has no 'nmae'"),
        ({"a": {**CLASS, "where": {"nmae": "Latin"}}}, "a class has no 'nmae'"),
    ],
)
def test_a_draw_that_cannot_be_met_names_template_and_parameter(
    draw: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(TaskError, match=complaint) as caught:
        draw_instances(tasks(template("t", draw)), DATA)
    assert "template 't'" in str(caught.value)


def test_a_draw_that_cannot_be_met_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "tasks.yaml"
    file = {
        "app": "school",
        "templates": [template("t", {"a": CLASS, "b": {**CLASS, "shared": True}})],
    }
    file["templates"][0]["draw"]["b"]["where"] = {"name": "Nowhere 1"}
    path.write_text(yaml.safe_dump(file, sort_keys=False))
    lines = path.read_text().splitlines()
    assert lines[draw_lines(path)["t", "b"] - 2].strip() == "b:"
    with pytest.raises(
        TaskError, match=r"^here, template 't', parameter 'b', block 0: no class is"
    ):
        draw_instances(read_tasks(path), DATA, places={("t", "b"): "here"})


@pytest.mark.parametrize(
    ("draw", "complaint"),
    [
        ({"a": {"field": "name"}}, "give one of entity, of, fresh, choice"),
        ({"a": {**CLASS, "fresh": "x"}}, "give one of"),
        ({"a": {"entity": "class"}}, "'field' goes with"),
        ({"a": {"fresh": "x", "field": "name"}}, "'field' goes with"),
    ],
)
def test_a_malformed_draw_is_refused_when_read(draw: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        tasks(template("t", draw))


def test_a_template_needs_instances_or_a_whole_draw() -> None:
    empty = {**template("t", {}), "text": "Do {a}"}
    with pytest.raises(ValueError, match="neither instances nor a draw"):
        tasks(empty)
    with pytest.raises(ValueError, match="the draw section gives no value for a"):
        tasks({**empty, "draw": {"b": CLASS}})
