"""The page of the notebook that compares DBSCAN with the group-by says what is so."""

from __future__ import annotations

import pytest

from odokit.dom import parse
from odokit.errors import NavModelError
from odokit.substructure import Equivalence, compare_with_dbscan
from odokit.substructure import equivalence as module

PAGE = parse("<ul><li><a>x</a></li><li><a>y</a></li><li><b>z</b></li></ul>")


@pytest.mark.parametrize(
    ("rounds", "eps", "level", "n"), [(2, 0.7, 1, 2), (2, 0.9, 0, 2), (0, 1.0, None, 1)]
)
def test_both_ways_find_the_same(rounds: int, eps: float, level: int | None, n: int) -> None:
    assert compare_with_dbscan(PAGE, rounds, eps) == Equivalence(rounds, eps, level, n, n, True)


def test_groups_that_are_too_small_are_noise_in_both() -> None:
    found = compare_with_dbscan(PAGE, 2, 0.9, min_samples=3)
    assert (found.n_clusters, found.n_groups, found.is_same) == (1, 1, True)


def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "level_of", lambda eps, rounds: rounds)
    assert not compare_with_dbscan(PAGE, 2, 0.9).is_same


def test_a_page_too_large_for_all_pairs_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ELEMENTS", 5)
    with pytest.raises(NavModelError, match="at most 5"):
        compare_with_dbscan(PAGE, 2, 0.9)
