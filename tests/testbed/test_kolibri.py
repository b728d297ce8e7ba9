"""Kolibri itself: its oracles, answer keys and database agree, and a reset undoes everything."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser

from odokit.browser import new_context
from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.paraphrases import STYLES
from odokit.study.episodes import task_text
from odokit.tasks import TaskTemplate, bind
from odokit.testbeds import TestBed, get_testbed
from odokit.testbeds.verify import verify

# The first test installs the application, which takes minutes on a busy machine.
pytestmark = [pytest.mark.testbed, pytest.mark.timeout(1500)]
TESTBED = "kolibri"

ROOT = Path(__file__).parents[2]
TASKS = get_testbed("kolibri", Settings.load(ROOT)).tasks()
QUICK = [
    "rename_class_1",
    "edit_user_2",
    "change_setting_3",
    "enrol_in_group_4",
    "move_resource_5",
    "start_quiz_6",
    "take_quiz_7",
    "rate_reading_8",
]
SLOW = [
    f"{template.id}_{number % 10}"
    for number, template in enumerate(TASKS.templates)
    if not any(instance.startswith(f"{template.id}_") for instance in QUICK)
]
NAMES = """
    SELECT name FROM kolibriauth_collection UNION ALL SELECT title FROM lessons_lesson
    UNION ALL SELECT title FROM exams_exam UNION ALL SELECT title FROM exams_draftexam
    UNION ALL SELECT full_name FROM kolibriauth_facilityuser
    UNION ALL SELECT username FROM kolibriauth_facilityuser
    UNION ALL SELECT title FROM content_contentnode
