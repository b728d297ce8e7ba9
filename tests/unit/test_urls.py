"""Address templates: what varies is starred out, and every star has a reason."""

from __future__ import annotations

import json

import pytest

from odokit.errors import ConfigError
from odokit.urls import PRESETS, UrlPattern, UrlTemplates, preset, read_patterns

SITE = "http://127.0.0.1:9"
CANVAS = UrlTemplates(patterns=preset(["canvas"]))


def reasons(templates: UrlTemplates, url: str) -> dict[str, str]:
    return {s.text: s.reason for s in templates.explain(SITE + url) if s.is_variable}


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


def test_slugs_with_different_numbers_vary_and_a_lone_one_does_not() -> None:
    shop = [(f"{SITE}/shop/{slug}", ()) for slug in ("oak-table_2", "pine-chair_14", "offers")]
    learnt = UrlTemplates.learn(shop)
    assert learnt.template(f"{SITE}/shop/elm-shelf_7/reviews") == "/shop/*/reviews"
    assert learnt.template(f"{SITE}/shop/offers") == "/shop/offers"
    assert learnt.template(f"{SITE}/news/oak-table_2") == "/news/oak-table_2"
    assert UrlTemplates.learn(shop[1:]).template(f"{SITE}/shop/oak-table_2") == "/shop/oak-table_2"


def test_the_parent_of_a_value_in_the_path_varies_with_it() -> None:
    learnt = UrlTemplates.learn([(f"{SITE}/shop/lamps/lamps-of-brass_7", ["Lamps of brass"])])
    assert learnt.template(f"{SITE}/shop/vases/vases-of-clay_9") == "/shop/*/*"
    plain = [(f"{SITE}/shop/lamps/offers", ()), (f"{SITE}/shop/lamps/lamps-of-brass_7", ["Lamps"])]
    kept = UrlTemplates.learn(plain[:1])
    assert kept.template(f"{SITE}/shop/lamps/new") == "/shop/lamps/new"


def test_pages_told_apart_by_hyphenated_words_stay_apart() -> None:
    pages = [(f"{SITE}/settings/{p}", ()) for p in ("change-password", "two-factor", "log-out")]
    learnt = UrlTemplates.learn(pages)
    assert len({learnt.template(url) for url, _ in pages}) == 3


EDITOR = [
    (f"{SITE}/index.php?action={action}&id={n}&q=x", ["x"])
    for action in ("edit", "view")
    for n in (1, 2)
]


def test_a_query_key_counts_that_says_which_page_it_is() -> None:
    learnt = UrlTemplates.learn(EDITOR)
    assert learnt.template(f"{SITE}/index.php?id=9&action=edit&q=y") == "/index.php?action=edit"
    assert learnt.template(f"{SITE}/other.php?action=edit") == "/other.php"
    hidden = UrlTemplates.learn([(url.replace("/index.php", "/#/page"), v) for url, v in EDITOR])
    assert hidden.template(f"{SITE}/#/page?action=view&id=3") == "/#/page?action=view"


@pytest.mark.parametrize(
    "addresses",
    [
        ["/a?tab=one", "/a?tab=two"],  # nothing says that it is more than content
        ["/a?tab=one&n=1", "/a?tab=one&n=2", "/a?tab=two&n=1", "/a?tab=two&n=2", "/a"],
        ["/a?n=1&m=1", "/a?n=1&m=2", "/a?n=2&m=1", "/a?n=2&m=2"],
    ],
)
def test_other_query_keys_do_not_count(addresses: list[str]) -> None:
    learnt = UrlTemplates.learn([(SITE + a, ()) for a in addresses])
    assert {learnt.template(SITE + a) for a in addresses} == {"/a"}


def test_a_pattern_may_keep_what_its_form_would_star_out() -> None:
    kept = UrlPattern("a building, not an id", "/campus", r"\d+", "fixed")
    learnt = UrlTemplates.learn([(f"{SITE}/campus/12/rooms/7", ())], (kept,))
    assert learnt.template(f"{SITE}/campus/12/rooms/8") == "/campus/12/rooms/*"
    assert learnt.explain(f"{SITE}/campus/12")[1].reason == "a building, not an id"


def test_every_part_of_an_address_is_explained() -> None:
    learnt = UrlTemplates.learn([*EDITOR, (f"{SITE}/x/7/#/plan/8", ()), (f"{SITE}/y", ())])
    explained = learnt.explain(f"{SITE}/x/7/#/plan/8?tab=1")
    assert [(s.part, s.text, s.template) for s in explained] == [
        ("path", "x", "x"),
        ("path", "7", "*"),
        ("route", "#", "#"),
        ("route", "plan", "plan"),
        ("route", "8", "*"),
        ("query", "tab=1", ""),
    ]
    assert explained[0].n_texts == 3, "x, y and index.php"
    assert all(s.reason for s in explained)
    routed = learnt.explain(f"{SITE}/index.php?action=edit")[-1]
    assert (routed.part, routed.template) == ("query", "action=edit")


def test_templates_survive_json() -> None:
    own = UrlPattern("name of a person", "/people", r"[a-z]+")
    observed = [*EDITOR, (f"{SITE}/wiki/field-notes", ["Field Notes"]), (f"{SITE}/s/a_1", ())]
    learnt = UrlTemplates.learn([*observed, (f"{SITE}/s/b_2", ())], (own,))
    assert UrlTemplates.from_json(json.loads(json.dumps(learnt.to_json()))) == learnt


def test_patterns_of_a_settings_file_are_those_of_the_application() -> None:
    rule = {"reason": "a person", "before": "/people", "segment": ".+"}
    tables = [rule, {**rule, "app": "shop", "verdict": "fixed"}, {**rule, "app": "other"}]
    assert [p.verdict for p in read_patterns(tables, ["shop"])] == ["varies", "fixed"]


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        ({"reason": "x", "before": "/a"}, "url_patterns, table 1: give before, reason, segment"),
        ({"reason": "x", "before": "/a", "segment": "(", "app": "b"}, "table 1, field segment"),
        ({"reason": "x", "before": "/a", "segment": "b", "verdict": "no"}, "field verdict"),
        ({"reason": "x", "before": "/a", "segment": "b", "what": "no"}, "found before, reason"),
    ],
)
def test_a_wrong_pattern_is_refused_by_table_and_field(
    table: dict[str, str], complaint: str
) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read_patterns([table], [])


def test_presets_are_found_by_application_once() -> None:
    assert preset(["kolibri", ""]) == ()
    assert preset(["canvas", "kolibri", "canvas"]) == PRESETS["canvas"]
