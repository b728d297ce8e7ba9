"""Laws of values: what was put into a text comes out of it; what is secret never does."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, quote, quote_plus, urlsplit

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from odokit.decide.alignment import make_template
from odokit.decide.bindings import bind_text
from odokit.record.redact import digest, redact, redact_text, redact_url

EXAMPLES = settings(deadline=None, max_examples=150)
# Values as people write them, of letters that occur in no wording below.
VALUE_WORD = st.text("abcXYZéß059", min_size=1, max_size=6)
VALUE = st.lists(VALUE_WORD, min_size=1, max_size=3).map(" ".join)
LITERAL = st.lists(st.text("mnopq", min_size=2, max_size=5), min_size=1, max_size=3).map(" ".join)
SLOTS = ("first", "second", "third")
# Digits and punctuation that JSON, HTML and addresses all spell differently.
SECRET = st.text("hunter2 &<>\"'+%/=?#ü\\", min_size=6, max_size=12).filter(
    lambda s: s == s.strip() and len(set(s)) >= 4
)


@st.composite
def wordings(draw: st.DrawFn) -> tuple[str, list[dict[str, str]]]:
    """A wording with up to three slots, and two sets of values."""
    n = draw(st.integers(1, 3))
    parts = [draw(LITERAL)]
    for slot in SLOTS[:n]:
        mark = draw(st.sampled_from(["", '"']))
        parts.append(f"{mark}{{{slot}}}{mark} {draw(LITERAL)}")
    values = [{slot: draw(VALUE) for slot in SLOTS[:n]} for _ in range(2)]
    return " ".join(parts), values


def overlapping(values: dict[str, str]) -> bool:
    """Whether one value is part of another, so that no one can say which is meant."""
    texts = [f" {value} " for value in values.values()]
    return any(a in b for i, a in enumerate(texts) for j, b in enumerate(texts) if i != j)


@EXAMPLES
@given(wordings())
def test_alignment_gives_back_what_the_wording_was_filled_with(
    drawn: tuple[str, list[dict[str, str]]],
) -> None:
    wording, (old, new) = drawn
    assume(not overlapping(old))
    template = make_template(wording.format(**old), old)
    assert template.align(wording.format(**new)) == new
    assert template.align(wording.format(**old) + ".") == old
    assert template.align("zz " + wording.format(**new)) is None


@EXAMPLES
@given(wordings())
@example(
    ("{first} {second}", [{"first": "{second}", "second": "b"}, {"first": "x", "second": "y"}])
)
def test_a_bound_text_filled_with_its_own_values_is_itself(
    drawn: tuple[str, list[dict[str, str]]],
) -> None:
    wording, (old, new) = drawn
    text = wording.format(**old)
    binding = bind_text(text, old)
    assert binding.fill(old) == text
    assert set(binding.slots) <= set(old)
    if not overlapping(old) and all(len(v) > 1 for v in old.values()):
        assert binding.fill(new) == wording.format(**new)


@EXAMPLES
@given(st.text(max_size=30), st.dictionaries(st.sampled_from(SLOTS), st.text(max_size=8)))
def test_any_text_with_any_values_is_filled_with_itself(text: str, values: dict[str, str]) -> None:
    assert bind_text(text, values).fill(values) == text


LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=6)


@st.composite
def planted(draw: st.DrawFn) -> tuple[str, Any]:
    """A secret, and a JSON value that holds it in many places."""
    secret = draw(SECRET)
    around = st.builds(lambda a, b: f"{a}{secret}{b}", st.text("xy ", max_size=3), st.text("xy "))
    value = draw(
        st.recursive(
            LEAF | around,
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.text("kmn", max_size=3) | around, inner, max_size=3)
            ),
            max_leaves=10,
        )
    )
    return secret, value


@EXAMPLES
@given(planted())
def test_redaction_leaves_no_planted_secret(drawn: tuple[str, Any]) -> None:
    secret, value = drawn
    assume(secret not in "{{secret:known}}")
    clean = redact(value, (secret,))
    flat = json.dumps(clean, ensure_ascii=False)
    assert secret not in flat and json.dumps(secret, ensure_ascii=False)[1:-1] not in flat


@EXAMPLES
@given(SECRET, st.sampled_from(["q", "token", "next"]))
def test_no_address_keeps_a_secret(secret: str, key: str) -> None:
    assume(secret not in "{{secret:known}}")
    for spelled in (quote(secret, safe=""), quote_plus(secret)):
        url = redact_url(f"http://h/{quote(secret)}?{key}={spelled}&n=1", (secret,))
        assert spelled not in url and quote(secret) not in url
        held = parse_qs(urlsplit(url).query)
        assert secret not in held[key][0] and held["n"] == ["1"]


@EXAMPLES
@given(st.text(max_size=20))
def test_text_without_secrets_stays(text: str) -> None:
    assert redact_text(text, ("absent-secret",)) == text
    assert redact(text) == text


@EXAMPLES
@given(st.text(max_size=20), st.text(max_size=20))
def test_a_digest_tells_texts_apart(one: str, other: str) -> None:
    assert (digest(one) == digest(other)) == (one == other)
