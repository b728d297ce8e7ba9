"""Keep secrets out of everything that is stored: the one place where its rules are.

A placeholder `{{secret:name}}` takes a secret's place; the executor fills it at run time. What is a
secret is told

- by the field: passwords always, and fields, parameters and keys whose name matches `SECRET_KEY`;
- by the person: values given to `record(..., secrets=...)`, in every spelling;
- by a rule on its looks: `token`, `card`, and `email` if asked for (setting `redaction_rules`);
- by what was learnt: a value typed into a secret field, sent or answered under a secret key, is
  looked for everywhere else too.

The page gets the rules as data (`Redactor.page_rules`) and applies them before anything leaves it
(capture.js); what only the browser sees is redacted here. Of a typed secret only a digest leaves
the page; a string of a request that has the same digest becomes a known secret.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from odokit.config import DEFAULT_SECRET_RULES, SECRET_RULES
from odokit.errors import ConfigError
from odokit.record.spellings import clues, spellings

# Patterns are sent to the page, so they must mean the same in Python (ASCII) and JavaScript.
_KEY = (
    r"passw|passcode|passphrase|(?<![a-z])(?:pin(?:[_-]?code)?|pwd?)(?![a-z])|secret|token|csrf"
    r"|nonce|api.?key|authorization|cookie|session.?id|cvc|cvv|card.?number"
)
SECRET_KEY = re.compile(_KEY, re.IGNORECASE)
_NAME = rf"[\w.\[\]-]{{0,40}}(?:{_KEY})[\w.\[\]-]{{0,40}}"
# Each has one group, which is kept: what stands before the secret.
_PATTERNS: dict[str, tuple[str, ...]] = {
    "token": (
        rf"((?:^|[?&#;\s\"'{{,])(?=[\w.\[\]-]+=){_NAME}=)(?!\{{\{{)[^&#\s\"'<>;]{{6,}}",
        rf"(\"(?=[\w.\[\]-]+\"\s*:){_NAME}\"\s*:\s*\")(?!\{{\{{)[^\"]{{4,}}",
        r"()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
        r"(\b(?:Bearer|Basic)\s+)(?=[A-Za-z.~+/_-]*[\d=])[\w.~+/=-]{12,}",
        # Prefixes that makers of tokens chose so that scanners find them; a digit tells them from
        # names of styles such as `sk-fading-circle`.
        r"()\b(?:gh[opsur]_|github_pat_|glpat-|sk[-_]|rk_live_|pk_live_|xox[abprs]-|AKIA|ASIA|AIza"
        r"|ya29\.|hf_|npm_|pypi-)(?=[A-Za-z_-]*\d)[\w-]{12,}",
    ),
    # First digits of the large card schemes; the check digit is tested besides.
    "card": (
        r"()(?<![\w-])(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6011|65\d\d|3[47]\d\d)(?:[ -]?\d){9,15}"
        r"(?![\w-])",
    ),
    "email": (r"()[\w.+-]+@[\w-]+(?:\.[\w-]+)+",),
}
_MAYBE = r"[=\":@\d]|eyJ"
"""What a text without any of is in no pattern; the page looks for it before it tries them all."""
PLACEHOLDER = re.compile(r"\{\{secret:([^}]+)\}\}")
KNOWN = "known"
"""Name of a secret that was given or found without one."""
MIN_LEARNT_CHARS = 4
"""Shorter typed secrets are not looked for elsewhere: too much else would be taken for them."""
MAX_SEARCHED_CHARS = 50_000
"""Of a longer string that is sent, such as a file, only the beginning is searched for them."""
MIN_KEYED_CHARS = 8
"""The same for values under a secret key, which may be no secret, such as `token_type: bearer`."""
MAX_KEYED = 32
"""Applications that send a new token with every page would fill the list; the oldest go."""
_SESSION = re.compile(r"session.?id", re.IGNORECASE)
_BASE, _MODULUS = 65_599, 2**31 - 1
"""So small that JavaScript computes exactly."""
_UTF16 = f"utf-16-{sys.byteorder[0]}e"
_DATED = re.compile(r"\d{4}-\d\d-\d\d")


def placeholder(name: str) -> str:
    """The text that stands for a secret of this name."""
    return f"{{{{secret:{name}}}}}"


def check_rules(rules: Iterable[str]) -> tuple[str, ...]:
    """Check names of redaction rules.

    Raises:
        ConfigError: A rule is unknown.
    """
    unknown = sorted(set(rules) - set(SECRET_RULES))
    if unknown:
        raise ConfigError(
            f"there is no rule for secrets called {', '.join(unknown)}; "
            f"there are {', '.join(SECRET_RULES)}, and passwords are always redacted."
        )
    return tuple(name for name in SECRET_RULES if name in set(rules))


class Redactor:
    """Replaces the secrets of one recording, and learns more of them as it goes."""

    def __init__(
        self,
        known: Collection[str] | Mapping[str, str] = (),
        rules: Collection[str] = DEFAULT_SECRET_RULES,
    ) -> None:
        """Begin with what is known.

        Args:
            known: Values that must never be stored; a mapping has the name of each.
            rules: Which rules on looks apply, of `config.SECRET_RULES`.

        Raises:
            ConfigError: A rule is unknown.
        """
        self._rules = check_rules(rules)
        self._patterns = [
            (name, re.compile(pattern, re.IGNORECASE | re.ASCII))
            for name in self._rules
            for pattern in _PATTERNS[name]
        ]
        self._known: dict[str, tuple[str, int]] = {}
        self._keyed: dict[str, None] = {}
        self._typed: dict[Hashable, tuple[tuple[int, int], str]] = {}
        self.n_learnt = 0
        """How often something became known; what was redacted before may need it again."""
        named = known.items() if isinstance(known, Mapping) else ((KNOWN, v) for v in known)
        for name, value in named:
            self.learn(value, name)

    def learn(self, value: str, name: str = KNOWN) -> None:
        """Know a value as a secret from now on, wherever it occurs."""
        if value and value not in self._known:
            self.n_learnt += 1
            self._known[value] = (placeholder(name), self.n_learnt)

    def note_typed(self, field: Hashable, typed: tuple[int, int], name: str = KNOWN) -> None:
        """Remember the digest of what a secret field holds now, in place of what it held."""
        self._typed[field] = (typed, name)

    @property
    def has_typed(self) -> bool:
        """Whether a secret was typed, so that what is sent must be searched for it."""
        return bool(self._typed)

    def learn_sent(self, strings: Iterable[str]) -> None:
        """Know typed secrets again in what is sent, whatever they are sent as or within."""
        typed = dict(self._typed.values())
        lengths = {length for length, _ in typed if length >= MIN_LEARNT_CHARS}
        for text in strings:
            for length in lengths:
                for part, value in parts_of(text[:MAX_SEARCHED_CHARS], length):
                    if (length, value) in typed:
                        self.learn(part, typed[length, value])

    def learn_keyed(self, value: Any, key: str = "") -> None:
        """Know the values under secret keys of a body: the page may show them elsewhere."""
        if isinstance(value, dict):
            for inner_key, inner in value.items():
                self.learn_keyed(inner, str(inner_key))
        elif isinstance(value, list):
            for inner in value:
                self.learn_keyed(inner, key)
        elif isinstance(value, str) and _is_learnt(key) and _looks_random(value):
            self._remember_keyed(value, key)

    def _remember_keyed(self, value: str, key: str) -> None:
        if value in self._known:
            return
        self.learn(value, self._name_of(key))
        self._keyed[value] = None
        if len(self._keyed) > MAX_KEYED:
            oldest = next(iter(self._keyed))
            del self._keyed[oldest], self._known[oldest]

    def value(self, value: Any) -> Any:
        """Replace secrets in a nested JSON value: by key, by value, and by looks."""
        if isinstance(value, dict):
            return {self.text(str(k)): self._item(str(k), v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            hidden = self.text(str(value))
            return hidden if PLACEHOLDER.fullmatch(hidden) else value
        return value

    def _item(self, key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._item(key, item) for item in value]
        # A flag such as `learner_can_login_with_no_password` is a setting, not a secret.
        is_value = isinstance(value, (str, int)) and not isinstance(value, bool)
        if is_value and SECRET_KEY.search(key):
            if value == "" or (isinstance(value, str) and PLACEHOLDER.fullmatch(value)):
                return value
            return placeholder(self._name_of(key))
        return self.value(value)

    def _name_of(self, key: str) -> str:
        """What the secret under a key is called; a key may hold a secret itself."""
        return key if self.text(key) == key else KNOWN

    def text(self, text: str) -> str:
        """Replace secrets in a text: known values in every spelling, others by their looks."""
        text = self.markup(text)
        for name, pattern in self._patterns:
            text = pattern.sub(lambda match, name=name: _by_looks(match, name), text)  # type: ignore[misc]
        return text

    def markup(self, text: str, *, since: int = 0) -> str:
        """Replace known values only, in a page whose script has applied the rules already.

        Args:
            text: The page.
            since: Only values learnt after this many (`n_learnt`).
        """
        present = {
            form: mark
            for secret, (mark, n) in self._known.items()
            if n > since and any(clue in text for clue in clues(secret))
            for form in spellings(secret)
            if form in text
        }
        if not present:
            return text
        forms = sorted(present, key=len, reverse=True)
        # A placeholder is passed over whole, or a secret called "secret" would be found in it.
        pattern = re.compile("|".join([PLACEHOLDER.pattern, *map(re.escape, forms)]))
        return pattern.sub(lambda match: present.get(match[0], match[0]), text)

    def url(self, url: str) -> str:
        """Replace secrets in an address: in its query by key and value, elsewhere by value."""
        parts = urlsplit(url)
        if parts.query:
            pairs = [
                (self.text(key), self.text(str(self._item(key, value))))
                for key, value in parse_qsl(parts.query, keep_blank_values=True)
            ]
            url = urlunsplit(parts._replace(query=urlencode(pairs, safe="{}:/")))
        return self.text(url)

    def page_rules(self) -> dict[str, Any]:
        """The rules as plain data, for the script in the page.

        Returns:
            `key`, a pattern of secret names; `maybe`, one that all rules imply; `rules`, pairs of
            name and pattern, whose first group is kept; `known`, pairs of spelling and placeholder.
        """
        return {
            "key": SECRET_KEY.pattern,
            "maybe": _MAYBE,
            "rules": [[name, pattern.pattern] for name, pattern in self._patterns],
            "known": [
                [form, mark]
                for secret, (mark, _) in self._known.items()
                for form in spellings(secret)
            ],
        }


def redact(value: Any, known: Collection[str] = ()) -> Any:
    """Replace secrets in a nested JSON value: by key, by value, and by looks."""
    return Redactor(known).value(value)


def redact_text(text: str, known: Collection[str] = ()) -> str:
    """Replace secrets inside a text, also where HTML, a URL, JSON or base64 spells them."""
    return Redactor(known).text(text)


def redact_url(url: str, known: Collection[str] = ()) -> str:
    """Replace secrets in an address, by key and by value."""
    return Redactor(known).url(url)


def digest(text: str) -> tuple[int, int]:
    """Length of a text in UTF-16 units and its hash, as describe.js computes them."""
    value = 0
    for unit in (units := _units(text)):
        value = (value * _BASE + unit) % _MODULUS
    return len(units), value


def parts_of(text: str, length: int) -> Iterator[tuple[str, int]]:
    """Every part of a text that has a length in UTF-16 units, with its hash as of `digest`.

    Source: Karp and Rabin, Efficient randomized pattern-matching algorithms, 1987.
    """
    units = _units(text)
    leading = pow(_BASE, length - 1, _MODULUS)
    value = 0
    for i, unit in enumerate(units):
        if i >= length:
            value -= units[i - length] * leading
        value = (value * _BASE + unit) % _MODULUS
        if i >= length - 1:
            part = units[i + 1 - length : i + 1].tobytes()
            yield part.decode(_UTF16, "replace"), value


def _units(text: str) -> array[int]:
    return array("H", text.encode(_UTF16, "surrogatepass"))


def _is_learnt(key: str) -> bool:
    # Applications name sessions of work so too, and have their ids in addresses, which must stay
    # what they are to be told apart; under the key itself they are redacted.
    return SECRET_KEY.search(key) is not None and _SESSION.search(key) is None


def _looks_random(text: str) -> bool:
    """Whether a text is unlikely to be a word, a number or a date."""
    return (
        len(text) >= MIN_KEYED_CHARS
        and any(c.isdigit() for c in text)
        and any(c.isalpha() for c in text)
        and not _DATED.match(text)
        and not PLACEHOLDER.search(text)
    )


def _by_looks(match: re.Match[str], name: str) -> str:
    if name == "card" and not _is_card(match[0]):
        return match[0]
    return match[1] + placeholder(name)


def _is_card(text: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn; ISO/IEC 7812-1, annex B)."""
    total = 0
    for i, digit_char in enumerate(reversed([c for c in text if c.isdigit()])):
        value = int(digit_char) * (1 + i % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0
