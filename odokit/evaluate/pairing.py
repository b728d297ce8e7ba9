"""Which observed write meets which expectation: any order or in order, alternatives, near misses.

Without order it is a bipartite matching (augmenting paths), because a lax expectation must not take
the only write that a strict one can have. In order, taking the earliest write that fits is enough.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odokit.evaluate.requests import (
    Stage,
    common_start,
    describe_expected,
    describe_write,
    find_miss,
)
from odokit.events import Event
from odokit.tasks import Expectation, ExpectedWrite


@dataclass(frozen=True)
class Pairing:
    """One alternative of an answer key laid beside the observed writes.

    Attributes:
        group: The expectations of the alternative.
        writes: All observed writes.
        pairs: Position of the write that meets an expectation, by position of the expectation.
        ordered: Whether the order counted.
    """

    group: tuple[ExpectedWrite, ...]
    writes: tuple[Event, ...]
    pairs: Mapping[int, int]
    ordered: bool

    @property
    def n_missing(self) -> int:
        """Number of expectations that no write meets."""
        return len(self.group) - len(self.pairs)

    @property
    def left(self) -> list[Event]:
        """Writes that meet no expectation, in order."""
        used = set(self.pairs.values())
        return [write for n, write in enumerate(self.writes) if n not in used]

    def matched(self) -> tuple[str, ...]:
        """A line for each expectation that is met."""
        return tuple(
            f"{describe_expected(self.group[i])} <- {describe_write(self.writes[n])}"
            for i, n in sorted(self.pairs.items())
        )

    def missing(self, noise: Sequence[ExpectedWrite] = ()) -> tuple[str, ...]:
        """A line for each expectation that is not met, with the nearest miss that is no noise."""
        shown = [
            (n, write)
            for n, write in enumerate(self.writes)
            if n in self.pairs.values() or not is_any(noise, write)
        ]
        return tuple(
            f"{describe_expected(wanted)}: {self._nearest(wanted, shown)}"
            for i, wanted in enumerate(self.group)
            if i not in self.pairs
        )

    def describe_extra(self, write: Event) -> str:
        """A line for an unexpected write; says when it repeats one that was expected."""
        again = next((w for w in self.group if find_miss(w, write) is None), None)
        if again is None:
            return describe_write(write)
        why = "out of order" if self.ordered else "once too often"
        return f"{describe_write(write)}: meets {describe_expected(again)}, but {why}"

    def _nearest(self, wanted: ExpectedWrite, shown: Sequence[tuple[int, Event]]) -> str:
        taken = {n: self.group[i] for i, n in self.pairs.items()}
        best: tuple[tuple[int, bool, int], str] | None = None
        for n, write in shown:
            miss = find_miss(wanted, write)
            if miss is None:
                stage = len(Stage)
                other = describe_expected(taken[n]) if n in taken else ""
                why = f"that meets {other}" if other else "it is out of order"
            else:
                stage, why = miss.stage, miss.reason
            rank = (stage, n not in taken, common_start(wanted.path, write))
            if stage > Stage.NOTHING and (best is None or rank > best[0]):
                best = rank, f"nearest was {describe_write(write)}, but {why}"
        none = f"none of the {len(shown)} observed writes has this method and path"
        if best is None:
            return none
        return best[1] if best[0][0] > Stage.METHOD else f"{none}; {best[1]}"


def pair(
    expectation: Expectation, writes: Sequence[Event], allowed: Sequence[ExpectedWrite]
) -> Pairing:
    """Pair writes with the alternative that is met, else with the one that comes nearest.

    Args:
        expectation: Bound answer key.
        writes: Observed writes in order.
        allowed: Patterns of writes that are not counted as unexpected.
    """
    tries = [
        Pairing(
            tuple(group),
            tuple(writes),
            _in_order(group, writes) if expectation.ordered else _in_any_order(group, writes),
            expectation.ordered,
        )
        for group in _alternatives(expectation.writes)
    ]
    return min(tries, key=lambda t: (t.n_missing, sum(not is_any(allowed, w) for w in t.left)))


def is_any(patterns: Sequence[ExpectedWrite], write: Event) -> bool:
    """Whether a write meets one of some patterns."""
    return any(find_miss(pattern, write) is None for pattern in patterns)


def _alternatives(writes: Sequence[ExpectedWrite]) -> list[list[ExpectedWrite]]:
    labels = list(dict.fromkeys(w.alternative for w in writes if w.alternative))
    if not labels:
        return [list(writes)]
    return [[w for w in writes if w.alternative in ("", label)] for label in labels]


def _in_order(group: Sequence[ExpectedWrite], writes: Sequence[Event]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    start = 0
    for i, wanted in enumerate(group):
        found = (n for n in range(start, len(writes)) if find_miss(wanted, writes[n]) is None)
        n = next(found, None)
        if n is not None:
            pairs[i], start = n, n + 1
    return pairs


def _in_any_order(group: Sequence[ExpectedWrite], writes: Sequence[Event]) -> dict[int, int]:
    fits = [[n for n, w in enumerate(writes) if find_miss(g, w) is None] for g in group]
    owner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for n in fits[i]:
            if n in seen:
                continue
            seen.add(n)
            if n not in owner or place(owner[n], seen):
                owner[n] = i
                return True
        return False

    for i in range(len(group)):
        place(i, set())
    return {i: n for n, i in owner.items()}
