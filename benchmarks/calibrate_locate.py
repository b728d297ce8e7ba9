"""Measure how far each rung of the locate ladder can be trusted, and write `rungs.json`.

    python benchmarks/calibrate_locate.py [--seed 0] [--out FILE]

Every recorded interaction of the shipped demonstrations is looked for on drifted versions of its
page and on pages of other demonstrations, where it is or is not. Each application in turn is held
out: its elements are judged by confidences fitted on the others. The file is fitted on all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import asdict
from pathlib import Path

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.drift import (
    Trial,
    calibration_error,
    fit_rungs,
    held_out_bins,
    outcomes,
    read_cases,
    try_drift,
    try_elsewhere,
)
from odokit.execute.confidence import MIN_CONFIDENCE, RUNGS_FILE

ROOT = Path(__file__).parents[1]
TESTBEDS = ROOT / "data" / "testbeds"


async def collect(seed: int) -> list[Trial]:
    """Trials of all applications on drifted and on other pages."""
    trials: list[Trial] = []
    async with open_browser(Settings.load()) as browser:
        for folder in sorted(TESTBEDS.iterdir()):
            cases = read_cases(folder / "demonstrations")
            trials += [t async for t in try_drift(browser, cases)]
            trials += [t async for t in try_elsewhere(browser, cases, seed=seed)]
    return trials


def show(trials: list[Trial]) -> None:
    """Print what the rungs are worth, and what their confidences are on applications held out."""
    print(f"{'rung':22} {'n':>6} {'right':>6} {'confidence':>10}")
    for rung, count in fit_rungs(trials).items():
        print(f"{rung:22} {count.n:6} {count.right:6} {count.confidence:10}")
    bins = held_out_bins(trials)
    print(f"\n{'held out':22} {'n':>6} {'right':>6} {'abst.':>6} {'wrong':>6} {'ECE':>8}")
    for number, app in enumerate(sorted({t.app for t in trials})):
        own = [t for t in trials if t.app == app]
        fitted = {r: c.confidence for r, c in fit_rungs(t for t in trials if t.app != app).items()}
        found = outcomes(own, fitted, MIN_CONFIDENCE)
        error = calibration_error([b for b in bins if b.held_out == number], MIN_CONFIDENCE)
        numbers = f"{found['right']:6} {found['abstained']:6} {found['wrong']:6} {error:8.4f}"
        print(f"{app:22} {len(own):6} {numbers}")
    print(f"{'all':22} {len(trials):6} {'':20} {calibration_error(bins, MIN_CONFIDENCE):8.4f}")


def write(trials: list[Trial], out: Path) -> None:
    """Write counts and bins, a line each."""
    rungs = {rung: asdict(count) for rung, count in fit_rungs(trials).items()}
    bins = [asdict(b) for b in held_out_bins(trials)]
    body = json.dumps({"rungs": rungs, "bins": bins}, indent=1)
    out.write_text(body + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Calibrate the locate ladder.")
    parser.add_argument("--seed", type=int, default=0, help="Of the choice of other pages.")
    parser.add_argument("--out", type=Path, default=ROOT / "odokit" / "execute" / RUNGS_FILE)
    arguments = parser.parse_args()
    trials = asyncio.run(collect(arguments.seed))
    show(trials)
    write(trials, arguments.out)


if __name__ == "__main__":
    main()
