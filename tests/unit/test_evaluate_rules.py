"""The finer rules of the evaluator: addresses, forms, batches, responses, pairing, explanations."""

from __future__ import annotations

from typing import Any

import pytest

from odokit.errors import EvaluateError
from odokit.evaluate import Verdict, body_difference, evaluate, mismatch
from odokit.events import Event, EventKind, Request, Response
from odokit.tasks import Expectation, ExpectedWrite, TaskFile, bind

BASE = "http://127.0.0.1:9"
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"


def write(
    path: str = "/class/",
    body: Any = None,
    *,
    method: str = "POST",
    kind: str = "application/json",
    operation: str = "",
    response: Response | None = Response(status=200),  # noqa: B008 - frozen
) -> Event:
    return Event(
        kind=EventKind.GRAPHQL_MUTATION if operation else EventKind.REST_CALL,
        idx=0,
        t_ms=0,
        url=BASE,
        request=Request(
            method=method, url=BASE + path, content_type=kind, body=body, operation=operation
        ),
        response=response,
    )


def expected(path: str = "/class/", **others: Any) -> ExpectedWrite:
    return ExpectedWrite.model_validate({"method": "POST", "path": path, **others})


def judge(writes: list[dict[str, Any]], seen: list[Event], **others: Any) -> Verdict:
    return evaluate(Expectation.model_validate({"writes": writes, **others}), seen)


@pytest.mark.parametrize(
    ("pattern", "path", "reason"),
    [
        ("/a/?page=2", "/a/?page=2", None),
        ("/a/?page=2", "/a/?q=x&page=2", None),
        ("/a/?page=2", "/a/?page=1&page=2", None),
        ("/a/?page=2", "/a/?page=3", "query page is '3'"),
        ("/a/?page=2", "/a/", "query has no page"),
        ("/a/?page=2&q=x", "/a/?page=2", "query has no q"),
        ("/a/?page=2", "/b/?page=2", "path is /b/"),
        ("/a/?next=/take/*", "/a/?next=%2Ftake%2F7%2Fend", None),
        ("/a/?next=/take/*", "/a/?next=%2Ftake%2F", "query next is '/take/'"),
        ("/a/?q=two+words", "/a/?q=two%20words", None),
        ("/a/?q=", "/a/?q=", None),
        ("/a/?q=", "/a/?q=x", "query q is 'x'"),
        ("/a/b%20c/", "/a/b%20c/", None),
        ("/a/*/", "/a/b%2Fc/", None),
        ("/a/%2A/", "/a/*/", None),
        ("/a/%2A/", "/a/b/", "path is /a/b/"),
        ("/a/n-*/", "/a/n-12/", None),
        ("/a/n-*/", "/a/m-12/", "path is /a/m-12/"),
    ],
)
def test_query_parameters_are_a_subset_and_segments_are_read_decoded(
    pattern: str, path: str, reason: str | None
) -> None:
    assert mismatch(expected(pattern), write(path)) == reason


def test_values_in_a_path_are_escaped_when_bound() -> None:
    tasks = TaskFile.model_validate(
        {
            "app": "x",
            "templates": [
                {
                    "id": "t",
                    "role": "r",
                    "text": "Do {title}",
                    "expect": {
                        "writes": [
                            {
                                "method": "POST",
                                "path": "/p/{title}/?q={title}",
                                "redirect": "/p/{title}/",
                                "body": {"field_{title}": "{title}"},
                                "answer": {"ok": "{title}"},
                            }
                        ]
                    },
                    "instances": [{"id": "i", "use": "execute", "values": {"title": "a/b * c"}}],
                }
            ],
        }
    )
    (wanted,) = bind(*tasks.find("i"), lambda sql, values: []).writes
    assert wanted.body == {"field_a/b * c": "a/b * c"}
    good = write(
        "/p/a%2Fb%20*%20c/?q=a/b+*+c",
        {"field_a/b * c": "a/b * c"},
        response=Response(status=200, body={"ok": "a/b * c"}, location="/p/a%2Fb%20*%20c/"),
    )
    assert mismatch(wanted, good) is None
    assert mismatch(wanted, write("/p/a%2Fb%20d%20c/?q=a/b+*+c")) == "path is /p/a%2Fb%20d%20c/"


