"""What the page is asked to look for: names with other numbers, labels and values, loose rungs."""

from __future__ import annotations

import re

import pytest

from odokit.events import Element
from odokit.execute.confidence import is_loose
from odokit.execute.locate import loose_pattern, make_spec
from odokit.navmodel import FreeTarget
from odokit.plan import Target


def target(
    name: str, *, free: FreeTarget | None = None, is_constant: bool = True, role: str = "button"
) -> Target:
    element = Element(tag="button", xpath="/html/body/button", role=role, name=name)
    return Target(element, name, free, "Algebra 8C" if free else None, (), is_constant)


@pytest.mark.parametrize(
    ("name", "fits"),
    [("Open Algebra 8C (3)", True), ("Open Algebra 8C (12)", True), ("Open Algebra 9C (3)", False)],
)
def test_a_count_may_differ_but_no_number_of_the_value(name: str, fits: bool) -> None:
    pattern = loose_pattern("Open Algebra 8C (3)", "Algebra 8C")
    assert bool(re.fullmatch(pattern, name)) is fits


def test_without_a_value_every_number_may_differ() -> None:
    assert re.fullmatch(loose_pattern("Page 3 of 9"), "Page 12 of 40")
    assert not re.fullmatch(loose_pattern("Page 3 of 9"), "Page three of 9")


def test_only_a_label_may_have_been_renamed() -> None:
    by_name = FreeTarget("title", "name", None)
    assert make_spec(target("Save"), 0)["isLabel"]
    assert not make_spec(target("Algebra 8C", free=by_name), 0)["isLabel"]
    assert not make_spec(target("Ada Byron", is_constant=False), 0)["isLabel"]
    assert not make_spec(target("Medium", role="radio"), 0)["isLabel"]


def test_an_element_recorded_without_its_peers_has_none() -> None:
    assert make_spec(target("Save"), 0)["peers"] is None


def test_loose_rungs_are_those_that_found_a_change() -> None:
    assert all(map(is_loose, ("name", "alike name", "attribute", "place", "nameless+text")))
    strict = ("name+regions", "name+near", "item", "nameless+attribute", "", "none")
    assert not any(map(is_loose, strict))
