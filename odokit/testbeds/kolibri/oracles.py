"""How a person performs each task template of Kolibri, by template id."""

from __future__ import annotations

from collections.abc import Mapping

from odokit.testbeds.base import Oracle
from odokit.testbeds.kolibri.oracles_admin import (
    change_setting,
    change_sign_in,
    create_class,
    create_learner,
    enrol_learner,
)
from odokit.testbeds.kolibri.oracles_coach import (
    create_group,
    create_lesson,
    create_quiz,
    show_lesson,
)
from odokit.testbeds.kolibri.oracles_learner import edit_profile

ORACLES: Mapping[str, Oracle] = {
    "change_setting": change_setting,
    "change_sign_in": change_sign_in,
    "create_class": create_class,
    "create_group": create_group,
    "create_learner": create_learner,
    "create_lesson": create_lesson,
    "create_quiz": create_quiz,
    "edit_profile": edit_profile,
    "enrol_learner": enrol_learner,
    "show_lesson": show_lesson,
}
"""The oracle of each template in `tasks.yaml`."""
