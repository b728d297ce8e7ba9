"""Read a page snapshot: the HTML5 tree as arrays, absolute xpaths, and text worth showing.

Snapshots are parsed with lexbor, because its tree is the browser's: lxml's differs on every second
real page, and recorded xpaths would then point at other nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser, LexborNode

KEPT_ATTRIBUTES = (
    "value type option placeholder name aria-label id action alt checked for form href title"
).split()
"""Attributes kept in an option's HTML. Source: paper, section IV (option filter)."""

_STEP = re.compile(r"([^/\[]+)(?:\[(\d+)\])?")


@dataclass(frozen=True, eq=False)
class Document:
    """A parsed snapshot.

    Attributes:
        parser: Owner of the nodes; kept alive with them.
        nodes: Elements in document order.
        parent: Index of each element's parent, -1 for the root (int32, one an element).
        tags: Tag name of each element.
    """

    parser: LexborHTMLParser
    nodes: list[LexborNode]
    parent: npt.NDArray[np.int32]
    tags: list[str]

    def __len__(self) -> int:
        return len(self.nodes)

    @cached_property
    def children(self) -> list[list[int]]:
        """Indexes of each element's child elements, in order."""
        found: list[list[int]] = [[] for _ in self.nodes]
        for index, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                found[parent].append(index)
        return found

    @cached_property
    def tag_codes(self) -> npt.NDArray[np.int32]:
        """A number for each element's tag, in order of first appearance."""
        codes = {tag: i for i, tag in enumerate(dict.fromkeys(self.tags))}
        return np.fromiter((codes[tag] for tag in self.tags), np.int32, len(self.tags))

    @cached_property
    def steps(self) -> list[str]:
        """Each element's step in an xpath; `[n]` only where a sibling of the same tag exists."""
        keys = self.parent.astype(np.int64) * (len(self.tags) + 1) + self.tag_codes
        order = np.argsort(keys, kind="stable")
        starts = np.flatnonzero(np.diff(keys[order], prepend=np.iinfo(np.int64).min))
        sizes = np.diff(starts, append=len(order))
        position = np.empty(len(order), np.int64)
        position[order] = np.arange(len(order)) - np.repeat(starts, sizes) + 1
        size = np.empty(len(order), np.int64)
        size[order] = np.repeat(sizes, sizes)
        return [
            tag if n == 1 else f"{tag}[{at}]"
            for tag, n, at in zip(self.tags, size.tolist(), position.tolist(), strict=True)
        ]

    @cached_property
    def ends(self) -> npt.NDArray[np.int64]:
        """Where each element's subtree ends: it is `range(index, ends[index])`."""
        ends = list(range(1, len(self.nodes) + 1))
        parents = self.parent.tolist()
        for index in range(len(ends) - 1, 0, -1):
            above = parents[index]
            if ends[above] < ends[index]:
                ends[above] = ends[index]
        return np.asarray(ends, np.int64)

    @cached_property
    def roles(self) -> dict[int, str]:
        """The role of each element that states one."""
        stated = {n.mem_id: n.attributes.get("role") for n in self.select("[role]")}
        if not stated:
            return {}
        found = ((i, stated.get(node.mem_id)) for i, node in enumerate(self.nodes))
        return {index: role for index, role in found if role}

    def select(self, selector: str) -> list[LexborNode]:
        """Elements that match a CSS selector, in document order."""
        return self.parser.css(selector)

    @cached_property
    def memo(self) -> dict[tuple[object, ...], Any]:
        """What others derived from this page and may need again, by what it is; lives with it."""
        return {}

    @cached_property
    def _xpaths(self) -> dict[int, str]:
        """Xpaths asked for so far, with those of their ancestors."""
        return {-1: ""}

    def xpath(self, index: int) -> str:
        """Absolute xpath; `[n]` only where a sibling of the same tag exists."""
        way: list[int] = []
        while index not in self._xpaths:
            way.append(index)
            index = int(self.parent[index])
        path = self._xpaths[index]
        for below in reversed(way):
            path = f"{path}/{self.steps[below]}"
            self._xpaths[below] = path
        return path

    def find(self, xpath: str) -> int | None:
        """Index of the element at an absolute xpath, None when there is none."""
        current: int | None = None
        for tag, number in _STEP.findall(xpath):
            pool = [0] if current is None else self.children[current]
            same = [c for c in pool if self.tags[c] == tag]
            position = int(number or 1) - 1
            if position >= len(same):
                return None
            current = same[position]
        return current

    def text(self, index: int) -> str:
        """All text below an element, white space folded."""
        return " ".join(self.nodes[index].text(separator=" ").split())


def parse(html: str) -> Document:
    """Parse a filtered snapshot into a `Document`."""
    parser = LexborHTMLParser(html)
    nodes: list[LexborNode] = []
    parents: list[int] = []
    tags: list[str] = []
    position: dict[int, int] = {}
    root = parser.root
    for node in root.traverse(include_text=False) if root else ():
        tag = node.tag
        if tag is None or tag.startswith(("-", "!")):
            continue  # comments and the doctype
        above = node.parent
        position[node.mem_id] = len(nodes)
        parents.append(position.get(above.mem_id, -1) if above is not None else -1)
        nodes.append(node)
        tags.append(tag)
    return Document(parser, nodes, np.asarray(parents, dtype=np.int32), tags)


def distill(document: Document, index: int, limit: int = 400) -> str:
    """An element's HTML as a model should see it: kept attributes and text, nothing else.

    Args:
        document: The parsed snapshot.
        index: The element.
        limit: Most characters to return.
    """
    parts: list[str] = []
    _distill(document.nodes[index], parts)
    text = re.sub(r"\s+", " ", "".join(parts)).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _distill(node: LexborNode, parts: list[str]) -> None:
    kept = "".join(
        f' {key}="{value or ""}"'
        for key, value in node.attributes.items()
        if key in KEPT_ATTRIBUTES
    )
    parts.append(f"<{node.tag}{kept}>")
    for child in node.iter(include_text=True):
        if child.tag == "-text":
            parts.append(child.text_content or "")
        elif child.tag and not child.tag.startswith("-"):
            _distill(child, parts)
    parts.append(f"</{node.tag}>")
