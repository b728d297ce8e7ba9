"""Lists are found by structure and described as dynamicXpaths."""

from __future__ import annotations

import pytest

from odokit.dom import parse
from odokit.errors import NavModelError
from odokit.substructure import (
    RULES,
    DynamicXpath,
    Exact,
    Hdbscan,
    Paper,
    Rule,
    Setting,
    dynamic_xpaths,
    find_lists,
    level_of,
    make_setting,
    merge_choices,
    wl_labels,
)
from odokit.substructure.quality import DataList, LabelledPage, score_lists


def rows(texts: str) -> str:
    return "".join(f"<li><span>{t}</span><button>Options</button></li>" for t in texts)


PAGE = (
    f"<body><nav><a>x</a><a>y</a></nav><ul>{rows('abc')}</ul><ul>{rows('def')}</ul>"
    "<p>alone</p></body>"
)


def test_each_container_of_alike_children_is_a_list() -> None:
    found = find_lists(parse(PAGE))
    members = {(f.container, f.tag): len(f.members) for f in found}
    assert members == {
        ("/html/body", "ul"): 2,
        ("/html/body/nav", "a"): 2,
        ("/html/body/ul[1]", "li"): 3,
        ("/html/body/ul[2]", "li"): 3,
    }
    assert found[2].members[1] == "/html/body/ul[1]/li[2]"


@pytest.mark.parametrize(("level", "n_members"), [(0, 3), (1, 2)])
def test_a_deeper_level_tells_more_apart(level: int, n_members: int) -> None:
    page = parse("<ul><li><a>x</a></li><li><a>y</a></li><li><b>z</b></li></ul>")
    (found,) = find_lists(page, Exact(level))
    assert len(found.members) == n_members


def test_the_order_of_children_does_not_matter_but_their_number_does() -> None:
    page = parse(
        "<div><p><a></a><b></b></p><p><b></b><a></a></p><p><a></a><b></b><b></b></p></div>"
    )
    labels = wl_labels(page, 1)
    first, second, third = (i for i, tag in enumerate(page.tags) if tag == "p")
    assert labels[first] == labels[second] != labels[third]


def test_an_element_lies_in_several_lists_the_innermost_first() -> None:
    lists = find_lists(parse(PAGE))
    assert dynamic_xpaths("/html/body/ul[2]/li[3]/button", lists) == (
        DynamicXpath("/html/body/ul[2]", "li", "/button"),
        DynamicXpath("/html/body", "ul", "/li[3]/button"),
    )
    assert dynamic_xpaths("/html/body/p", lists) == ()


def test_a_dynamic_xpath_gives_each_position_and_knows_its_own() -> None:
    rows = DynamicXpath("/html/body/ul[1]", "li", "/button")
    assert rows.xpath(2) == "/html/body/ul[1]/li[2]/button"
    assert rows.matches(rows.xpath(12))
    assert rows.matches("/html/body/ul[1]/li/button")
    for other in ("/html/body/ul[1]2/li[1]/button", "/html/body/ul[1]/li[1]/a", "/ul/li[1]/button"):
        assert not rows.matches(other)


def test_an_empty_page_has_no_lists() -> None:
    assert find_lists(parse("")) == ()


# ------------------------------------------------------------------------------ settings


@pytest.mark.parametrize("setting", [Exact(), Paper(), Paper(scope="parent"), Hdbscan()])
def test_every_setting_finds_a_plain_list(setting: Setting) -> None:
    page = parse(f"<main><h1>Rows</h1><ul>{rows('abcd')}</ul><p>alone</p></main>")
    found = [(f.container, f.tag, len(f.members)) for f in find_lists(page, setting)]
    assert ("/html/body/main/ul", "li", 4) in found


def test_one_parent_a_cluster_loses_two_similar_lists() -> None:
    page = parse(PAGE)
    whole = {f.container for f in find_lists(page, Paper(scope="cluster"))}
    by_parent = {f.container for f in find_lists(page, Paper(scope="parent"))}
    assert not any(container.startswith("/html/body/ul") for container in whole)
    assert {"/html/body/ul[1]", "/html/body/ul[2]"} <= by_parent


@pytest.mark.parametrize(
    ("eps", "n_rounds", "level"),
    [(0.9, 16, 3), (0.5, 4, 3), (0.9, 4, 0), (0.0, 4, 4), (1.0, 4, None)],
)
def test_a_distance_threshold_is_a_level(eps: float, n_rounds: int, level: int | None) -> None:
    assert level_of(eps, n_rounds) == level


