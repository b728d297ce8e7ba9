"""Address templates: what varies is starred out, and every star has a reason."""

from __future__ import annotations

import pytest

from odokit.urls import PRESETS, UrlPattern, UrlTemplates, preset

SITE = "http://127.0.0.1:9"
CANVAS = UrlTemplates(patterns=preset(["canvas"]))


def reasons(templates: UrlTemplates, url: str) -> dict[str, str]:
    return {s.text: s.reason for s in templates.explain(SITE + url) if s.reason}


@pytest.mark.parametrize(
    ("url", "template"),
    [
        ("/api/v1/courses/12/", "/api/v1/courses/*"),
        ("/h1/v2?x=12", "/h1/v2"),
        ("/a/2fb1c2de-93e4-4a0e-9f0f-53a1a8d0a001/b", "/a/*/b"),
        ("/a/2031-05-01", "/a/*"),
        ("/coach/#/64bc8d/plan", "/coach/#/64bc8d/plan"),
        ("/coach/#/64bc8d01/plan?tab=1", "/coach/#/*/plan"),
        ("/shop/groups;contents=7?page=1", "/shop/*"),
        ("/shop/groups;view=list", "/shop/groups;view=list"),
    ],
)
def test_a_segment_varies_by_its_form(url: str, template: str) -> None:
    assert UrlTemplates().template(SITE + url) == template


def test_a_value_of_the_task_varies_where_it_was_seen() -> None:
    learnt = UrlTemplates.learn([(f"{SITE}/wiki/field-notes/edit", ["Field Notes"])])
    assert learnt.template(f"{SITE}/wiki/field-notes") == "/wiki/*"
    assert reasons(learnt, "/wiki/field-notes") == {"field-notes": "value of a task"}
    assert learnt.template(f"{SITE}/news/field-notes") == "/news/field-notes"


@pytest.mark.parametrize(
    ("url", "template", "reason"),
    [
        ("/courses/4/pages/reading-list/edit", "/courses/*/pages/*/edit", "slug of a wiki page"),
        ("/api/v1/groups/4/pages/plan", "/api/v1/groups/*/pages/*", "slug of a wiki page"),
        ("/courses/4/files/folder/a/b", "/courses/*/files/folder/*/*", "name of a folder"),
        ("/courses/10~77/grades", "/courses/*/grades", "id of another shard"),
        ("/courses/sis_course_id:B-1", "/courses/*", "id of another system"),
    ],
)
def test_the_canvas_preset_stars_out_what_has_no_telling_form(
    url: str, template: str, reason: str
) -> None:
    assert CANVAS.template(SITE + url) == template
    assert reason in reasons(CANVAS, url).values()
    assert UrlTemplates().template(SITE + url) != template


@pytest.mark.parametrize(
    "url", ["/api/v1/groups/4/memberships/self", "/courses/4/pages", "/courses/4/assignments/new"]
)
def test_the_canvas_preset_leaves_fixed_words_alone(url: str) -> None:
    assert CANVAS.template(SITE + url) == UrlTemplates().template(SITE + url)


def test_the_form_of_a_segment_is_named_before_a_pattern() -> None:
    assert reasons(CANVAS, "/courses/4/pages/7") == {"4": "number", "7": "number"}


def test_patterns_are_kept_while_learning_and_applied_to_the_path_before() -> None:
    own = UrlPattern("name of a person", "/people", r"[a-z]+")
    learnt = UrlTemplates.learn([(f"{SITE}/people/ada/notes/rome", ["Rome"])], (own,))
    assert learnt.template(f"{SITE}/people/ben/notes/rome") == "/people/*/notes/*"
    assert learnt.template(f"{SITE}/staff/people/ben") == "/staff/people/ben"


def test_presets_are_found_by_application_once() -> None:
    assert preset(["kolibri", ""]) == ()
    assert preset(["canvas", "kolibri", "canvas"]) == PRESETS["canvas"]
