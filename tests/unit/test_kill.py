"""A process killed at any moment takes nothing with it that was whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from killing import Tally, kill_compactions, kill_ingests

N_QUICK, N_ALL = 10, 100
KILLS = pytest.mark.parametrize(
    "n", [N_QUICK, pytest.param(N_ALL, marks=[pytest.mark.slow, pytest.mark.timeout(1800)])]
)


@KILLS
@pytest.mark.parametrize("kill", [kill_ingests, kill_compactions])
def test_a_killed_store_opens_with_all_that_was_whole(
    tmp_path: Path, n: int, kill: Callable[[Path, int], Tally]
) -> None:
    tally = kill(tmp_path, n)
    assert tally.problems == []
    assert tally.n_kills + tally.n_finished == n
    assert tally.n_kills > 0
    assert tally.n_intact > 0
