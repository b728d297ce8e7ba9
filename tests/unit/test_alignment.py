"""Values are read out of a task by laying it beside a demonstrated one."""

from __future__ import annotations

import pytest

from odokit.decide.alignment import find_values, make_template, match_by_cues

TASK = 'Create a lesson "Fractions" in the class Grade 5 for 20 learners.'
VALUES = {"title": "Fractions", "class": "Grade 5", "n": "20"}


@pytest.mark.parametrize(
    ("task", "values"),
    [
        (TASK, VALUES),
        (
            'create a lesson  "The Great, Great War" in the class Year 7 Science for 3 learners',
            {"title": "The Great, Great War", "class": "Year 7 Science", "n": "3"},
        ),
        (
            "Create a lesson “Öl” in the class 5 for 3 in for 20 learners!",
            {"title": "Öl", "class": "5", "n": "3 in for 20"},
        ),
        ('Delete the lesson "Fractions" in the class Grade 5 for 20 learners.', None),
        ('Create a lesson "Fractions" in the class Grade 5', None),
        ("", None),
    ],
)
def test_the_same_wording_gives_all_values(task: str, values: dict[str, str] | None) -> None:
    task = task.replace("“", '"').replace("”", '"')
    assert make_template(TASK, VALUES).align(task) == values


def test_a_value_ends_with_a_word() -> None:
    template = make_template("Travel to Rome in June", {"city": "Rome", "month": "June"})
    assert template.align("Travel to Turin in May") == {"city": "Turin", "month": "May"}
    assert template.align("Travel to Berlin in spring") == {"city": "Berlin", "month": "spring"}
    assert template.align("Travel tomorrow in June") is None


def test_a_parameter_said_twice_must_agree() -> None:
    template = make_template("Move Ada to B, then tell Ada", {"who": "Ada", "where": "B"})
    assert template.slots == ("who", "where", "who")
    assert template.align("Move Bo to C, then tell Bo") == {"who": "Bo", "where": "C"}
    assert template.align("Move Bo to C, then tell Cy") is None


def test_longer_values_are_blanked_first_and_absent_ones_are_no_slots() -> None:
    template = make_template(
        "Add Ada Byron to Ada", {"group": "Ada", "person": "Ada Byron", "note": "nowhere"}
    )
    assert template.slots == ("person", "group")
    assert template.wording == "Add to"
    assert make_template("Save it", {}).align("save it") == {}


def test_a_quoted_value_ends_at_its_mark() -> None:
    template = make_template('Rename "A" to "B"', {"old": "A", "new": "B"})
    assert template.align('Rename "X" to "Y" to "Z"') is None
    assert template.align('Rename "X y" to "Z"') == {"old": "X y", "new": "Z"}


@pytest.mark.parametrize(
    ("task", "n_wanted", "found"),
    [
        ('Put "Owls" and “Foxes” into 3 groups', 2, ["Owls", "Foxes"]),
        ("Put Ada Byron into group 12", 2, ["Ada Byron", "12"]),
        ("Say 'it's fine' to Bo", 1, ["it's fine"]),
        ("nothing to see", 1, []),
    ],
)
def test_what_looks_like_a_value(task: str, n_wanted: int, found: list[str]) -> None:
    values = find_values(task, n_wanted)
    assert [text for text, _ in values] == found
    assert all(task[start:].startswith(text) for text, start in values)


def test_cues_tell_which_value_is_which() -> None:
    demonstrated = 'Create a lesson titled "Fractions" in the class "Grade 5".'
    values = {"title": "Fractions", "class_name": "Grade 5"}
    task = 'In the class "Year 7", please make a lesson titled "Volcanoes".'
    matched, confidence = match_by_cues(demonstrated, values, task)
    assert matched == {"title": "Volcanoes", "class_name": "Year 7"}
    assert confidence >= 0.7


def test_another_number_of_values_is_no_match() -> None:
    assert match_by_cues('Open "A"', {"x": "A"}, 'Open "B" and "C"')[1] == 0
    assert match_by_cues("Save", {}, "Save it now") == ({}, 0.9)