def test_settings_have_names_and_refuse_nonsense() -> None:
    assert make_setting("paper", eps=0.5) == Paper(eps=0.5)
    assert make_setting("exact") == Exact()
    for name, parameters, complaint in (
        ("fuzzy", {}, "no setting 'fuzzy'; choose one of exact, paper, hdbscan"),
        ("exact", {"eps": 1}, "no parameter eps; it has level"),
        ("exact", {"level": 17}, "level of list discovery is 17, but must lie in 0 to 16"),
        ("hdbscan", {"min_cluster_size": 1}, "min_cluster_size"),
    ):
        with pytest.raises(NavModelError, match=complaint):
            make_setting(name, **parameters)


# ------------------------------------------------------------------------------ items

TABLE = "<table><tbody><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></tbody></table>"
SECTIONS = "<div><div><h1>a</h1></div><div><h1>b</h1></div></div>"
FORM = "<div><p><label>A<input name=a></label></p><p><label>B<input name=b></label></p></div>"
FORM_SET = "<div><p>A<input name=row-0-a></p><p>B<input name=row-1-a></p></div>"
RADIOS = "<div><p><input type=radio name=x>A</p><p><input type=radio name=x>B</p></div>"
TWINS = "<div><i>a</i><i>a</i></div>"


@pytest.mark.parametrize(
    ("html", "tag", "rule"),
    [(TABLE, "td", "cells"), (SECTIONS, "div", "regions"), (FORM, "p", "fields"),
     (TWINS, "i", "texts")],
)  # fmt: skip
def test_each_rule_keeps_something_out(html: str, tag: str, rule: Rule) -> None:
    page = parse(html)
    others = tuple(r for r in RULES if r != rule)
    assert tag not in {f.tag for f in find_lists(page, Exact())}
    assert tag in {f.tag for f in find_lists(page, Exact(rules=others))}


@pytest.mark.parametrize(("html", "tag"), [(TABLE, "tr"), (FORM_SET, "p"), (RADIOS, "p")])
def test_rows_of_a_table_of_a_form_set_and_radio_buttons_are_items(html: str, tag: str) -> None:
    assert tag in {f.tag for f in find_lists(parse(html))}


def test_a_cell_is_told_by_its_role_too() -> None:
    row = "<div role=row><span role=gridcell>{}</span><span role=gridcell>{}</span></div>"
    page = parse(f"<div role=grid>{row.format('a', 1)}{row.format('b', 2)}</div>")
    assert [f.tag for f in find_lists(page)] == ["div"]


# ------------------------------------------------------------------------------ choices


def test_a_choice_offers_each_member_by_the_first_way_that_leads_somewhere() -> None:
    page = parse("<ul><li><a>x</a></li><li><b><a>y</a></b></li><li>no link</li></ul>")
    seen = [
        DynamicXpath("/html/body/ul", "li", "/b/a"),
        DynamicXpath("/html/body/ul", "li", "/a"),
        DynamicXpath("/html/body/ul", "li", "/a"),
        DynamicXpath("/html/body/ol", "li", "/a"),
    ]
    choice, other = merge_choices(seen)
    assert choice.suffixes == ("/a", "/b/a")
    assert choice.options(page) == ("/html/body/ul/li[1]/a", "/html/body/ul/li[2]/b/a")
    assert other.options(page) == ()


def test_a_step_is_matched_whole() -> None:
    items = "".join(f"<li>{i}</li>" for i in range(12))
    lists = find_lists(parse(f"<ul>{items}</ul><div><div>a</div><div>b</div></div>"))
    assert dynamic_xpaths("/html/body/ul/li[12]", lists)[0].suffix == ""
    assert dynamic_xpaths("/html/body/ul/link[1]", lists) == ()
    assert dynamic_xpaths("/html/body/ul[1]/li[1]", lists) == ()


# ------------------------------------------------------------------------------ quality


def test_quality_counts_hits_misses_and_mistakes() -> None:
    page = parse(
        "<body><nav><a>Home</a><a>Help</a></nav><ul><li>Ann</li><li>Bob</li></ul>"
        "<p><b>Ann</b><b>Cid</b></p><ol><li><i>Dan</i></li><li>Eve</li></ol></body>"
    )
    data = tuple(i for i in range(len(page)) if page.tags[i] in {"li", "b", "i"})
    labels = (
        DataList("/html/body/ul", "li", "person"),
        DataList("/html/body/ol", "li", "person"),
    )
    quality = score_lists([LabelledPage(page, labels, data)], Exact())
    assert (quality.n_labelled, quality.n_hit, quality.n_wrong) == (2, 1, 1)
    assert quality.n_found == 3  # the navigation is found, but shows no data
    assert (quality.recall, quality.precision) == (0.5, 0.5)
