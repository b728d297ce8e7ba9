"""A recorded text is a pattern over the task's values, and the pattern gives the next text."""

from __future__ import annotations

import pytest

from odokit.decide.bindings import bind_state, bind_text, polarity

OLD = {"learner": "Ada Byron", "group": "Owls", "n": "5"}
NEW = {"learner": "Bo Li", "group": "Foxes", "n": "12"}


@pytest.mark.parametrize(
    ("text", "pattern", "filled"),
    [
        ("Select Ada Byron", "Select {learner}", "Select Bo Li"),
        ("Ada Byron (Owls)", "{learner} ({group})", "Bo Li (Foxes)"),
        ("ada-byron", "{learner|slug}", "bo-li"),
        ("adabyron", "{learner|compact}", "boli"),
        ("Ada", "{learner|first}", "Bo"),
        ("Byron", "{learner|last}", "Li"),
        ("owls", "{group|lower}", "foxes"),
        ("5", "{n}", "12"),
        ("15", "15", "15"),
        ("in 5 days", "in 5 days", "in 5 days"),
        ("Owlsville", "Owlsville", "Owlsville"),
        ("", "", ""),
        ("{learner}", "{learner}", "{learner}"),
        ("{x} for Owls {y|z}", "{x} for {group} {y|z}", "{x} for Foxes {y|z}"),
        ("{{secret:password}}", "{{secret:password}}", "{{secret:password}}"),
    ],
)
def test_a_text_is_bound_and_filled(text: str, pattern: str, filled: str) -> None:
    binding = bind_text(text, OLD)
    assert binding.pattern == pattern
    assert binding.fill(NEW) == filled
    assert binding.is_constant == (filled == text)


def test_longer_values_bind_first() -> None:
    binding = bind_text("Ada Byron", {"first": "Ada", "whole": "Ada Byron"})
    assert binding.slots == ("whole",)


def test_what_depends_on_an_unknown_cannot_be_filled() -> None:
    assert bind_text("Select Ada Byron", OLD).fill({"group": "Foxes"}) is None


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("on", True),
        ("Enable it", True),
        ("OFF", False),
        ("do not allow this", None),
        ("disallowed", None),
        ("Fractions", None),
        ("", None),
    ],
)
def test_words_for_on_and_off(word: str, state: bool | None) -> None:
    assert polarity(word) is state


def test_a_state_turns_with_the_task_s_word_for_it() -> None:
    assert bind_state(True, {"state": "on"}, {"state": "off"}) is False
    assert bind_state(True, {"state": "on"}, {"state": "enabled"}) is True
    assert bind_state(False, {"state": "on"}, {"state": "off"}) is True
    assert bind_state(True, {"title": "Owls"}, {"title": "off"}) is True
    assert bind_state(True, {"state": "on"}, {}) is True
