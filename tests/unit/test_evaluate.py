"""Each rule of the evaluator, met and broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from odokit.errors import EvaluateError
from odokit.evaluate import Verdict, body_difference, evaluate, mismatch
from odokit.events import Event, EventKind, Request, Response
from odokit.tasks import DatabaseCheck, Expectation, ExpectedWrite

BASE = "http://127.0.0.1:9"


def write(
    method: str = "POST",
    path: str = "/class/",
    body: Any = None,
    status: int | None = 201,
    *,
    operation: str = "",
    answer: Any = None,
    location: str = "",
) -> Event:
    return Event(
        kind=EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL,
        idx=0,
        t_ms=0,
        url=BASE,
        request=Request(method=method, url=BASE + path, body=body, operation=operation),
        response=None
        if status is None
        else Response(status=status, body=answer, location=location),
    )


def key(*writes: dict[str, Any], **others: Any) -> Expectation:
    return Expectation.model_validate({"writes": writes, **others})


CREATE = {"method": "POST", "path": "/class/", "body": {"name": "Latin"}}
ENROL = {"method": "POST", "path": "/member/*/", "body": {"user": "u1"}}
CREATED = write(body={"name": "Latin", "parent": "f"})
ENROLLED = write(path="/member/c7/", body={"user": "u1"})


def test_the_expected_writes_and_no_other_are_a_success() -> None:
    verdict = evaluate(key(CREATE, ENROL), [CREATED, ENROLLED])
    assert verdict.is_success
    assert verdict.network_ok
    assert verdict.database_ok is None
    assert verdict.matched == (
        "POST /class/ <- POST /class/ 201 {'name': 'Latin', 'parent': 'f'}",
        "POST /member/*/ <- POST /member/c7/ 201 {'user': 'u1'}",
    )


def test_only_writes_count() -> None:
    click = Event(kind=EventKind.LOCATION, idx=0, t_ms=0, url=BASE, to_url=BASE)
    assert evaluate(key(CREATE), [click, CREATED]).is_success


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (write(body={"name": "Greek"}), "nearest was POST /class/ 201"),
        (write(body={"name": "Greek"}), "body.name is 'Greek'"),
        (write(body={}), "body.name is missing"),
        (write(body="name=Latin"), "not an object"),
        (write(body={"name": "Latin"}, status=400), "status is 400"),
        (write(body={"name": "Latin"}, status=None), "no response was seen"),
        (write("PATCH", body={"name": "Latin"}), "none of the 1 observed writes"),
        (write(path="/class/c7/", body={"name": "Latin"}), "none of the 1 observed writes"),
    ],
)
def test_a_write_that_falls_short_is_missing_with_its_reason_and_extra(
    event: Event, reason: str
) -> None:
    verdict = evaluate(key(CREATE), [event])
    assert not verdict.is_success
    assert len(verdict.missing) == 1
    assert reason in verdict.explain()
    assert len(verdict.extra) == 1


def test_nothing_observed_is_a_failure() -> None:
    verdict = evaluate(key(CREATE), [])
    assert not verdict.is_success
    assert "none of the 0 observed writes" in verdict.missing[0]


def test_an_extra_write_spoils_it_unless_it_is_allowed_or_noise() -> None:
    beat = write("PUT", "/heartbeat/", {"active": True}, 200)
    spoilt = evaluate(key(CREATE), [CREATED, beat])
    assert not spoilt.is_success
    assert spoilt.extra == ("PUT /heartbeat/ 200 {'active': True}",)
    pattern = {"method": "PUT", "path": "/heartbeat/"}
    assert evaluate(key(CREATE, also_allowed=[pattern]), [CREATED, beat]).is_success
    noise = [ExpectedWrite.model_validate(pattern)]
    assert evaluate(key(CREATE), [CREATED, beat], noise=noise).is_success
    assert not evaluate(key(CREATE), [beat], noise=noise).is_success


def test_the_same_write_twice_is_one_too_many() -> None:
    assert not evaluate(key(CREATE), [CREATED, CREATED]).is_success
    assert evaluate(key(CREATE, CREATE), [CREATED, CREATED]).is_success
    assert not evaluate(key(CREATE, CREATE), [CREATED]).is_success


def test_order_counts_only_when_asked_for() -> None:
    assert evaluate(key(CREATE, ENROL), [ENROLLED, CREATED]).is_success
    verdict = evaluate(key(CREATE, ENROL, ordered=True), [ENROLLED, CREATED])
    assert not verdict.is_success
    assert "out of order" in verdict.missing[0]
    assert evaluate(key(CREATE, ENROL, ordered=True), [CREATED, ENROLLED]).is_success


def test_any_complete_alternative_will_do_and_a_mixture_will_not() -> None:
    one = {"method": "POST", "path": "/bulk/", "alternative": "bulk"}
    two = {"method": "POST", "path": "/first/", "alternative": "each"}
    three = {"method": "POST", "path": "/second/", "alternative": "each"}
    expected = key(CREATE, one, two, three)
    bulk, first, second = write(path="/bulk/"), write(path="/first/"), write(path="/second/")
    assert evaluate(expected, [CREATED, bulk]).is_success
    assert evaluate(expected, [first, CREATED, second]).is_success
    assert not evaluate(expected, [bulk]).is_success
    assert not evaluate(expected, [CREATED, first]).is_success
    assert not evaluate(expected, [CREATED, bulk, first]).is_success


@pytest.mark.parametrize(
    ("wanted", "status", "is_met"),
    [
        ("2xx", 200, True),
        ("2xx", 204, True),
        ("2xx", 302, False),
        ("2xx", 0, False),
        ("3xx", 302, True),
        ("3xx", 200, False),
        (201, 201, True),
        (201, 200, False),
    ],
)
def test_status_is_a_code_or_a_class(wanted: int | str, status: int, is_met: bool) -> None:
    expected = key({"method": "POST", "path": "/class/", "status": wanted})
    assert evaluate(expected, [write(status=status)]).is_success is is_met


@pytest.mark.parametrize(
    ("location", "is_met"),
    [
        ("/pages/", True),
        ("http://127.0.0.1:9/pages/?done=1", True),
        ("/pages/7/", False),
        ("/login/", False),
        ("", False),
    ],
)
def test_a_redirect_must_lead_where_it_should(location: str, is_met: bool) -> None:
    expected = key({"method": "POST", "path": "/class/", "status": 302, "redirect": "/pages/"})
    assert evaluate(expected, [write(status=302, location=location)]).is_success is is_met


@pytest.mark.parametrize(
    ("pattern", "path", "is_met"),
    [
        ("/class/*/", "/class/c7/", True),
        ("/class/*/", "/class/c7/?page=2", True),
        ("/class/*/", "/class//", False),
        ("/class/*/", "/class/c7/users/", False),
        ("/class/", "/class", False),
        ("/a.c/", "/abc/", False),
    ],
)
def test_a_star_in_a_path_is_one_segment(pattern: str, path: str, is_met: bool) -> None:
    expected = ExpectedWrite(method="post", path=pattern)
    assert (mismatch(expected, write(path=path)) is None) is is_met


def test_a_graphql_mutation_is_judged_by_name_and_by_its_body() -> None:
    expected = key({"method": "POST", "path": "/api", "operation": "CreateFacet"})

    def verdict(operation: str, answer: Any) -> Verdict:
        return evaluate(
            expected, [write(path="/api", status=200, operation=operation, answer=answer)]
        )

    assert verdict("CreateFacet", {"data": {"createFacet": {"__typename": "Facet"}}}).is_success
    assert verdict("CreateFacet", None).is_success
    other = verdict("CreateFacets", {"data": {}})
    assert "operation is CreateFacets" in other.explain()
    for answer in (
        {"errors": [{"message": "no"}], "data": None},
        {"data": {"createFacet": {"__typename": "SlugConflictError"}}},
    ):
        refused = verdict("CreateFacet", answer)
        assert not refused.is_success
        assert "refused in the response body" in refused.explain()


@pytest.mark.parametrize(
    ("expected", "observed", "is_met"),
    [
        (True, True, True),
        (True, 1, False),
        (1, True, False),
        (True, "true", False),
        ("true", True, False),
        ("5", 5, True),
        (5, "5", False),
        ("5", "5", True),
        ("x", "x ", False),
        (None, {"anything": 1}, True),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}, True),
        ({"a": {"b": 1}}, {"a": {"c": 1}}, False),
        ([1, 2], [1, 2], True),
        ([1, 2], [2, 1], False),
        ([1], [1, 2], False),
        ([], [], True),
        ([], None, False),
        ([{"a": 1}], [{"a": 1, "b": 2}], True),
        ({"$any": True}, "x", True),
        ({"$any": True}, "", False),
        ({"$any": True}, None, False),
        ({"a": {"$any": True}}, {}, False),
        ({"a": {"$absent": True}}, {}, True),
        ({"a": {"$absent": True}}, {"a": None}, False),
        ({"$length": 2}, [1, 2], True),
        ({"$length": 2}, "abc", False),
        ({"$length": 2}, 2, False),
        ({"$contains": "b"}, "abc", True),
        ({"$contains": "b"}, ["a", "b"], True),
        ({"$contains": "b"}, ["abc"], False),
        ({"$contains": "b"}, None, False),
        ({"$starts_with": "ab"}, "abc", True),
        ({"$starts_with": "b"}, "abc", False),
        ({"$starts_with": ""}, None, False),
        ({"$regex": r"\d+"}, "12", True),
        ({"$regex": r"\d+"}, "12a", False),
        ({"$json": '{"a": true}'}, {"a": True}, True),
        ({"$json": '{"a": true, "b": null}'}, {"b": None, "a": True}, True),
        ({"$json": '{"a": true}'}, {"a": True, "b": 1}, False),
        ({"$json": '{"a": true}'}, {"a": 1}, False),
        ({"$json": "null"}, None, True),
        ({"a": {"$json": "null"}}, {}, False),
    ],
)
def test_bodies_match_as_subsets_with_matchers(expected: Any, observed: Any, is_met: bool) -> None:
    assert (body_difference(expected, observed) is None) is is_met


def test_the_difference_names_the_place() -> None:
    found = body_difference({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]})
    assert found == "body.a[1].b is 3"


def test_a_faulty_answer_key_is_an_error_not_a_failure() -> None:
    with pytest.raises(EvaluateError, match=r"\$like; known are \$any"):
        body_difference({"$like": "x"}, "x")
    with pytest.raises(EvaluateError, match="holds no JSON"):
        body_difference({"$json": "{"}, {})


def test_the_database_must_agree() -> None:
    check = DatabaseCheck(query="SELECT n FROM class WHERE name = :name", equals=1)
    expected = key(CREATE, database=[check.model_dump()])
    asked: list[tuple[str, Mapping[str, Any]]] = []

    def answering(rows: list[tuple[Any, ...]]) -> Verdict:
        def query(sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
            asked.append((sql, params))
            return rows

        return evaluate(expected, [CREATED], query=query, parameters={"name": "Latin"})

    good = answering([(1,)])
    assert good.is_success
    assert good.database_ok is True
    assert asked == [(check.query, {"name": "Latin"})]
    for rows in ([(2,)], [(None,)], [], [(True,)]):
        bad = answering(rows)
        assert bad.network_ok
        assert bad.database_ok is False
        assert not bad.is_success
        assert bad.database[0].startswith(check.query)
        assert "not 1" in bad.explain()


def test_a_database_that_agrees_does_not_excuse_the_network() -> None:
    check = {"query": "SELECT 1", "equals": 1}
    verdict = evaluate(key(CREATE, database=[check]), [], query=lambda sql, params: [(1,)])
    assert verdict.database_ok is True
    assert not verdict.is_success
