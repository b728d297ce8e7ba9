"""Secrets are replaced by name, by value, in every spelling; settings and texts stay."""

from __future__ import annotations

from typing import Any

import pytest

from odokit.record.redact import digest, find_typed, redact, redact_text, redact_url

KNOWN = ('a"b &<c',)


@pytest.mark.parametrize(
    ("value", "redacted"),
    [
        ({"password": "x", "user": "ada"}, {"password": "{{secret:password}}", "user": "ada"}),
        ({"a": [{"csrfToken": 12}]}, {"a": [{"csrfToken": "{{secret:csrfToken}}"}]}),
        (
            {"user_pin": "1234", "spinning": "1"},
            {"user_pin": "{{secret:user_pin}}", "spinning": "1"},
        ),
        ({"pwd": "x", "pw": ["y", "z"]}, {"pwd": "{{secret:pwd}}", "pw": ["{{secret:pw}}"] * 2}),
        ({"login_with_no_password": True}, {"login_with_no_password": True}),
        ({"password": "", "token": None}, {"password": "", "token": None}),
        ([f"x {KNOWN[0]} y"], ["x {{secret:known}} y"]),
        ({KNOWN[0]: 1}, {"{{secret:known}}": 1}),
        (7, 7),
    ],
)
def test_bodies(value: Any, redacted: Any) -> None:
    assert redact(value, KNOWN) == redacted


@pytest.mark.parametrize(
    "text",
    [
        'a"b &<c',
        "a&quot;b &amp;&lt;c",
        'a"b &amp;&lt;c',
        "a%22b%20%26%3Cc",
        "a%22b+%26%3Cc",
        'a\\"b &<c',
    ],
)
def test_a_known_secret_goes_in_every_spelling(text: str) -> None:
    assert redact_text(f"<p>{text}</p>", KNOWN) == "<p>{{secret:known}}</p>"


def test_the_longer_of_two_secrets_goes_first() -> None:
    assert redact_text("hunter22", ("hunter", "hunter22")) == "{{secret:known}}"
    assert redact_text("nothing", ("",)) == "nothing"


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("http://h/a?x=1&token=s3", "http://h/a?x=1&token={{secret:token}}"),
        ("http://h/a?q=a%22b+%26%3Cc#f", "http://h/a?q={{secret:known}}#f"),
        ("http://h/a%22b%20%26%3Cc/b", "http://h/{{secret:known}}/b"),
        ("http://h/#/r?sessionId=1", "http://h/#/r?sessionId=1"),
        ("http://h/a", "http://h/a"),
    ],
)
def test_addresses(url: str, redacted: str) -> None:
    assert redact_url(url, KNOWN) == redacted


def test_a_typed_secret_is_known_again_by_its_digest() -> None:
    typed = [digest("s3same!"), digest("abc")]
    assert find_typed(["user", "s3same!", "s3same", "abc"], typed) == {"s3same!"}


def test_the_digest_is_fnv_1a_over_utf_16() -> None:
    # Of "a" and "foobar" the published 32-bit values; a letter beyond the plane counts twice.
    assert digest("a") == (1, 0xE40C292C)
    assert digest("foobar") == (6, 0xBF9CF968)
    assert digest("😀")[0] == 2
