"""Click targets with one position left open: container, member, and the way down to the target."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from odokit.dom import Document
from odokit.substructure.lists import RepeatedList

_STEP = re.compile(r"/([^/\[]+)(?:\[(\d+)\])?")


@dataclass(frozen=True)
class DynamicXpath:
    """A click target that is one of a list: `prefix / tag[any] suffix`.

    Attributes:
        prefix: Absolute xpath of the container.
        tag: Tag of its members.
        suffix: Path from a member down to the target; empty when the member is the target.
    """

    prefix: str
    tag: str
    suffix: str

    def xpath(self, position: int) -> str:
        """Xpath of the target in the member at a position, from 1."""
        return f"{self.prefix}/{self.tag}[{position}]{self.suffix}"

    def matches(self, xpath: str) -> bool:
        """Whether an xpath is the target in some member."""
        step = re.escape(f"{self.prefix}/{self.tag}") + r"(\[\d+\])?" + re.escape(self.suffix)
        return re.fullmatch(step, xpath) is not None


@dataclass(frozen=True)
class Choice:
    """A list to pick from with every way from a member to the target that was seen.

    Attributes:
        prefix: Absolute xpath of the container.
        tag: Tag of its members.
        suffixes: Paths from a member to the target, the most often seen first; a member offers
            the first that leads somewhere in it.
    """

    prefix: str
    tag: str
    suffixes: tuple[str, ...]

    def options(self, document: Document) -> tuple[str, ...]:
        """Xpaths of the target in each member of a page that has it, in document order."""
        container = document.find(self.prefix)
        if container is None:
            return ()
        found = (
            self._target(document, child)
            for child in document.children[container]
            if document.tags[child] == self.tag
        )
        return tuple(target for target in found if target is not None)

    def _target(self, document: Document, member: int) -> str | None:
        own = document.xpath(member)
        targets = (own + suffix for suffix in self.suffixes)
        return next((t for t in targets if document.find(t) is not None), None)


def dynamic_xpaths(xpath: str, lists: Sequence[RepeatedList]) -> tuple[DynamicXpath, ...]:
    """Every list an element lies in, as dynamicXpaths, innermost first."""
    steps = list(_STEP.finditer(xpath))
    by_container = {(found.container, found.tag) for found in lists}
    return tuple(
        DynamicXpath(xpath[: step.start()], step[1], xpath[step.end() :])
        for step in reversed(steps)
        if (xpath[: step.start()], step[1]) in by_container
    )


def merge_choices(found: Iterable[DynamicXpath]) -> tuple[Choice, ...]:
    """Put the dynamicXpaths of one action together: a choice for each (container, tag).

    Args:
        found: As seen in demonstrations, repeated when seen repeatedly.

    Returns:
        In order of first appearance, with the suffixes by how often each was seen.
    """
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for one in found:
        suffixes = counts.setdefault((one.prefix, one.tag), {})
        suffixes[one.suffix] = suffixes.get(one.suffix, 0) + 1
    return tuple(
        Choice(prefix, tag, tuple(sorted(suffixes, key=lambda s: -suffixes[s])))
        for (prefix, tag), suffixes in counts.items()
    )
