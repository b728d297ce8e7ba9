"""How a person performs each task template of Kolibri, by template id."""

from __future__ import annotations

from collections.abc import Mapping

from odokit.testbeds.base import Oracle
from odokit.testbeds.kolibri import (
    oracles_classes,
    oracles_groups,
    oracles_learner,
    oracles_lessons,
    oracles_quizzes,
    oracles_settings,
    oracles_users,
)

ORACLES: Mapping[str, Oracle] = {
    oracle.__name__: oracle
    for oracle in (
        oracles_classes.create_class,
        oracles_classes.rename_class,
        oracles_classes.copy_class,
        oracles_classes.delete_class,
        oracles_classes.enrol_learner,
        oracles_classes.unenrol_learner,
        oracles_classes.enrol_from_users,
        oracles_classes.assign_coach,
        oracles_classes.remove_coach,
        oracles_users.create_learner,
        oracles_users.create_coach,
        oracles_users.create_admin,
        oracles_users.edit_user,
        oracles_users.change_user_type,
        oracles_users.reset_password,
        oracles_users.delete_user,
        oracles_users.restore_user,
        oracles_users.allow_managing,
        oracles_settings.change_setting,
        oracles_settings.change_sign_in,
        oracles_settings.rename_facility,
        oracles_settings.restrict_exploring,
        oracles_groups.create_group,
        oracles_groups.rename_group,
        oracles_groups.delete_group,
        oracles_groups.enrol_in_group,
        oracles_lessons.create_lesson,
        oracles_lessons.create_lesson_for_group,
        oracles_lessons.show_lesson,
        oracles_lessons.hide_lesson,
        oracles_lessons.edit_lesson,
        oracles_lessons.add_resource,
        oracles_lessons.move_resource,
        oracles_lessons.remove_resource,
        oracles_lessons.copy_lesson,
        oracles_lessons.delete_lesson,
        oracles_quizzes.create_quiz,
        oracles_quizzes.start_quiz,
        oracles_quizzes.rename_quiz,
        oracles_quizzes.copy_quiz,
        oracles_quizzes.delete_quiz,
        oracles_learner.edit_profile,
        oracles_learner.take_quiz,
        oracles_learner.bookmark_resource,
        oracles_learner.rate_reading,
    )
}
"""The oracle of each template in `tasks.yaml`, which bears its name."""
