"""Find repeated structures in a page and describe "pick one of this list" as a dynamicXpath.

The paper hashes neighbourhoods (Weisfeiler-Lehman), estimates distances (MinHash, LSH) and clusters
(DBSCAN). WL labels are nested, so on them that pipeline *is* a group-by on one level; grouping by
(label, parent) also finds two similar lists on a page, which "all members share one parent" loses.

Source: paper, section III-C1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from odokit.dom import Document

DEFAULT_LEVEL = 1
_STEP = re.compile(r"/([^/\[]+)(?:\[(\d+)\])?")
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class RepeatedList:
    """A container and its alike children.

    Attributes:
        container: Absolute xpath of the parent.
        tag: Tag of the members.
        members: Xpaths of the members, in document order, at least two.
    """

    container: str
    tag: str
    members: tuple[str, ...]


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


def wl_labels(document: Document, level: int) -> npt.NDArray[np.uint64]:
    """Weisfeiler-Lehman labels of every element after `level` rounds over its children.

    Args:
        document: A parsed snapshot.
        level: Rounds, from 0 (the bare tag); a label sees that many levels down.

    Returns:
        One 64-bit label an element; equal labels mean equal unordered subtrees to that depth.
    """
    codes = {tag: i + 1 for i, tag in enumerate(dict.fromkeys(document.tags))}
    labels = _mix(np.fromiter((codes[t] for t in document.tags), np.uint64, len(document)), 1)
    parent = document.parent
    below = np.flatnonzero(parent >= 0)
    for round_ in range(level):
        sums = np.zeros(len(document), np.uint64)
        np.add.at(sums, parent[below], _mix(labels[below], 2 * round_ + 2))
        labels = _mix(labels, 2 * round_ + 3) + sums
    return labels


def _mix(values: npt.NDArray[np.uint64], salt: int) -> npt.NDArray[np.uint64]:
    """Spread bits (splitmix64), salted so that rounds and roles never cancel."""
    with np.errstate(over="ignore"):
        z = values + _MIX * np.uint64(salt)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def find_lists(document: Document, level: int = DEFAULT_LEVEL) -> tuple[RepeatedList, ...]:
    """Find containers with at least two children of equal label.

    Returns:
        One `RepeatedList` for each (container, tag), in document order.
    """
    if not len(document):
        return ()
    labels = wl_labels(document, level)
    keys = np.stack([document.parent.astype(np.uint64), labels], axis=1)
    _, group, counts = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    found: dict[tuple[int, str], list[int]] = {}
    for index in np.flatnonzero((counts[group.ravel()] >= 2) & (document.parent >= 0)).tolist():
        found.setdefault((int(document.parent[index]), document.tags[index]), []).append(index)
    return tuple(
        RepeatedList(document.xpath(p), tag, tuple(document.xpath(m) for m in members))
        for (p, tag), members in sorted(found.items())
    )


def dynamic_xpaths(xpath: str, lists: Sequence[RepeatedList]) -> tuple[DynamicXpath, ...]:
    """Every list an element lies in, as dynamicXpaths, innermost first."""
    steps = [m.group(0) for m in _STEP.finditer(xpath)]
    by_container = {(found.container, found.tag) for found in lists}
    result: list[DynamicXpath] = []
    for cut in range(len(steps) - 1, 0, -1):
        prefix = "".join(steps[:cut])
        step = _STEP.fullmatch(steps[cut])
        assert step is not None
        if (prefix, step[1]) in by_container:
            result.append(DynamicXpath(prefix, step[1], "".join(steps[cut + 1 :])))
    return tuple(result)