@pytest.mark.parametrize(
    ("method", "body", "is_met"),
    [
        ("DELETE", None, True),
        ("POST", {"_method": "delete"}, True),
        ("POST", {"_method": ""}, False),
        ("POST", {"_method": "PUT"}, False),
        ("POST", None, False),
        ("PUT", {"_method": "DELETE"}, False),
    ],
)
def test_a_post_may_say_another_method(method: str, body: Any, is_met: bool) -> None:
    wanted = expected(method="DELETE")
    assert (mismatch(wanted, write(body=body, method=method)) is None) is is_met


@pytest.mark.parametrize(
    ("kind", "pattern", "body", "is_met"),
    [
        (FORM, {"room": 5}, {"room": "5"}, True),
        (FORM, {"room": 5}, {"room": "6"}, False),
        (FORM, {"rooms": [5, 6]}, {"rooms": ["5", "6"]}, True),
        (FORM, {"name": {"$length": 2}}, {"name": "ab"}, True),
        (FORM, {"on": True}, {"on": "true"}, False),
        (MULTIPART, {"room": 5, "scan": {"file": "a.png"}}, None, False),
        (MULTIPART, {"room": 5}, {"room": "5", "scan": {"file": "a.png", "bytes": 3}}, True),
        (
            MULTIPART,
            {"scan": {"file": "a.png"}},
            {"room": "5", "scan": {"file": "a.png", "bytes": 3}},
            True,
        ),
        (
            MULTIPART,
            {"scan": {"file": "b.png"}},
            {"scan": {"file": "a.png", "bytes": 3}},
            False,
        ),
        ("application/json", {"room": 5}, {"room": "5"}, False),
        ("application/json", {"room": 5}, {"room": 5}, True),
    ],
)
def test_a_form_sends_text(kind: str, pattern: Any, body: Any, is_met: bool) -> None:
    found = mismatch(expected(body=pattern), write(body=body, kind=kind))
    assert (found is None) is is_met


@pytest.mark.parametrize(
    ("pattern", "observed", "is_met"),
    [
        ({"$items": ["1"]}, ["1"], True),
        ({"$items": ["1"]}, "1", True),
        ({"$items": ["1", "2"]}, ["1", "2"], True),
        ({"$items": ["1", "2"]}, ["2", "1"], False),
        ({"$items": ["1"]}, ["1", "2"], False),
        ({"$items": ["1", "2"]}, "1", False),
        ({"$items": []}, None, False),
        ({"a": {"$items": []}}, {}, False),
        ({"$items": [{"$any": True}]}, ["x"], True),
        ({"$has": "1"}, ["0", "1"], True),
        ({"$has": "1"}, "1", True),
        ({"$has": "1"}, "10", False),
        ({"$has": "1"}, ["10"], False),
        ({"$has": {"id": 1}}, [{"id": 1, "n": 2}], True),
        ({"a": {"$has": "1"}}, {}, False),
        ({"$lacks": "1"}, ["0", "10"], True),
        ({"$lacks": "1"}, ["0", "1"], False),
        ({"$lacks": "1"}, "1", False),
        ({"$lacks": "1"}, [], True),
        ({"a": {"$lacks": "1"}}, {}, False),
        ({"$deep": {"a": 1}}, {"x": {"a": 1}}, True),
        ({"$deep": {"a": 1}}, {"a": 1}, True),
        ({"$deep": {"a": 1}}, [{"x": [{"a": 1}]}], True),
        ({"$deep": {"a": 1}}, {"a": 2, "x": {"a": 1}}, True),
        ({"$deep": {"a": 1}}, {"x": {"a": 2}}, False),
        ({"$deep": {"a": 1, "b": 2}}, {"x": {"a": 1}, "y": {"b": 2}}, True),
        ({"$deep": {"a": 1, "b": 2}}, {"x": {"a": 1}}, False),
        ({"$deep": {"a": {"$absent": True}}}, {"x": {"b": 2}}, True),
        ({"$deep": {"a": {"$absent": True}}}, {"x": {"a": 2}}, False),
        ({"$deep": {"a": 1}}, "a", False),
    ],
)
def test_lists_of_a_form_and_values_at_any_depth(pattern: Any, observed: Any, is_met: bool) -> None:
    assert (body_difference(pattern, observed) is None) is is_met


