"""Snapshots are read as a browser reads them, and shown in few characters."""

from __future__ import annotations

import pytest

from odokit.dom import distill, parse

PAGE = """<!doctype html><!-- c --><html><head><title>T</title></head><body>
<table><tr><td>one</td><td>two <b>bold</b></td></tr></table>
<p>first<p>second <a href="/x" class="big" data-odd="1">link</a>
<select name="s"><option value="1" selected>A</option></select></body></html>"""


def test_the_tree_is_the_browser_s() -> None:
    document = parse(PAGE)
    assert document.find("/html/body/table/tbody/tr/td[2]/b") is not None
    assert document.find("/html/body/p[2]/a") is not None
    assert document.tags[0] == "html" and document.parent[0] == -1


@pytest.mark.parametrize(
    "xpath", ["/html/body/p[3]", "/html/body/ul", "/body", "/html/body/p[1]/a", "/html/body/a"]
)
def test_what_is_not_there_is_not_found(xpath: str) -> None:
    assert parse(PAGE).find(xpath) is None


def test_a_first_step_without_a_number_is_the_first_of_its_tag() -> None:
    document = parse(PAGE)
    assert document.find("/html/body/p") == document.find("/html/body/p[1]")


def test_text_is_folded() -> None:
    document = parse(PAGE)
    row = document.find("/html/body/table/tbody/tr")
    assert row is not None and document.text(row) == "one two bold"


def test_children_are_in_order_and_know_their_parent() -> None:
    document = parse(PAGE)
    row = document.find("/html/body/table/tbody/tr")
    assert row is not None
    assert [document.tags[c] for c in document.children[row]] == ["td", "td"]
    assert all(document.parent[c] == row for c in document.children[row])


def test_a_model_sees_kept_attributes_and_text_only() -> None:
    document = parse(PAGE)
    link = document.find("/html/body/p[2]/a")
    assert link is not None
    assert distill(document, link) == '<a href="/x">link</a>'


def test_what_a_model_sees_has_a_limit() -> None:
    document = parse(PAGE)
    shown = distill(document, 0, limit=30)
    assert len(shown) == 30 and shown.endswith("…")


def test_an_empty_snapshot_has_the_browser_s_empty_page() -> None:
    assert parse("").tags in ([], ["html", "head", "body"])
