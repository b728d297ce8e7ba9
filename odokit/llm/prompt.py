"""Prompts: versioned text files with a system and a user part.

A file `NAME.vN.txt` opens with a note for the reader, which is not sent, then has the parts
`# system` and `# user` with `$name` placeholders. A change of wording is a new version.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from string import Template

from odokit.errors import LLMError
from odokit.llm.tokens import count_messages

Message = dict[str, str]
"""One chat message: `role` and `content`."""

_DELIMITER = re.compile(r"</?\s*data\s*>", re.IGNORECASE)


@dataclass(frozen=True)
class Prompt:
    """A prompt as read from its file.

    Attributes:
        name: Its name without the version.
        version: Counts up from 1 with each change of wording.
        system: Text of the system message.
        user: Text of the user message.
    """

    name: str
    version: int
    system: str
    user: str

    @classmethod
    def load(cls, name: str, version: int = 1) -> Prompt:
        """Load a prompt that ships with the package.

        Raises:
            LLMError: There is no such prompt, or its file lacks one of the two parts.
        """
        return _load(name, version)

    @property
    def id(self) -> str:
        """Name and version as one word, such as `choose_path.v1`."""
        return f"{self.name}.v{self.version}"

    @property
    def variables(self) -> frozenset[str]:
        """Names of the placeholders."""
        parts = (Template(self.system), Template(self.user))
        return frozenset(name for part in parts for name in part.get_identifiers())

    @property
    def fixed_tokens(self) -> int:
        """Tokens of a request with every variable empty: what each call pays at least."""
        return count_messages(self.render(**dict.fromkeys(self.variables, "")))

    def render(self, **variables: str) -> list[Message]:
        """Fill the placeholders.

        The delimiters of page text are taken out of the values, so that no page can close the
        block that marks it as data; lone surrogates, which cannot be sent, become `?`.

        Raises:
            LLMError: A variable is missing or unknown.
        """
        if set(variables) != self.variables:
            missing = ", ".join(sorted(self.variables - set(variables))) or "none"
            unknown = ", ".join(sorted(set(variables) - self.variables)) or "none"
            raise LLMError(
                f"prompt {self.id} cannot be rendered: missing variables: {missing}; unknown: "
                f"{unknown}. Give exactly {', '.join(sorted(self.variables))}."
            )
        values = {name: _as_data(value) for name, value in variables.items()}
        return [
            {"role": "system", "content": Template(self.system).substitute(values)},
            {"role": "user", "content": Template(self.user).substitute(values)},
        ]


def prompt_hash(messages: Sequence[Mapping[str, str]]) -> str:
    """Hash the messages of a request, so that equal requests can be found without their text."""
    text = json.dumps(list(messages), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _as_data(value: str) -> str:
    value = value.encode("utf-8", "replace").decode("utf-8")
    # Again until none is left: taking one out can join the halves of another.
    while (shorter := _DELIMITER.sub("", value)) != value:
        value = shorter
    return value


@functools.cache
def _load(name: str, version: int) -> Prompt:
    folder = resources.files("odokit.llm") / "prompts"
    file = folder / f"{name}.v{version}.txt"
    if not file.is_file():
        known = ", ".join(sorted(p.name.removesuffix(".txt") for p in folder.iterdir()))
        raise LLMError(f"there is no prompt {name}.v{version}; there are {known}.")
    parts = re.split(r"^# (system|user)\n", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if parts[1::2] != ["system", "user"]:
        raise LLMError(f"{file.name} must have the parts '# system' and '# user', in this order.")
    return Prompt(name, version, system=parts[2].strip(), user=parts[4].strip())