def test_the_difference_of_a_deep_value_names_the_key() -> None:
    assert body_difference({"$deep": {"a": 1}}, {"x": {"a": 2}}) == "body..a is 2"
    assert body_difference({"$deep": {"a": 1}}, {}) == "body..a is missing"
    with pytest.raises(EvaluateError, match=r"\$deep takes a mapping"):
        body_difference({"$deep": "a"}, {})


@pytest.mark.parametrize(
    ("status", "response", "reason"),
    [
        ("ok", Response(status=200), None),
        ("ok", Response(status=302), None),
        ("ok", Response(status=404), "status is 404"),
        ("ok", Response(status=0), "status is 0"),
        ("ok", None, "no response was seen"),
        ("not_refused", None, None),
        ("not_refused", Response(status=302), None),
        ("not_refused", Response(status=422), "status is 422"),
        ("not_refused", Response(status=0), "status is 0"),
    ],
)
def test_status_classes(status: str, response: Response | None, reason: str | None) -> None:
    assert mismatch(expected(status=status), write(response=response)) == reason


def test_a_redirect_may_need_a_query() -> None:
    wanted = expected(status="3xx", redirect="/login/?next=*")
    there = Response(status=302, location=f"{BASE}/login/?next=/a")
    assert mismatch(wanted, write(response=there)) is None
    bare = Response(status=302, location=f"{BASE}/login/")
    assert mismatch(wanted, write(response=bare)) == f"it redirects to {BASE}/login/"


def test_the_answer_of_the_application_is_judged_too() -> None:
    wanted = expected(answer={"data": {"remove": {"result": "DELETED"}}})
    kept = Response(status=200, body={"data": {"remove": {"result": "NOT_DELETED"}}})
    gone = Response(status=200, body={"data": {"remove": {"result": "DELETED", "n": 1}}})
    assert mismatch(wanted, write(response=gone)) is None
    assert mismatch(wanted, write(response=kept)) == "answer.data.remove.result is 'NOT_DELETED'"
    assert mismatch(wanted, write()) == "answer is None, not an object"


@pytest.mark.parametrize(
    ("data", "is_refused"),
    [
        ({"add": {"id": 1, "errors": None}}, False),
        ({"add": {"id": 1, "errors": []}}, False),
        ({"add": {"errors": [{"message": "is invalid"}]}}, True),
        ({"add": [{"__typename": "Tag"}, {"__typename": "TagTakenError"}]}, True),
        ({"add": [{"__typename": "Tag"}]}, False),
        (None, False),
    ],
)
def test_a_refused_mutation_has_status_200(data: Any, is_refused: bool) -> None:
    seen = write("/api", operation="Add", response=Response(status=200, body={"data": data}))
    assert (mismatch(expected("/api", operation="Add"), seen) is not None) is is_refused


def mutation(name: str, **variables: Any) -> dict[str, Any]:
    query = f"mutation {name}($x: ID) {{ run(x: $x) {{ id }} }}"
    return {"operationName": name, "query": query, "variables": variables}


QUERY = {"operationName": "Me", "query": "query Me { me { id } }", "variables": {}}
ADD = {"method": "POST", "path": "/api", "operation": "Add", "body": {"variables": {"x": "1"}}}
TAG = {"method": "POST", "path": "/api", "operation": "Tag", "body": {"variables": {"x": "2"}}}


def batch(*items: Any, answers: Any = None) -> Event:
    names = "+".join(i["operationName"] for i in items if i is not QUERY)
    response = Response(status=200, body=answers)
    return write("/api", list(items), operation=names, response=response)


def test_each_mutation_of_a_batch_is_a_write() -> None:
    both = batch(mutation("Add", x="1"), QUERY, mutation("Tag", x="2"))
    assert judge([ADD, TAG], [both]).is_success
    assert judge([TAG, ADD], [both]).is_success
    assert judge([ADD, TAG], [both], ordered=True).is_success
    assert not judge([TAG, ADD], [both], ordered=True).is_success
    alone = judge([ADD], [both])
    assert not alone.is_success
    assert len(alone.extra) == 1
    assert "(Tag) 200" in alone.extra[0]
    other = judge([ADD, TAG], [batch(mutation("Add", x="1"), mutation("Tag", x="3"))])
    assert "body.variables.x is '3'" in other.missing[0]


