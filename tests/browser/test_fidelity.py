"""Everything a person does on any page of the fixture site is recorded, or reported as a gap."""

from __future__ import annotations

import pytest
from conftest import Bench
from sessions import SESSIONS, event_lines, gap_kinds, in_order

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("name", SESSIONS)
async def test_the_session_is_recorded_whole(bench: Bench, name: str) -> None:
    session = SESSIONS[name]
    trajectory = await bench.demonstrate(session.page, session.act)
    assert in_order(event_lines(trajectory, session.page)) == in_order(session.events)
    assert gap_kinds(trajectory) == list(session.gaps)
    assert trajectory.health is not None
    assert [t.failed for t in trajectory.health.self_tests] == [()] * len(
        trajectory.health.self_tests
    )
