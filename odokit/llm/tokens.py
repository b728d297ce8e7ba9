"""Exact token counts without a network: tiktoken fed from the ranks that bpe-openai carries."""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.util
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tiktoken

from odokit.errors import ConfigError

ENCODINGS = ("o200k_base", "cl100k_base")
"""Encodings whose ranks bpe-openai carries."""

TOKENS_PER_MESSAGE = 3
"""Framing tokens around the role and content of a message."""

TOKENS_PRIMING = 3
"""Tokens that open the assistant's reply.

Source:
    OpenAI Cookbook, "How to count tokens with tiktoken".
"""

_RANKS_URL = "https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
_ENVIRONMENT = threading.Lock()


def count_tokens(text: str, encoding: str = "o200k_base") -> int:
    """Count the tokens of a text; special-token strings in it count as plain text.

    Args:
        text: Any text, page source included.
        encoding: `o200k_base` (GPT-4o and later) or `cl100k_base` (GPT-4, GPT-3.5).

    Raises:
        ConfigError: The encoding is not one of those.
    """
    return len(_encoding(encoding).encode_ordinary(text))


def count_messages(messages: Sequence[Mapping[str, Any]], encoding: str = "o200k_base") -> int:
    """Count what a chat request costs as prompt: texts, roles, and their framing.

    Args:
        messages: Chat messages; content may be text or a list of parts, of which the text counts.
        encoding: As for `count_tokens`.
    """
    texts = [text for message in messages for text in _texts(message)]
    framing = TOKENS_PER_MESSAGE * len(messages) + TOKENS_PRIMING
    return framing + sum(count_tokens(text, encoding) for text in texts)


def _texts(message: Mapping[str, Any]) -> Iterator[str]:
    yield message["role"]
    content = message.get("content") or ""
    if isinstance(content, str):
        yield content
        return
    for part in content:
        yield part.get("text", "")


@functools.cache
def _encoding(name: str) -> tiktoken.Encoding:
    if name not in ENCODINGS:
        raise ConfigError(
            f"no ranks for the token encoding {name!r}; choose one of {', '.join(ENCODINGS)}."
        )
    # tiktoken knows no way to hand it ranks but its cache folder. A folder of our own, gone again
    # at once, cannot be stale or foreign; tiktoken verifies the sha256 of what it reads there.
    with tempfile.TemporaryDirectory(prefix="odokit-ranks-") as folder:
        key = hashlib.sha1(_RANKS_URL.format(name=name).encode(), usedforsecurity=False)
        (Path(folder) / key.hexdigest()).write_bytes(_ranks(name))
        with _cache_folder(folder):
            return tiktoken.get_encoding(name)


def _ranks(name: str) -> bytes:
    # Found, not imported: the package's own extension module of 74 MB is not needed.
    spec = importlib.util.find_spec("bpe_openai")
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError("the package bpe-openai is missing; install odokit's dependencies again.")
    packed = Path(spec.submodule_search_locations[0]) / "data" / f"{name}.tiktoken.gz"
    return gzip.decompress(packed.read_bytes())


@contextmanager
def _cache_folder(folder: str) -> Iterator[None]:
    with _ENVIRONMENT:
        before = os.environ.get("TIKTOKEN_CACHE_DIR")
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["TIKTOKEN_CACHE_DIR"]
            if before is not None:
                os.environ["TIKTOKEN_CACHE_DIR"] = before
