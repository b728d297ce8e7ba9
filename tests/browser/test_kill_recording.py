"""A recorder killed at any moment leaves whole sessions whole and what it had flushed."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import kill_recordings
from site_server import SiteServer

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    "n", [8, pytest.param(30, marks=[pytest.mark.slow, pytest.mark.timeout(3600)])]
)
def test_a_killed_recorder_keeps_what_it_announced(
    tmp_path: Path, site: SiteServer, n: int
) -> None:
    tally = kill_recordings(tmp_path, site.url("form.html"), n)
    assert tally.problems == []
    assert tally.n_kills > 0
    assert tally.n_recovered >= tally.n_announced
    assert tally.n_intact + tally.n_recovered > 0
    if n >= 30:  # a few may all fall between two events, or before the end of a session
        assert tally.n_intact > 0
        assert tally.n_announced > 0
