"""Match what a page tells of a request it sends with the request as the browser tells it.

Both come by ways of their own, so that either may come first.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any

MAX_WAITING = 50
"""Notes and requests of one address that wait for each other; older ones are dropped."""

Key = tuple[str, str]
Note = Mapping[str, Any]


class SentNotes:
    """Notes of pages on what they send, and requests without a note, by method and address."""

    def __init__(self) -> None:
        self._notes: defaultdict[Key, deque[Note]] = defaultdict(_waiting)
        self._positions: defaultdict[Key, deque[int]] = defaultdict(_waiting)

    def note(self, note: Note) -> int | None:
        """Take a page's note.

        Args:
            note: Method, url, initiator and body of a request.

        Returns:
            Position of the event of the request, if the request came first.
        """
        key = (note["method"], note["url"])
        if self._positions[key]:
            return self._positions[key].popleft()
        self._notes[key].append(note)
        return None

    def find(self, method: str, url: str) -> Note | None:
        """Give the page's note on a request, if it came first."""
        notes = self._notes[method, url]
        return notes.popleft() if notes else None

    def wait(self, method: str, url: str, position: int) -> None:
        """Let the event of a request wait for its note."""
        self._positions[method, url].append(position)


def _waiting() -> deque[Any]:
    return deque(maxlen=MAX_WAITING)
