"""A clock that is changed while a session is recorded does not change the order of its events."""

from __future__ import annotations

import pytest

from odokit.events import EventKind, Header
from odokit.record.assemble import Assembler

BEGAN = 1_800_000_000_000.0


def kept_order(*stamps: float) -> tuple[list[str], tuple[str, ...]]:
    """In which order events that arrive with these stamps are kept, and what is missed."""
    book = Assembler(Header(trajectory_id="t"), began=BEGAN)
    for number, stamp in enumerate(stamps):
        place = {"url": "http://h/", "from_url": "http://h/", "to_url": f"http://h/{number}"}
        book.add(BEGAN + stamp, {"kind": EventKind.LOCATION, **place})
    found = book.trajectory()
    return [e.to_url[-1] for e in found.events], found.gaps


@pytest.mark.parametrize(
    "stamps",
    [
        (0, 1_000, -3_600_000, -3_599_000),  # set back by an hour
        (0, 1_000, 3_600_000, 2_000, 3_601_000),  # set forward; a page keeps its own clock
        (0, 1_000, -3_600_000, 2_000, -3_598_000),  # set back; a page keeps its own clock
        (0, -9e12, 1_000),
    ],
)
def test_events_keep_the_order_in_which_they_came(stamps: tuple[float, ...]) -> None:
    order, gaps = kept_order(*stamps)
    assert order == [str(n) for n in range(len(stamps))]
    assert any("clock was changed" in gap for gap in gaps)


def test_what_arrives_a_little_late_is_put_where_it_belongs() -> None:
    assert kept_order(0, 2_000, 1_500) == (["0", "2", "1"], ())
