"""Mark what was done over and over: the questions of a quiz, entries added one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from odokit.navmodel.model import NavModel

MAX_BODY = 12
"""Most interactions in one round of a loop."""


@dataclass(frozen=True)
class Loop:
    """Interactions that a demonstration repeated without anything else in between.

    Attributes:
        trajectory_id: The demonstration.
        start: Timeline index of its first interaction.
        body: Vertices of one round.
        n_rounds: Whole rounds, at least 2.
        exit: Vertex of the first interaction after it that is not in the body; None when the
            demonstration ends in it.
    """

    trajectory_id: str
    start: int
    body: tuple[int, ...]
    n_rounds: int
    exit: int | None


def find_loops(model: NavModel) -> tuple[Loop, ...]:
    """Find the loops of every demonstration.

    They stay in the graph as they are, edges leading back; here they are marked, because whoever
    executes them must decide how often, by what ended them.
    """
    found: list[Loop] = []
    for trajectory_id, walk in model.walks.items():
        acts = [v for v in walk if v.step.event.kind.is_interaction]
        vertices = [v.vertex for v in acts]
        place = 0
        while place < len(vertices):
            length, n_rounds = _repeat(vertices, place)
            if n_rounds < 2:
                place += 1
                continue
            body = tuple(vertices[place : place + length])
            after = vertices[place + length * n_rounds :]
            ending = next((v for v in after if v not in body), None)
            found.append(Loop(trajectory_id, acts[place].step.idx, body, n_rounds, ending))
            place += length * n_rounds
    return tuple(found)


def _repeat(vertices: Sequence[int], start: int) -> tuple[int, int]:
    """Length and number of the rounds that begin at a place: those that cover most, shortest."""
    best = (1, 1)
    for length in range(1, min(MAX_BODY, (len(vertices) - start) // 2) + 1):
        body = vertices[start : start + length]
        n_rounds = 1
        while vertices[start + n_rounds * length : start + (n_rounds + 1) * length] == body:
            n_rounds += 1
        if n_rounds > 1 and length * n_rounds > best[0] * best[1]:
            best = (length, n_rounds)
    return best
