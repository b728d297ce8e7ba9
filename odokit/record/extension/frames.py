"""Where the frames of an export stand in pages of another origin, which they cannot see."""

from __future__ import annotations

from typing import Any

from odokit.record.frames import UNKNOWN


class FrameTree:
    """What the pages around frames told of their places."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[str, list[str]]] = {}

    def take(self, edge: str, data: dict[str, Any]) -> None:
        """Take the word of a page about a frame in it.

        Args:
            edge: Document from which the page's own frame path is counted.
            data: The message: `child`, the frame's document, and `path`, where it stands.

        Raises:
            KeyError: It lacks a part.
        """
        self._places[str(data["child"])] = (edge, [str(step) for step in data["path"]])

    def complete(self, edge: str, path: list[str]) -> list[str]:
        """Complete a frame path that begins at an unknown place.

        Args:
            edge: Document at which it begins.
            path: Frame path as the page told it.

        Returns:
            The whole path; still with the unknown where no page told.
        """
        seen: set[str] = set()
        while path[:1] == [UNKNOWN] and edge in self._places and edge not in seen:
            seen.add(edge)
            edge, outer = self._places[edge]
            path = [*outer, *path[1:]]
        return path
