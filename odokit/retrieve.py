"""Local text similarity: which demonstrated task is worded nearest to a task.

Static word embeddings (wordllama, which ships its weights) tell that "turn in" is near "submit";
TF-IDF tells which of the words are rare enough to decide. Values are blanked first, because names
and titles would else outweigh the verb.
"""

from __future__ import annotations

import functools
import logging
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from wordllama import WordLlamaInference

EMBEDDER = f"wordllama {metadata.version('wordllama')} l2_supercat 256"
"""Name and version of the embedder, to be recorded with whatever is derived from it."""

TFIDF_WEIGHT = 0.5
"""Weight of the TF-IDF cosine beside the embedding cosine, whose weight is 1.

Source:
    Best of those tried on 138 paraphrases of 46 task statements.
"""

_Vector = npt.NDArray[np.float32]

_QUOTED = re.compile(
    r"""
    "[^"\n]*" | “[^”\n]*” | «[^»\n]*» | `[^`\n]*`
    | (?<!\w)'(?:[^'\n]|'(?=\w))+'(?!\w)     # an apostrophe inside a word closes nothing
    | (?<!\w)‘(?:[^’\n]|’(?=\w))+’(?!\w)
    """,
    re.VERBOSE,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"\b\w*\d(?:[\w.,:/-]*\w)?")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_NAME_RUN = re.compile("n(?:l{0,2}n)*")
_LINKING = frozenset({"a", "an", "and", "for", "in", "of", "on", "the", "to"})
_SENTENCE_END = frozenset(".!?:;\n")


def mask_values(text: str) -> str:
    """Blank what is a value, not wording: quotes, e-mails, numbers, runs of capitalised words.

    The first word of a sentence stays, because its capital says nothing; so do acronyms.
    """
    for pattern in (_QUOTED, _EMAIL, _NUMBER):
        text = pattern.sub(" ", text)
    words = list(_WORD.finditer(text))
    kinds = "".join(_kinds(text, words))
    for run in reversed(list(_NAME_RUN.finditer(kinds))):
        first, last = words[run.start()], words[run.end() - 1]
        text = f"{text[: first.start()]} {text[last.end() :]}"
    return " ".join(text.split())


def _kinds(text: str, words: Sequence[re.Match[str]]) -> Iterator[str]:
    """Say of each word whether it is a name (n), may link two (l), or is other wording (w)."""
    end = 0
    for word in words:
        is_first = end == 0 or not _SENTENCE_END.isdisjoint(text[end : word.start()])
        end = word.end()
        letters = word.group()
        if letters[0].isupper() and letters[1:].upper() != letters[1:] and not is_first:
            yield "n"
        else:
            yield "l" if letters in _LINKING else "w"


class TextIndex:
    """Texts that can be ranked by their similarity to a query.

    Args:
        texts: The texts; their positions identify them.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        masked = [_wording(text) for text in texts]
        counts = [_count_words(text) for text in masked]
        seen_in = Counter(word for words in counts for word in words)
        self._idf = {
            word: math.log((1 + len(texts)) / (1 + n_texts)) + 1
            for word, n_texts in seen_in.items()
        }
        self._words = [self._weigh(words) for words in counts]
        self._vectors = _embed(masked)

    def rank(self, query: str) -> list[tuple[int, float]]:
        """Rank all texts by their similarity to a query.

        Returns:
            Position and score of each text, best first, equal ones in their own order; a score is
            at most 1 + `TFIDF_WEIGHT`.
        """
        wording = _wording(query)
        words = self._weigh(_count_words(wording))
        cosines = self._vectors @ _embed([wording])[0]
        scores = [
            float(cosine) + TFIDF_WEIGHT * _dot(words, other)
            for cosine, other in zip(cosines, self._words, strict=True)
        ]
        return sorted(enumerate(scores), key=lambda item: (-item[1], item[0]))

    def similarity(self, a: str, b: str) -> float:
        """Score two texts, whether indexed or not, by the word weights of this index."""
        wordings = [_wording(a), _wording(b)]
        vectors = _embed(wordings)
        words = [self._weigh(_count_words(wording)) for wording in wordings]
        return float(vectors[0] @ vectors[1]) + TFIDF_WEIGHT * _dot(*words)

    def _weigh(self, counts: Mapping[str, int]) -> dict[str, float]:
        """TF-IDF weights of the words this index knows, with a length of 1."""
        weights = {w: n * self._idf[w] for w, n in counts.items() if w in self._idf}
        length = math.sqrt(sum(weight**2 for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()}


def _wording(text: str) -> str:
    # A text that is nothing but values, such as the title of a course, is compared as it is.
    masked = mask_values(text)
    return masked if _WORD.search(masked) else text


def _count_words(text: str) -> Counter[str]:
    return Counter(word.group().lower() for word in _WORD.finditer(text))


def _dot(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    return sum(weight * b[word] for word, weight in a.items() if word in b)


def _embed(texts: Sequence[str]) -> _Vector:
    vectors: _Vector = _embedder().embed(list(texts))
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: _Vector = vectors / np.maximum(lengths, np.finfo(np.float32).tiny)
    return unit


@functools.cache
def _embedder() -> WordLlamaInference:
    with _root_logger_left_alone():
        import wordllama
    # Both paths must be local: wordllama 0.4 looks for its tokenizer in a folder of another name
    # than the one it ships, and would download it, unless the cache folder is the package itself.
    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, disable_download=True)


@contextmanager
def _root_logger_left_alone() -> Iterator[None]:
    # wordllama 0.4 calls logging.basicConfig on import, which does nothing if a handler is there.
    root, handler = logging.getLogger(), logging.NullHandler()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
