"""Secrets are replaced by name, by value, in every spelling; settings and texts stay."""

from __future__ import annotations

import base64
import html
import json
from typing import Any
from urllib.parse import quote

import pytest

from odokit.errors import ConfigError
from odokit.record.redact import Redactor, digest, parts_of, redact, redact_text, redact_url
from odokit.record.spellings import base64_pieces, spellings

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
    redactor = Redactor()
    assert not redactor.has_typed
    redactor.note_typed("word", digest("s3s"), "word")
    redactor.note_typed("word", digest("s3same!"), "word")
    redactor.note_typed("pin", digest("abc"), "pin")
    assert redactor.has_typed
    redactor.learn_sent(["user", "s3same!", "s3same", "abc", "s3s"])
    text = "user s3same! s3same abc s3s"
    assert redactor.text(text) == "user {{secret:word}} s3same abc s3s", "too short, or replaced"


def test_a_named_secret_goes_by_its_name() -> None:
    redactor = Redactor({"shop-key": "k-1", "pin": "4711"})
    assert redactor.value({"a": "k-1 4711", "b": 4711, "c": 47110, "d": 1.5}) == {
        "a": "{{secret:shop-key}} {{secret:pin}}",
        "b": "{{secret:pin}}",
        "c": 47110,
        "d": 1.5,
    }


def test_a_placeholder_is_not_redacted_again() -> None:
    redactor = Redactor(("secret", "known", "token"))
    once = redactor.text("a secret token known")
    assert once == "a {{secret:known}} {{secret:known}} {{secret:known}}"
    assert redactor.text(once) == once
    assert redactor.value({"token": "{{secret:login}}"}) == {"{{secret:known}}": "{{secret:login}}"}


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Card 4111 1111 1111 1111, ok", "Card {{secret:card}}, ok"),
        ("4111-1111-1111-1111", "{{secret:card}}"),
        ("378282246310005", "{{secret:card}}"),
        ("4111 1111 1111 1112", "4111 1111 1111 1112"),
        ("order 1234567812345670", "order 1234567812345670"),
        ("id-4111111111111111", "id-4111111111111111"),
        (
            "see eyJhbGciOiJI.eyJzdWIiOiIx.SflKxwRJSM and",
            "see {{secret:token}} and",
        ),
        ("Authorization: Bearer abc123def456ghi", "Authorization: Bearer {{secret:token}}"),
        ("Basic information-about-it", "Basic information-about-it"),
        ("my ghp_16C7e42F292c6912E7710c838347Ae17", "my {{secret:token}}"),
        ("sk-fading-circle-spinner", "sk-fading-circle-spinner"),
        ("/cb#access_token=ya1-b2c3d4&state=7", "/cb#access_token={{secret:token}}&state=7"),
        ('{"apiKey": "k1k2k3", "n": 1}', '{"apiKey": "{{secret:token}}", "n": 1}'),
        ("ada@example.org", "ada@example.org"),
    ],
)
def test_some_secrets_are_told_by_their_looks(text: str, redacted: str) -> None:
    assert redact_text(text) == redacted
    assert redact_text(redacted) == redacted


def test_rules_can_be_chosen() -> None:
    text = "ada@example.org 4111111111111111"
    assert Redactor(rules=()).text(text) == text
    assert Redactor(rules=("email",)).text(text) == "{{secret:email}} 4111111111111111"
    assert Redactor(rules=("card",)).value([4111111111111111, 7]) == ["{{secret:card}}", 7]
    with pytest.raises(ConfigError, match="called cards; there are token, card, email"):
        Redactor(rules=("cards",))


def test_values_under_secret_keys_are_learnt() -> None:
    redactor = Redactor()
    body = {"token": "a1b2c3d4e5", "token_type": "bearer", "items": [{"api_key": ["k9k8k7k6"]}]}
    body |= {"token_until": "2026-11-30T10:00", "name": "a1b2c3d4", "session_id": "5e55i0n1d"}
    redactor.learn_keyed(body)
    text = "a1b2c3d4e5 bearer k9k8k7k6 2026-11-30T10:00 5e55i0n1d"
    assert redactor.text(text) == (
        "{{secret:token}} bearer {{secret:api_key}} 2026-11-30T10:00 5e55i0n1d"
    )


def test_of_many_values_under_secret_keys_the_oldest_are_forgotten() -> None:
    redactor = Redactor(("given-1",))
    for i in range(40):
        redactor.learn_keyed({"csrf": f"abcdefgh{i:02}"})
    assert redactor.text("given-1 abcdefgh00 abcdefgh39") == (
        "{{secret:known}} abcdefgh00 {{secret:csrf}}"
    )


def test_only_what_was_learnt_since_is_looked_for() -> None:
    redactor = Redactor(("first",))
    since = redactor.n_learnt
    redactor.learn("second", "two")
    assert redactor.markup("first second", since=since) == "first {{secret:two}}"


@pytest.mark.parametrize("around", ["", "a", "ab", "abc"])
def test_base64_hides_nothing(around: str) -> None:
    written = base64.b64encode(f"{around}:s3cr\u00e9t+/?~:{around}".encode()).decode()
    assert "{{secret:known}}" in redact_text(written, ("s3cr\u00e9t+/?~",))
    assert all(len(piece) >= 6 for piece in base64_pieces("secret"))


def test_one_spelling_within_another() -> None:
    secret = 'a"b<\u00e9>'
    forms = spellings(secret)
    assert json.dumps(json.dumps(secret)[1:-1])[1:-1] in forms
    assert json.dumps(html.escape(secret, quote=False))[1:-1] in forms
    assert quote(quote(secret, safe=""), safe="") in forms
    assert list(forms) == sorted(forms, key=lambda f: (-len(f), f))


def test_the_page_gets_rules_that_it_can_read() -> None:
    rules = json.loads(json.dumps(Redactor({"pin": "47 11"}).page_rules()))
    assert ["47%2011", "{{secret:pin}}"] in rules["known"]
    assert {name for name, _ in rules["rules"]} == {"token", "card"}
    # Named groups, possessive repeats and the like are written otherwise in JavaScript.
    assert not any("(?P" in pattern for _, pattern in rules["rules"])


def test_a_typed_secret_is_known_again_within_a_text() -> None:
    redactor = Redactor()
    redactor.note_typed("word", digest("s3\U0001f600me!"), "word")
    redactor.learn_sent(["by s3\U0001f600me!, he said"])
    assert redactor.text("s3\U0001f600me! s3same!") == "{{secret:word}} s3same!"


def test_the_digest_counts_as_the_page_does() -> None:
    assert digest("a") == (1, 97)
    assert digest("ab") == (2, 97 * 65_599 + 98)
    assert digest("\U0001f600")[0] == 2
    parts = dict(parts_of("xab\U0001f600", 2))
    assert parts["ab"] == digest("ab")[1] and parts["\U0001f600"] == digest("\U0001f600")[1]
    assert len(parts) == 4
