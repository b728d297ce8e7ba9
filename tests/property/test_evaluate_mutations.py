"""Any way to spoil an episode that meets its answer key makes it a failure."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from odokit.evaluate import evaluate
from odokit.events import Event, EventKind, Request, Response
from odokit.tasks import Expectation, ExpectedWrite

BASE = "http://127.0.0.1:9"
METHODS = ("POST", "PUT", "PATCH", "DELETE")
KINDS = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
Place = tuple[str | int, ...]

words = st.text("abcdefghij", min_size=1, max_size=6)
scalars = st.one_of(words, st.integers(-9, 9), st.booleans())
bodies = st.dictionaries(
    words,
    st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=3)
        ),
        max_leaves=6,
    ),
    min_size=1,
    max_size=4,
)
paths = st.lists(words, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts) + "/")


@st.composite
def met_keys(draw: st.DrawFn) -> tuple[list[ExpectedWrite], list[Event], bool]:
    """An answer key, the writes that meet it, and whether their order counts."""
    n = draw(st.integers(1, 3))
    # Different paths, so that no write can stand in for another.
    keys = [
        ExpectedWrite(
            method=draw(st.sampled_from(METHODS)),
            path=f"/{i}{draw(paths)}{draw(st.sampled_from(['', '?page=2']))}",
            body=draw(bodies),
            status=draw(st.sampled_from(["2xx", "ok", 200])),
        )
        for i in range(n)
    ]
    return keys, [draw(_met_by(key)) for key in keys], draw(st.booleans())


@st.composite
def _met_by(draw: st.DrawFn, key: ExpectedWrite) -> Event:
    more = draw(st.dictionaries(words.map(lambda w: f"more_{w}"), scalars, max_size=2))
    kind = draw(st.sampled_from(KINDS))
    body = {**copy.deepcopy(key.body), **more}
    if kind != KINDS[0]:
        body = _as_text(body)
    return Event(
        kind=EventKind.REST_CALL,
        idx=0,
        t_ms=0,
        url=BASE,
        request=Request(method=key.method, url=BASE + key.path, content_type=kind, body=body),
        response=Response(status=200),
    )


def _as_text(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _as_text(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_as_text(v) for v in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def leaves(value: Any, place: Place = ()) -> Iterator[Place]:
    """Places of everything in a body that an answer key can ask for."""
    if place:
        yield place
    inside = value.items() if isinstance(value, dict) else ()
    inside = enumerate(value) if isinstance(value, list) else inside
    for key, inner in inside:
        yield from leaves(inner, (*place, key))


def changed(body: Any, place: Place, *, remove: bool) -> Any:
    """A copy of a body with one place changed or removed."""
    body = copy.deepcopy(body)
    holder = body
    for step in place[:-1]:
        holder = holder[step]
    if remove:
        del holder[place[-1]]
    else:
        holder[place[-1]] = "SPOILT"  # not among the words drawn
    return body


def with_request(event: Event, **changes: Any) -> Event:
    assert event.request is not None
    return event.model_copy(update={"request": event.request.model_copy(update=changes)})


@settings(max_examples=150, deadline=None)
@given(met_keys(), st.data())
def test_every_spoilt_episode_is_a_failure(
    met: tuple[list[ExpectedWrite], list[Event], bool], data: st.DataObject
) -> None:
    keys, events, ordered = met
    expectation = Expectation(writes=tuple(keys), ordered=ordered)
    good = evaluate(expectation, events)
    assert good.is_success, good.explain()

    n = data.draw(st.integers(0, len(events) - 1), label="which write")
    event = events[n]
    assert event.request is not None
    place = data.draw(st.sampled_from(list(leaves(keys[n].body))), label="which value")
    split = event.request.url.partition("?")
    spoilt = {
        "other method": with_request(
            event, method=data.draw(st.sampled_from([m for m in METHODS if m != keys[n].method]))
        ),
        "other path": with_request(event, url=f"{split[0]}x/{split[1]}{split[2]}"),
        "shorter path": with_request(event, url=split[0].rstrip("/") + split[1] + split[2]),
        "refused": event.model_copy(update={"response": Response(status=400)}),
        "server error": event.model_copy(update={"response": Response(status=500)}),
        "unanswered": event.model_copy(update={"response": None}),
        "value changed": with_request(event, body=changed(event.request.body, place, remove=False)),
        "value removed": with_request(event, body=changed(event.request.body, place, remove=True)),
        "no body": with_request(event, body=None),
    }
    if split[1]:
        spoilt["other query"] = with_request(event, url=f"{split[0]}?page=3")
        spoilt["no query"] = with_request(event, url=split[0])
    for what, other in spoilt.items():
        verdict = evaluate(expectation, [*events[:n], other, *events[n + 1 :]])
        assert not verdict.is_success, f"{what}: {other.request}"
        assert verdict.missing, what
        assert verdict.extra, what
    left_out = evaluate(expectation, events[:n] + events[n + 1 :])
    assert not left_out.is_success
    assert left_out.missing
    for extra in (event, spoilt["other path"], spoilt["other method"]):
        twice = evaluate(expectation, [*events, extra])
        assert not twice.is_success
        assert twice.extra
    if ordered and len(events) > 1:
        assert not evaluate(expectation, events[::-1]).is_success
