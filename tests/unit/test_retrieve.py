"""Local similarity finds the demonstrated task behind a paraphrase, offline and quietly."""

from __future__ import annotations

import logging
import subprocess
import sys
from importlib import metadata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from odokit.retrieve import EMBEDDER, TFIDF_WEIGHT, TextIndex, mask_values

DEMONSTRATED = [
    'Create a lesson titled "Fractions" in the class "Grade 5" and add two resources to it.',
    'Enroll the learner "Maya Lindt" in the class "Grade 5".',
    'Rename the class "Grade 5" to "Grade 5 West".',
    'Delete the lesson "Fractions" from the class "Grade 5".',
    'Make a quiz named "Week 1" with 10 questions and start it.',
    'Change the password of the user "mlindt".',
    'Put 3 pieces of the product "Oak Shelf" into the basket.',
    'Write a review with 4 stars for the product "Oak Shelf" saying "Sturdy and easy to build".',
    'Apply the voucher code "SPRING" to the basket.',
    'Set the stock of the product "Oak Shelf" to 40 in the dashboard.',
    "Mark order 1042 as shipped.",
    'Add a new delivery address in "Turin" to your address book.',
]
# (paraphrase, position of what it means)
PARAPHRASES = [
    ("Please set up a new lesson called 'Volcanoes' for Year 7 Science with two materials.", 0),
    ("Tomasz Ruiz should be in the Year 7 Science class, sign him up as a learner", 1),
    ("Year 7 Science needs another name: call it 'Natural Sciences'.", 2),
    ("Get rid of the lesson 'Volcanoes' in Year 7 Science", 3),
    ("i need a quiz 'Midterm' of 25 questions, and launch it", 4),
    ("Give user truiz another password", 5),
    ("I'd like five of the 'Copper Lamp' product in my shopping basket", 6),
    ("Rate the 'Copper Lamp' with 2 stars and say in a review that 'The switch broke'.", 7),
    ("use voucher WELCOME10 on what is in my basket", 8),
    ("We now have 12 'Copper Lamp' in stock, update the dashboard", 9),
]


@pytest.fixture(scope="module")
def index() -> TextIndex:
    return TextIndex(DEMONSTRATED)


@pytest.mark.parametrize(("task", "expected"), PARAPHRASES, ids=range(len(PARAPHRASES)))
def test_a_paraphrase_finds_its_demonstration(index: TextIndex, task: str, expected: int) -> None:
    assert expected in [position for position, _ in index.rank(task)[:2]]


def test_most_paraphrases_find_it_first(index: TextIndex) -> None:
    missed = [task for task, expected in PARAPHRASES if index.rank(task)[0][0] != expected]
    # "needs another name ... call it" has no word in common with "Rename": a model's job.
    assert [task for task, _ in PARAPHRASES[2:3]] == missed


def test_the_same_wording_with_other_values_scores_full(index: TextIndex) -> None:
    best, score = index.rank('Rename the class "Grade 6" to "Owls of the North".')[0]
    assert best == 2
    assert score == pytest.approx(1 + TFIDF_WEIGHT, abs=1e-6)


def test_a_ranking_holds_every_text_once_best_first(index: TextIndex) -> None:
    ranking = index.rank("Remove the lesson")
    assert sorted(position for position, _ in ranking) == list(range(len(DEMONSTRATED)))
    scores = [score for _, score in ranking]
    assert scores == sorted(scores, reverse=True)


def test_equal_texts_keep_their_order() -> None:
    ranking = TextIndex(["mark as done", "save", "mark as done"]).rank("mark it as done")
    assert [position for position, _ in ranking] == [0, 2, 1]


def test_similarity_is_the_score_of_the_ranking_and_symmetric(index: TextIndex) -> None:
    task = PARAPHRASES[3][0]
    position, score = index.rank(task)[0]
    assert index.similarity(task, DEMONSTRATED[position]) == pytest.approx(score, abs=1e-6)
    assert index.similarity(DEMONSTRATED[position], task) == pytest.approx(score, abs=1e-6)


def test_word_weights_are_those_of_scikit_learn() -> None:
    texts = ["open the shop", "open the the door of a shop", "close it"]
    queries = ["shop shop door unheard", "the open door", "nothing known here"]
    reference = TfidfVectorizer(token_pattern=r"\w+")
    matrix = reference.fit_transform(texts)
    index = TextIndex(texts)
    for query in queries:
        cosines = (matrix @ reference.transform([query]).T).toarray()[:, 0]
        words = index._weigh({word: query.split().count(word) for word in query.split()})
        ours = [sum(words.get(w, 0) * v for w, v in text.items()) for text in index._words]
        assert np.allclose(ours, cosines)


def test_texts_of_values_only_are_compared_as_they_are() -> None:
    index = TextIndex(['"Fractions"', '"Volcanoes"'])
    assert [position for position, _ in index.rank('"Volcanoes"')] == [1, 0]


def test_nothing_is_near_nothing() -> None:
    assert TextIndex(["save", ""]).rank("")[0][1] == 0
    assert TextIndex([]).rank("save") == []


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ('Open "The Great Wall" now', "Open now"),
        ("Open “The Great Wall” now", "Open now"),
        ("Open 'Bob's shop' now", "Open now"),
        ("the teacher's note and the pupils' notes", "the teacher's note and the pupils' notes"),
        ("Mail ana.b+c@example.org today", "Mail today"),
        ("move it to 2031-05-01 at 3:30 for 4,50 in BIO101", "move it to at for in"),
        ("Add Oak Shelf to the basket", "Add to the basket"),
        ("Enroll Maya Lindt in Introduction to the Theory of Music today", "Enroll today"),
        ("Task: Open it. Then Save it! Now close.", "Task: Open it. Then it! Now close."),
        ("Upload a PDF and I am done", "Upload a PDF and I am done"),
        ("Öffne den Kurs von Änne", "Öffne den von"),
        ("", ""),
    ],
)
def test_values_are_blanked_and_wording_stays(text: str, masked: str) -> None:
    assert mask_values(text) == masked


@given(st.text(alphabet="aB1 .\"'“”@-\n", max_size=40))
def test_masking_only_takes_away(text: str) -> None:
    rest = iter(text)
    assert all(letter in rest for letter in mask_values(text) if letter != " ")


def test_the_embedder_is_named_with_its_version() -> None:
    assert metadata.version("wordllama") in EMBEDDER.split()


PROBE = """
import logging, socket
def refuse(*_): raise AssertionError("network")
socket.getaddrinfo = socket.socket.connect = refuse
from odokit.retrieve import TextIndex
print(TextIndex(["save the page", "delete the page"]).rank("remove the page")[0][0])
print(logging.getLogger().handlers, logging.getLogger().level)
"""


def test_a_fresh_process_needs_no_network_and_keeps_its_logging() -> None:
    probe = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROBE], capture_output=True, text=True, check=True
    )
    assert probe.stdout.splitlines() == ["1", f"[] {logging.WARNING}"]
    assert probe.stderr == ""
