"""Lists are found by structure and described as dynamicXpaths."""

from __future__ import annotations

import pytest

from odokit.dom import parse
from odokit.substructure import DynamicXpath, Exact, dynamic_xpaths, find_lists, wl_labels

ROWS = "".join(f"<li><span>{t}</span><button>Options</button></li>" for t in "abc")
PAGE = f"<body><nav><a>x</a><a>y</a></nav><ul>{ROWS}</ul><ul>{ROWS}</ul><p>alone</p></body>"


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
