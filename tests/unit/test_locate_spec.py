"""What the page is asked to look for: names with other numbers, labels and values, loose rungs."""

from __future__ import annotations

import re

import pytest

from odokit.events import Element, Event, EventKind, Peers
from odokit.execute.confidence import is_loose
from odokit.execute.locate import loose_pattern, make_spec
from odokit.navmodel import FreeTarget
from odokit.plan import Target, make_target


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


@pytest.mark.parametrize(
    ("recorded", "live"),
    [("B Algebra 8C", "A Algebra 8C"), ("2. Algebra 8C", "11. Algebra 8C"), ("b) Algebra 8C",) * 2],
)
def test_an_option_s_letter_or_number_may_be_another(recorded: str, live: str) -> None:
    spec = make_spec(target(recorded, free=FreeTarget("title", "name", None)), 0)
    assert spec["name"] == "Algebra 8C"
    assert re.fullmatch(spec["pattern"], live) and re.fullmatch(spec["pattern"], recorded)
    assert not re.fullmatch(spec["pattern"], live.replace("8C", "9C"))


def test_a_word_before_a_value_is_no_mark() -> None:
    spec = make_spec(target("Open Algebra 8C", free=FreeTarget("title", "name", None)), 0)
    assert spec["name"] == "Open Algebra 8C"
    assert not re.fullmatch(spec["pattern"], "Edit Algebra 8C")


def test_text_near_it_that_names_another_row_now_tells_nothing() -> None:
    element = Element(
        tag="button", xpath="/html/body/button", name="Move up", peers=Peers(near="Ada Byron, 8C")
    )
    event = Event(kind=EventKind.CLICK, idx=0, t_ms=0, url="http://x/", element=element)
    old = {"who": "Ada Byron"}
    same = make_spec(make_target(event, None, old, {"who": "Ada Byron"}), 0)
    assert (same["peers"]["near"], same["isOther"]) == ("Ada Byron, 8C", False)
    for new in ({"who": "Bo Li"}, {}):
        spec = make_spec(make_target(event, None, old, new), 0)
        assert (spec["peers"]["near"], spec["isOther"]) == ("", True)
    offer = make_spec(make_target(event, None, old, {"who": "8C"}), 0)
    assert (offer["peers"]["near"], offer["isOther"]) == ("Ada Byron, 8C", False)
