"""Mode `cascon`: each published rule, with the quirks that make it lenient."""

from __future__ import annotations

from typing import Any

import pytest
from cascon_samples import FORM, entry, request_event

from odokit.cascon import KeyEntry
from odokit.cascon.matching import (
    LoggedRequest,
    as_logged,
    entry_difference,
    path_passes,
    read_rule,
)
from odokit.errors import EvaluateError


def passes(expected: Any, observed: Any) -> bool:
    wanted = KeyEntry.model_validate(entry("POST", "/a", key=expected))
    return entry_difference(wanted, LoggedRequest("POST", "/a", {"key": observed})) is None


@pytest.mark.parametrize(
    ("expected", "observed", "is_met"),
    [
        ("/a/1", "/a/1", True),
        ("/a/1", "/a/12", False),
        ("/a/1", "/a/1?x=2", True),
        ("/a/1?x=2", "/a/1?x=2&y=3", True),
        ("/a/1?x=Two", "/a/1?x=tWO", True),
        ("/a/1?x=2", "/a/1?x=3", False),
        ("/a/1?x=2", "/a/1?x=2&x=3", False),
        ("/a/1?x=2", "/a/1", True),  # quirk: no query at all passes
        ("/a/1?x=2", "/b/1", False),
        ("/a/[[ANY]]", "/a/7", True),
        ("/a/[[ANY]]", "/a/", False),
        ("/a/[[ANY]]", "/a/7/delete", True),  # quirk: not anchored at the end
        ("/a/[[ANY]]", "/api/a/7", True),  # quirk: nor at the beginning
        ("/a/[[ANY]]/b?n=%2Ft.+", "/a/7/b?n=%2Ft%2F3", True),
        ("/a/[[ANY]]/b?n=%2Ft.+", "/a/7/b?n=/t/3", True),  # as our recorder writes it
        ("/a/[[ANY]]/b?n=%2Ft.+", "/a/7/b", False),
        ("/a.c/[[ANY]]", "/abc/7", True),  # quirk: the rest is an expression too
    ],
)
def test_paths(expected: str, observed: str, is_met: bool) -> None:
    assert path_passes(expected, observed) is is_met


@pytest.mark.parametrize(
    ("expected", "observed", "is_met"),
    [
        ("Latin", "Latin", True),
        ("Latin", "Greek", False),
        ("Latin", "Lat", True),  # quirk: a part of the text passes
        ("Latin", "Latin 2", False),
        ("Latin", "", False),
        ("Latin", ["Latin"], False),
        ("5", 5, False),
        (["1", "2"], ["1", "2"], True),
        (["1", "2"], ["2", "1"], False),
        (["1", "2"], "2", True),  # quirk: one of the items passes
        (True, True, True),
        (True, False, False),
        (True, 1, True),  # quirk: Python's equality
        (True, "true", False),  # the published code stops here
        (False, "false", False),
        (3, "3", False),
        ("[[ANY]]", "x", True),
        ("[[ANY]]", "", True),  # quirk: empty text
        ("[[ANY]]", None, True),
        ("[[ANY]]", [], False),
        ("[[ANY]]", [""], False),
        ("[[ANY]]", ["", "x"], True),
        ("[[_includes='bc']]", "abcd", True),
        ("[[_includes='bc']]", ["x", "abcd"], True),
        ("[[_includes='bc']]", "acbd", False),
        ("[[_includes='bc']]", "b", True),  # quirk: a part of the rule's own text
        ("[[_includes='bc']]", "_incl", True),
        ("[[_includes='bc']]", [], False),
        ("[[_includes='bc']]", 7, False),  # the published code stops here
        ("[[_includes='it's']]", "it's so", True),
        ("[[_starts_with='ab']]", "abc", True),
        ("[[_starts_with='ab']]", "cab", False),
        ("[[_starts_with='ab']]", ["abc"], False),  # the published code stops here
        ("[[_array_contains='13']]", ["1", "13"], True),
        ("[[_array_contains='13']]", ["x13y"], True),  # quirk: within an item
        ("[[_array_contains='13']]", [1, 13], True),
        ("[[_array_contains='13']]", [1, 130], False),
        ("[[_array_contains='13']]", [], False),
        ("[[_array_contains='13']]", "x13y", True),
        ("[[_array_contains='13']]", None, False),
        ("[[_array_contains='x']]", [1], False),
        ("[[_array_not_contains='13']]", ["1", "130"], True),
        ("[[_array_not_contains='13']]", ["13"], False),
        ("[[_array_not_contains='13']]", [13], False),
        ("[[_array_not_contains='13']]", [130], True),
        ("[[_array_not_contains='13']]", [], True),
        ("[[_array_not_contains='13']]", "4", True),
        ("[[_array_not_contains='13']]", "130", False),
        ("[[_array_not_contains='13']]", "13", True),  # quirk: a part of the rule's own text
    ],
)
def test_values(expected: Any, observed: Any, is_met: bool) -> None:
    assert passes(expected, observed) is is_met


def test_a_rule_may_span_lines_and_an_unknown_one_is_an_error() -> None:
    assert read_rule("[[_includes='a\nb']]") == ("includes", "a\nb")
    assert read_rule("plain") is None
    assert read_rule("[[ANY]]") is None
    with pytest.raises(EvaluateError, match=r"unknown rule: .*_ends_with"):
        read_rule("[[_ends_with='a']]")


@pytest.mark.parametrize(
    ("body", "is_met"),
    [
        ({"title": "x"}, True),
        ({"formData": {"title": "x"}}, True),
        ({"variables": {"input": {"title": "x"}}}, True),
        ({"variables": [{"title": "x"}]}, False),  # quirk: lists are not searched
        ({"title": "y", "more": {"title": "x"}}, True),
        ({"title": {"title": "x"}}, True),
        ({}, False),
    ],
)
def test_a_key_is_looked_for_in_objects_at_any_depth(body: Any, is_met: bool) -> None:
    wanted = KeyEntry.model_validate(entry("POST", "/a", title="x", _type="form data"))
    difference = entry_difference(wanted, LoggedRequest("POST", "/a", body))
    assert (difference is None) is is_met
    if not is_met:
        assert difference == "nothing in the body satisfies title = 'x'"


def test_the_method_on_the_wire_counts_and_the_override_does_not() -> None:
    leave = KeyEntry.model_validate(entry("POST", "/a", _method="DELETE"))
    for method, body in (("DELETE", {"_method": "DELETE"}), ("POST", None), ("POST", {})):
        assert entry_difference(leave, as_logged(request_event(method, "/a", body))) is None
    deleted = as_logged(request_event("DELETE", "/a"))
    assert entry_difference(leave, deleted) == "method is DELETE"


def test_requests_are_seen_as_the_published_loaders_give_them() -> None:
    seen = as_logged(request_event("POST", "/a?x=1", {"one": "1", "two": ["2", "3"]}, FORM))
    assert seen == LoggedRequest("POST", "/a?x=1", {"one": ["1"], "two": ["2", "3"]})
    assert as_logged(request_event("PUT", "/a", {"n": 1})).body == {"n": 1}
    assert as_logged(request_event("PUT", "/a", [{"n": 1}])).body == {}
    assert as_logged(request_event("PUT", "/a", "n=1")).body == {}
