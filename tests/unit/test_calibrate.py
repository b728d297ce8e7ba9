"""Confidences follow from counts, hold out what they are judged on, and ship with the package."""

from __future__ import annotations

import pytest

from odokit.drift import Trial, calibration_error, fit_rungs, held_out_bins, outcomes
from odokit.execute.confidence import MIN_CONFIDENCE, calibration, rung_confidence


def trial(app: str, rung: str, *, right: bool = True) -> Trial:
    is_found = rung not in ("none", "ambiguous")
    return Trial(app, "t#0", "none", rung, is_found, right and is_found, "right")


def test_a_rung_seldom_seen_is_trusted_less_than_one_often_right() -> None:
    trials = [trial("a", "often")] * 200 + [trial("a", "seldom")] * 3 + [trial("a", "none")] * 9
    rungs = fit_rungs(trials)
    assert list(rungs) == ["often", "seldom"]
    assert rungs["often"].confidence > 0.98 > 0.6 > rungs["seldom"].confidence > 0
    assert (rungs["seldom"].n, rungs["seldom"].right) == (3, 3)


def test_wrong_elements_lower_the_confidence_below_their_share() -> None:
    mixed = [trial("a", "x")] * 90 + [trial("a", "x", right=False)] * 10
    assert 0.8 < fit_rungs(mixed)["x"].confidence < 0.9


def test_an_application_is_judged_by_what_the_others_taught() -> None:
    trials = [trial("a", "x")] * 50 + [trial("b", "x", right=False)] * 50
    first, second = held_out_bins(trials)
    assert (first.held_out, first.right, first.confidence) == (0, 50, 0.0)
    assert (second.held_out, second.right) == (1, 0)
    assert second.confidence > 0.9
    assert calibration_error([second], 0.5) == pytest.approx(second.confidence)
    assert calibration_error([first, second], 0.999) == 0.0


def test_below_the_threshold_nothing_counts_as_found() -> None:
    trials = [trial("a", "x"), trial("a", "y"), trial("a", "y", right=False), trial("a", "none")]
    assert outcomes(trials, {"x": 0.9, "y": 0.9}, 0.8) == {"right": 2, "wrong": 1, "abstained": 1}
    assert outcomes(trials, {"x": 0.9, "y": 0.7}, 0.8) == {"right": 1, "abstained": 3}


def test_the_shipped_confidences_are_what_their_counts_say() -> None:
    rungs = calibration()["rungs"]
    assert rung_confidence("name+regions") > MIN_CONFIDENCE
    assert rung_confidence("none") == rung_confidence("no such rung") == 0.0
    for rung, count in rungs.items():
        trials = [trial("a", rung)] * count["right"]
        trials += [trial("a", rung, right=False)] * (count["n"] - count["right"])
        assert fit_rungs(trials)[rung].confidence == count["confidence"]