"""
CLASSES = "SELECT count(*) FROM kolibriauth_collection WHERE kind = 'classroom'"


def test_it_is_up_and_says_so(testbed: TestBed) -> None:
    status = testbed.status()
    assert status.installed
    assert status.provisioned
    assert status.running
    assert status.url == testbed.base_url
    assert status.disk_mb > 100
    assert status.memory_mb > 20


@pytest.mark.parametrize("template", TASKS.templates, ids=lambda t: t.id)
def test_each_template_has_an_oracle_and_instances_of_both_uses(
    testbed: TestBed, template: TaskTemplate
) -> None:
    assert template.id in testbed.oracles
    assert template.role in testbed.roles
    uses = [instance.use for instance in template.instances]
    assert uses == ["demonstrate"] + ["execute"] * 9
    values = [tuple(sorted(instance.values.items())) for instance in template.instances]
    if any(not draw.choice for draw in template.draw.values()):
        assert len(set(values)) == len(values)


def test_every_entity_a_task_names_exists_and_what_is_new_does_not(testbed: TestBed) -> None:
    testbed.reset()
    known = {str(name) for (name,) in testbed.query(NAMES, {})}
    for template, instance in TASKS.iter_instances():
        bind(template, instance, testbed.query)
        for parameter, draw in template.draw.items():
            value = instance.values[parameter]
            if draw.entity:
                assert value in known, (instance.id, parameter, value)
            if draw.fresh:
                assert value not in known, (instance.id, parameter, value)


def test_there_are_45_templates_in_other_words_too(testbed: TestBed) -> None:
    assert len(TASKS.templates) == len(testbed.oracles) == 45
    assert sum(1 for _ in TASKS.iter_instances()) == 450
    for template, instance in TASKS.iter_instances():
        for style in STYLES:
            text = task_text(testbed, template, instance, style)
            assert text != task_text(testbed, template, instance, None)
            assert all(instance.values[name] in text for name in template.parameters)
            assert not re.search(r"[{}]", text)


@pytest.mark.parametrize(
    "instance", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
async def test_oracle_network_and_database_agree_and_nothing_spoilt_passes(
    testbed: TestBed, browser: Browser, instance: str
) -> None:
    (row,) = await verify(testbed, browser, instances=[instance])
    assert row.is_good, row
    assert row.n_spoilt >= 4


async def test_an_oracle_that_does_another_task_is_judged_a_failure(
    testbed: TestBed, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def other(page: Any, values: Any) -> None:
        await testbed.oracles["create_class"](page, {"class_name": "Botany 66"})

    oracles = {**testbed.oracles, "create_class": testbed.oracles["create_class"]}
    monkeypatch.setattr(testbed, "oracles", oracles | {"enrol_learner": other})
    (row,) = await verify(testbed, browser, instances=["enrol_learner_1"])
    assert row.oracle_ok
    assert not row.success
    assert row.agrees  # network and database both say no
    assert "missing: POST /api/auth/membership/" in row.explanation
    assert "extra: POST /api/auth/classroom/" in row.explanation


async def test_a_session_is_private_and_outlives_a_reset(
    testbed: TestBed, browser: Browser
) -> None:
    path = await testbed.sign_in(browser, "coach")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_text()
    testbed.reset()
    assert await testbed.sign_in(browser, "coach") == path
    assert path.read_text() == before
    context = await new_context(
        browser, storage_state=path, allowed_origins=testbed.allowed_origins
    )
    page = await context.new_page()
    await page.goto(testbed.start_url("coach"))
    await page.get_by_role("heading", name="Classes", level=1).wait_for()
    assert page.url == testbed.start_url("coach")
    await context.close()


async def test_a_reset_undoes_what_was_done_in_a_moment(testbed: TestBed, browser: Browser) -> None:
    testbed.reset()
    assert testbed.dirty() == []
    ((n_before,),) = testbed.query(CLASSES, {})
    state = await testbed.sign_in(browser, "admin")
    context = await new_context(
        browser, storage_state=state, allowed_origins=testbed.allowed_origins
    )
    page = await context.new_page()
    await page.goto(testbed.start_url("admin"))
    await testbed.oracles["create_class"](page, {"class_name": "Short-lived"})
    assert testbed.query(CLASSES, {}) == [(n_before + 1,)]
    (left,) = testbed.dirty()
    assert re.fullmatch(r"kolibriauth_collection: 1 row added, e\.g\. id='\w+'", left)
    assert testbed.reset() < 3
    assert testbed.dirty() == []
    assert testbed.query(CLASSES, {}) == [(n_before,)]
    await page.reload()
    await page.get_by_role("button", name="New class").wait_for()
    assert await page.get_by_role("link", name="Short-lived").count() == 0
    await context.close()


async def test_a_reset_reaches_the_settings_that_kolibri_keeps_in_memory(
    testbed: TestBed, browser: Browser
) -> None:
    instance = "restrict_exploring_1"
    for _ in range(2):  # the second would find the setting made already
        (row,) = await verify(testbed, browser, instances=[instance])
        assert row.is_good, row


async def test_tasks_of_a_run_can_follow_one_another_without_a_reset(
    testbed: TestBed, browser: Browser
) -> None:
    chosen = ["create_class_3", "delete_class_3"]
    first, second = await verify(testbed, browser, instances=chosen, reset="run")
    assert first.is_good, first
    assert second.is_good, second
    assert first.left == ()
    assert [line.partition(":")[0] for line in second.left] == ["kolibriauth_collection"]


def test_only_one_run_may_use_it(testbed: TestBed) -> None:
    with testbed.reserve(), pytest.raises(TestBedError, match="used by another run"):
        testbed.up()


def test_queries_cannot_change_anything(testbed: TestBed) -> None:
    with pytest.raises(TestBedError, match="readonly"):
        testbed.query("DELETE FROM kolibriauth_membership", {})


def test_every_list_has_members_to_choose_from(testbed: TestBed) -> None:
    per_class = """
        SELECT c.name,
          (SELECT count(*) FROM lessons_lesson l WHERE l.collection_id = c.id),
          (SELECT count(*) FROM kolibriauth_membership m WHERE m.collection_id = c.id),
          (SELECT count(*) FROM kolibriauth_collection g WHERE g.parent_id = c.id)
        FROM kolibriauth_collection c WHERE c.kind = 'classroom' AND c.name NOT LIKE '% Club'
    """
    rows = testbed.query(per_class, {})
    assert len(rows) == 30
    assert all(min(row[1:]) >= 3 for row in rows), rows
    per_folder = """
        SELECT count(*) FROM content_contentnode WHERE kind = 'exercise' GROUP BY parent_id
    """
    folders = testbed.query(per_folder, {})
    assert len(folders) >= 3
    assert all(n >= 3 for (n,) in folders)
