"""Fill an empty Kolibri from a seed; run by Kolibri's own Python, the seed comes on standard input.

The seed is `seed.yaml` as JSON, with a `passwords` object added, so that no password is in a file.
"""

# mypy: disable-error-code="import-not-found"

from __future__ import annotations

import json
import sys
from typing import Any

from content import make_channel
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone
from kolibri.core.auth.models import Classroom, FacilityUser, LearnerGroup
from kolibri.core.device.utils import (
    get_facility_by_name,
    setup_device_and_facility,
    validate_device_settings,
    validate_facility_settings,
)
from kolibri.core.exams.models import DraftExam, Exam, ExamAssignment
from kolibri.core.lessons.models import Lesson, LessonAssignment


def main() -> None:
    """Provision the device, its users, channel and classes."""
    seed = json.load(sys.stdin)
    facility = make_facility(seed)
    nodes = make_channel(seed["channel"])
    with transaction.atomic():  # one commit, which is several times as fast as hundreds
        users = make_users(seed, facility)
        for entry in seed["classes"]:
            make_class(entry, facility, users, nodes)


def make_facility(seed: dict[str, Any]) -> Any:
    """Provision the device with one facility and its superuser."""
    admin = seed["accounts"]["admin"]
    setup_device_and_facility(
        None,
        seed["facility"]["name"],
        "formal",
        validate_facility_settings(seed["facility"]["settings"]),
        validate_device_settings(language_id="en", facility=None),
        admin["username"],
        seed["passwords"]["admin"],
    )
    facility = get_facility_by_name(seed["facility"]["name"])
    FacilityUser.objects.filter(username=admin["username"]).update(full_name=admin["full_name"])
    return facility


def make_users(seed: dict[str, Any], facility: Any) -> dict[str, Any]:
    """Create coaches, learners and removed users; gives users by user name."""
    # One hash for all, because hashing is slow on purpose.
    hashes = {role: make_password(word) for role, word in seed["passwords"].items()}
    coach, learner = seed["accounts"]["coach"], seed["accounts"]["learner"]
    people = [(coach, "coach"), (learner, "learner")]
    people += [(person, "coach") for person in seed["coaches"]]
    people += [(person, "learner") for person in [*seed["learners"], *seed["leavers"]]]
    users = {}
    for person, role in people:
        user = FacilityUser(facility=facility, **person)
        user.password = hashes[role]
        user.save()
        users[person["username"]] = user
    facility.add_role(users[coach["username"]], "coach")
    for person in seed["coaches"]:
        facility.add_role(users[person["username"]], "classroom assignable coach")
    for person in seed["leavers"]:
        users[person["username"]].date_deleted = timezone.now()
        users[person["username"]].save()
    return users


def make_class(
    entry: dict[str, Any], facility: Any, users: dict[str, Any], nodes: dict[str, Any]
) -> None:
    """Create a class with its coaches, learners, groups, lessons and quizzes."""
    classroom = Classroom.objects.create(name=entry["name"], parent=facility)
    coaches = [users[name] for name in entry["coaches"]]
    for coach in coaches:
        classroom.add_coach(coach)
    for name in entry["learners"]:
        classroom.add_member(users[name])
    for name, members in entry["groups"].items():
        group = LearnerGroup.objects.create(name=name, parent=classroom)
        group.add_learners([users[member] for member in members])
    for lesson in entry["lessons"]:
        make_lesson(lesson, classroom, coaches[0], nodes)
    for quiz in entry["quizzes"]:
        make_draft(quiz, classroom, coaches[0], nodes)
    for quiz in entry["tests"]:
        make_test(quiz, classroom, coaches[0], nodes)


def make_lesson(entry: dict[str, Any], classroom: Any, coach: Any, nodes: dict[str, Any]) -> None:
    """Create a lesson of the whole class."""
    chosen = [nodes[title] for title in entry["resources"]]
    lesson = Lesson.objects.create(
        title=entry["title"],
        description=entry["description"],
        collection=classroom,
        created_by=coach,
        is_active=entry["is_visible"],
        resources=[
            {
                "contentnode_id": node.id,
                "content_id": node.content_id,
                "channel_id": node.channel_id,
            }
            for node in chosen
        ],
    )
    LessonAssignment.objects.create(lesson=lesson, collection=classroom, assigned_by=coach)


def make_draft(entry: dict[str, Any], classroom: Any, coach: Any, nodes: dict[str, Any]) -> None:
    """Create a quiz that was not started yet."""
    DraftExam.objects.create(
        title=entry["title"],
        question_sources=[quiz_section(entry, nodes)],
        collection=classroom,
        creator=coach,
        assignments=[classroom.id],
        learners_see_fixed_order=True,
    )


def make_test(entry: dict[str, Any], classroom: Any, coach: Any, nodes: dict[str, Any]) -> None:
    """Create a quiz that learners may take."""
    exam = Exam.objects.create(
        title=entry["title"],
        question_sources=[quiz_section(entry, nodes)],
        collection=classroom,
        creator=coach,
        active=True,
        learners_see_fixed_order=True,
    )
    ExamAssignment.objects.create(exam=exam, collection=classroom, assigned_by=coach)


def quiz_section(entry: dict[str, Any], nodes: dict[str, Any]) -> dict[str, Any]:
    """The one section of a quiz, with its questions in order."""
    questions = []
    for place, (title, number) in enumerate(entry["questions"], start=1):
        node = nodes[title]
        item = node.assessmentmetadata.first().assessment_item_ids[number]
        questions.append(
            {
                "exercise_id": node.id,
                "question_id": item,
                "title": node.title,
                "counter_in_exercise": place,
                "item": f"{node.id}:{item}",
            }
        )
    return {
        "section_title": "",
        "description": "",
        "question_count": len(questions),
        "learners_see_fixed_order": True,
        "questions": questions,
    }
