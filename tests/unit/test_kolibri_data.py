"""What Kolibri is provisioned with and what its tasks ask for, looked at without Kolibri."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from odokit.config import Settings
from odokit.errors import TaskError, TestBedError
from odokit.testbeds import get_testbed
from odokit.testbeds.kolibri.school import read_school

FOLDER = Path(__file__).parents[2] / "data" / "testbeds" / "kolibri"
SCHOOL = read_school(FOLDER / "seed.yaml")


def test_the_school_is_the_same_every_time() -> None:
    assert read_school(FOLDER / "seed.yaml") == SCHOOL


def test_what_classes_refer_to_exists() -> None:
    learners = {p["username"] for p in [*SCHOOL["learners"], SCHOOL["accounts"]["learner"]]}
    coaches = {p["username"] for p in SCHOOL["coaches"]}
    exercises = {e["title"]: e for t in SCHOOL["channel"]["topics"] for e in t["exercises"]}
    readings = {r["title"] for t in SCHOOL["channel"]["topics"] for r in t["readings"]}
    for entry in SCHOOL["classes"]:
        assert set(entry["coaches"]) <= coaches
        assert set(entry["learners"]) <= learners
        for members in entry["groups"].values():
            assert set(members) <= set(entry["learners"])
        for lesson in entry["lessons"]:
            assert set(lesson["resources"]) <= set(exercises) | readings
            assert len(set(lesson["resources"])) == 3
        for quiz in [*entry["quizzes"], *entry["tests"]]:
            for title, number in quiz["questions"]:
                assert number < len(exercises[title]["questions"])


def test_names_by_which_tasks_find_things_are_unique() -> None:
    people = [*SCHOOL["learners"], *SCHOOL["coaches"], *SCHOOL["leavers"]]
    people += SCHOOL["accounts"].values()
    for key in ("username", "full_name"):
        assert len({p[key] for p in people}) == len(people)
    for names in (
        [c["name"] for c in SCHOOL["classes"]],
        [name for c in SCHOOL["classes"] for name in c["groups"]],
        [lesson["title"] for c in SCHOOL["classes"] for lesson in c["lessons"]],
        [quiz["title"] for c in SCHOOL["classes"] for quiz in c["quizzes"]],
    ):
        assert len(set(names)) == len(names)


def test_the_right_answer_of_a_question_is_the_largest() -> None:
    exercises = [e for t in SCHOOL["channel"]["topics"] for e in t["exercises"]]
    questions = [q for exercise in exercises for q in exercise["questions"]]
    assert len(questions) == 150
    for question in questions:
        numbers = [int(choice.split()[0]) for choice in question["choices"]]
        assert len(numbers) == 4
        assert numbers[question["right"]] == max(numbers)


def test_a_seed_without_the_fixed_sections_is_refused(tmp_path: Path) -> None:
    seed = yaml.safe_load((FOLDER / "seed.yaml").read_text(encoding="utf-8"))
    del seed["accounts"]
    path = tmp_path / "seed.yaml"
    path.write_text(yaml.safe_dump(seed, sort_keys=False))
    with pytest.raises(TestBedError, match=r"seed\.yaml lacks accounts"):
        read_school(path)


def test_a_template_whose_entity_does_not_exist_is_refused(settings: Settings) -> None:
    folder = settings.data / "testbeds" / "kolibri"
    folder.mkdir(parents=True)
    text = (FOLDER / "tasks.yaml").read_text(encoding="utf-8")
    wrong = text.replace("class_name: {entity: club, ", "class_name: {entity: clab, ", 1)
    assert wrong != text
    line = next(n for n, part in enumerate(wrong.splitlines(), start=1) if "clab" in part)
    (folder / "tasks.yaml").write_text(wrong, encoding="utf-8")
    (folder / "seed.yaml").symlink_to(FOLDER / "seed.yaml")
    with pytest.raises(TaskError, match=rf"tasks\.yaml, line {line}, .*'class_name'.*kind 'clab'"):
        get_testbed("kolibri", settings).tasks()
