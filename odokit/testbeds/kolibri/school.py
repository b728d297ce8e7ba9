"""Turn the generated data set into the school that Kolibri is provisioned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from odokit.errors import TestBedError
from odokit.testbeds.generate import DataSet, Entity, generate, read_seed

FIXED = ("facility", "accounts", "channel")
"""Sections of the seed file that are taken as they are."""


def read_school(path: Path) -> dict[str, Any]:
    """Read a seed file and expand it into the whole school.

    Raises:
        TestBedError: The file is malformed; the message names what is wrong.
    """
    seed = read_seed(path)
    extra = seed.model_extra or {}
    missing = [name for name in FIXED if name not in extra]
    if missing:
        raise TestBedError(f"{path} lacks {', '.join(missing)}; add the section.")
    data = generate(seed)
    classes = [_class(data, entity, extra) for entity in data.of_kind("class")]
    return {
        **{name: extra[name] for name in FIXED},
        "coaches": [_person(e) for e in data.of_kind("teacher")],
        "learners": [_person(e) for e in data.of_kind("learner")],
        "leavers": [_person(e) for e in data.of_kind("leaver")],
        "channel": {
            **extra["channel"],
            "topics": [_topic(data, folder) for folder in data.of_kind("folder")],
        },
        "classes": classes + [_club(entity) for entity in data.of_kind("club")],
    }


def _person(entity: Entity) -> dict[str, Any]:
    return {name: entity.fields[name] for name in ("username", "full_name")}


def _topic(data: DataSet, folder: Entity) -> dict[str, Any]:
    exercises = [
        {
            "title": exercise.fields["title"],
            "questions": [_question(q) for q in data.below(exercise, "question")],
        }
        for exercise in data.below(folder, "exercise")
    ]
    readings = [dict(reading.fields) for reading in data.below(folder, "reading")]
    return {"title": folder.fields["title"], "exercises": exercises, "readings": readings}


def _question(question: Entity) -> dict[str, Any]:
    wrong = [question.fields[f"wrong_{n}"] for n in (1, 2, 3)]
    place = int(str(question.fields["place"]))
    choices = [*wrong[:place], question.fields["right"], *wrong[place:]]
    return {"text": question.fields["text"], "choices": choices, "right": place}


def _class(data: DataSet, entity: Entity, extra: dict[str, Any]) -> dict[str, Any]:
    accounts = [extra["accounts"]["learner"]["username"]] if entity.fields["is_home"] else []
    return {
        "name": entity.fields["name"],
        "coaches": [e.fields["username"] for e in data.below(entity, "teacher")],
        "learners": accounts + [e.fields["username"] for e in data.below(entity, "learner")],
        "groups": {
            group.fields["name"]: [member.fields["username"] for member in group.picks["members"]]
            for group in data.below(entity, "group")
        },
        "lessons": [_lesson(lesson) for lesson in data.below(entity, "lesson")],
        "quizzes": [_quiz(data, quiz) for quiz in data.below(entity, "quiz")],
        "tests": [_test(data, test) for test in data.below(entity, "test")],
    }


def _club(entity: Entity) -> dict[str, Any]:
    empty: dict[str, Any] = {name: [] for name in ("coaches", "learners", "lessons")}
    return {"name": entity.fields["name"], **empty, "groups": {}, "quizzes": [], "tests": []}


def _lesson(lesson: Entity) -> dict[str, Any]:
    resources = [*lesson.picks["exercises"], *lesson.picks["readings"]]
    return {**lesson.fields, "resources": [resource.fields["title"] for resource in resources]}


def _quiz(data: DataSet, quiz: Entity) -> dict[str, Any]:
    exercise = quiz.picks["exercises"][0]
    n_questions = len(data.below(exercise, "question"))
    questions = [[exercise.fields["title"], number] for number in range(n_questions)]
    return {"title": quiz.fields["title"], "questions": questions}


def _test(data: DataSet, test: Entity) -> dict[str, Any]:
    questions = []
    for question in test.picks["questions"]:
        exercise = question.link("exercise")
        assert exercise is not None
        place = data.below(exercise, "question").index(question)
        questions.append([exercise.fields["title"], place])
    return {"title": test.fields["title"], "questions": questions}
