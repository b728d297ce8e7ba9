"""Token counts are OpenAI's own, and need neither a network nor a warm cache."""

from __future__ import annotations

import base64
import gzip
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiktoken

from odokit.errors import ConfigError
from odokit.llm.tokens import count_messages, count_tokens

# Published counts: OpenAI Cookbook, "How to count tokens with tiktoken" (o200k_base, cl100k_base).
COOKBOOK = [
    ("antidisestablishmentarianism", 6, 6),
    ("2 + 2 = 4", 7, 7),
    ("お誕生日おめでとう", 8, 9),
]
TEXTS = [
    "",
    " ",
    "Submit the file to the assignment.",
    '<a href="/c/1?x=2&amp;y=3" aria-label="Öffnen">\n\t<span>…</span></a>',
    "naïve café — 東京 👩‍🚀 ☃",
    "x" * 1000,
    "\n\n\n   \r\n",
    "lone \ud800 surrogate",
]


@pytest.fixture(scope="module")
def reference() -> dict[str, tiktoken.Encoding]:
    """Encodings built from the carried ranks by hand, past the registry and the cache folder."""
    spec = importlib.util.find_spec("bpe_openai")
    assert spec is not None and spec.submodule_search_locations
    data = Path(spec.submodule_search_locations[0]) / "data"
    built = {}
    for name in ("o200k_base", "cl100k_base"):
        lines = gzip.decompress((data / f"{name}.tiktoken.gz").read_bytes()).splitlines()
        ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
        count_tokens("", name)  # from here on the registry has the encoding, and its pattern
        pattern = tiktoken.get_encoding(name)._pat_str
        built[name] = tiktoken.Encoding(
            f"test-{name}", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
        )
    return built


@pytest.mark.parametrize(("text", "o200k", "cl100k"), COOKBOOK)
def test_published_counts(text: str, o200k: int, cl100k: int) -> None:
    assert count_tokens(text) == o200k
    assert count_tokens(text, "cl100k_base") == cl100k


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_counts_equal_tiktoken(
    name: str, text: str, reference: dict[str, tiktoken.Encoding]
) -> None:
    assert count_tokens(text, name) == len(reference[name].encode_ordinary(text))


def test_special_tokens_in_a_page_are_plain_text() -> None:
    assert count_tokens("<|endoftext|>") == 7


def test_a_message_costs_its_texts_and_framing() -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "2 + 2 = 4"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None},
    ]
    roles = 3  # each role name is one token
    assert count_messages(messages) == roles + count_tokens("Be brief.") + 7 + 3 * 3 + 3


def test_an_unknown_encoding_is_refused() -> None:
    with pytest.raises(ConfigError, match="o200k_base"):
        count_tokens("x", "r50k_base")


PROBE = """
import socket
def refuse(*_): raise AssertionError("network")
socket.getaddrinfo = socket.socket.connect = refuse
from odokit.llm.tokens import count_tokens
import os
print(count_tokens("2 + 2 = 4"), os.environ.get("TIKTOKEN_CACHE_DIR"))
"""


def test_a_fresh_process_counts_without_network_or_cache(tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    env = os.environ | {"TIKTOKEN_CACHE_DIR": str(theirs), "TMPDIR": str(temporary)}
    probe = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROBE],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    assert probe.stdout.split() == ["7", str(theirs)]
    assert probe.stderr == ""
    assert list(theirs.iterdir()) == []
    assert list(temporary.iterdir()) == []