def test_each_mutation_of_a_batch_has_its_own_answer() -> None:
    items = mutation("Add", x="1"), mutation("Tag", x="2")
    good, bad = {"data": {"run": {"id": 1}}}, {"errors": [{"message": "no"}]}
    assert judge([ADD, TAG], [batch(*items, answers=[good, good])]).is_success
    half = judge([ADD, TAG], [batch(*items, answers=[good, bad])])
    assert len(half.matched) == 1
    assert "refused in the response body" in half.missing[0]
    whole = judge([ADD, TAG], [batch(*items, answers=bad)])
    assert len(whole.missing) == 2


def test_a_lax_expectation_does_not_take_the_write_of_a_strict_one() -> None:
    lax = {"method": "POST", "path": "/class/"}
    strict = {**lax, "body": {"name": "Latin"}}
    seen = [write(body={"name": "Latin"}), write(body={"name": "Greek"})]
    for order in ([lax, strict], [strict, lax]):
        assert judge(order, seen).is_success
        assert judge(order, seen[::-1]).is_success
    assert judge([lax, strict], seen[::-1], ordered=True).is_success
    assert not judge([lax, strict], seen, ordered=True).is_success


def test_of_two_complete_alternatives_the_one_that_explains_more_counts() -> None:
    one = {"method": "POST", "path": "/a", "alternative": "short"}
    two = [{"method": "POST", "path": p, "alternative": "long"} for p in ("/a", "/b")]
    assert judge([one, *two], [write("/a"), write("/b")]).is_success
    assert judge([one, *two], [write("/a")]).is_success
    failed = judge([one, *two], [write("/b")])
    assert "[alternative " in failed.missing[0]


def test_noise_counts_where_it_is_expected() -> None:
    save = expected("/save")
    key = Expectation(writes=(expected("/save", body={"x": 1}),))
    assert evaluate(key, [write("/save", {"x": 1}), write("/save", {})], noise=[save]).is_success
    lost = evaluate(key, [write("/save", {})], noise=[save])
    assert not lost.is_success
    assert lost.extra == ()
    assert lost.missing == ("POST /save: none of the 0 observed writes has this method and path",)


def test_the_verdict_sums_up_and_names_the_nearest_miss() -> None:
    wanted = {"method": "POST", "path": "/class/7/", "body": {"name": "Latin"}}
    assert judge([wanted], [write("/class/7/", {"name": "Latin"})]).explain() == (
        "success: 1 of 1 expected writes seen, 0 unexpected\n"
        "matched: POST /class/7/ <- POST /class/7/ 200 {'name': 'Latin'}"
    )
    spelt, patched, elsewhere = (
        write("/class/7/", {"name": "Latn"}),
        write("/class/7/", {"name": "Latin"}, method="PATCH"),
        write("/class/8/", {"name": "Latin"}),
    )
    verdict = judge([wanted], [write("/log/"), elsewhere, patched, spelt])
    assert verdict.explain().startswith(
        "failure: 0 of 1 expected writes seen, 4 unexpected\n"
        "missing: POST /class/7/: nearest was POST /class/7/ 200 {'name': 'Latn'}, "
        "but body.name is 'Latn'\n"
        "extra: POST /log/ 200 None"
    )
    by_method = judge([wanted], [write("/log/"), elsewhere, patched])
    assert by_method.missing[0].endswith(
        "none of the 3 observed writes has this method and path; nearest was "
        "PATCH /class/7/ 200 {'name': 'Latin'}, but method is PATCH"
    )
    by_path = judge([wanted], [write("/log/"), elsewhere])
    assert by_path.missing[0].endswith(
        "nearest was POST /class/8/ 200 {'name': 'Latin'}, but path is /class/8/"
    )


def test_the_verdict_says_what_is_once_too_often_and_what_is_out_of_order() -> None:
    wanted = {"method": "POST", "path": "/class/"}
    twice = judge([wanted], [write(), write()])
    assert twice.extra == ("POST /class/ 200 None: meets POST /class/, but once too often",)
    missing = judge([wanted, wanted], [write()])
    assert missing.missing[0].endswith("but that meets POST /class/")
    later = {"method": "POST", "path": "/member/"}
    swapped = judge([wanted, later], [write("/member/"), write()], ordered=True)
    assert swapped.missing[0].endswith("but it is out of order")
    assert swapped.extra[0].endswith("meets POST /member/, but out of order")
