"""Are recorded elements still found when their page has changed? The ladder against the xpath.

    python benchmarks/drift.py [--out reports/drift.json] [--app NAME]...

Every recorded interaction of the shipped demonstrations is looked for on the page it was recorded
on, changed in one way at a time (`odokit/drift/drift.js`). The right element is known by reference.
Of a removed one, only another link of the same words to the same address is right.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.drift import KINDS, Trial, outcomes, read_cases, try_drift
from odokit.execute.confidence import MIN_CONFIDENCE, calibration

ROOT = Path(__file__).parents[1]
TESTBEDS = ROOT / "data" / "testbeds"


@dataclass(frozen=True)
class Line:
    """What became of the elements of an application (or of all) after one kind of change.

    Attributes:
        app: Name of the application, or `all`.
        kind: How the page was changed.
        n: Interactions whose page offers something to change in that way.
        right: Located correctly by the ladder.
        abstained: Not located by the ladder.
        wrong: Located wrongly by the ladder.
        paper_right: Located correctly by the recorded xpath.
        paper_abstained: Not located by it.
        paper_wrong: Located wrongly by it.
    """

    app: str
    kind: str
    n: int
    right: int
    abstained: int
    wrong: int
    paper_right: int
    paper_abstained: int
    paper_wrong: int


def summarise(app: str, kind: str, trials: list[Trial]) -> Line:
    """Count the outcomes of some trials by both ways."""
    confidences = {rung: count["confidence"] for rung, count in calibration()["rungs"].items()}
    ours = outcomes(trials, confidences, MIN_CONFIDENCE)
    paper = Counter(t.paper for t in trials)
    return Line(
        app,
        kind,
        len(trials),
        ours["right"],
        ours["abstained"],
        ours["wrong"],
        paper["right"],
        paper["abstained"],
        paper["wrong"],
    )


async def collect(apps: list[str], kinds: tuple[str, ...]) -> list[Trial]:
    """All trials of some applications."""
    async with open_browser(Settings.load()) as browser:
        trials: list[Trial] = []
        for app in apps:
            cases = read_cases(TESTBEDS / app / "demonstrations")
            trials += [t async for t in try_drift(browser, cases, kinds)]
        return trials


def lines(trials: list[Trial]) -> list[Line]:
    """A line a kind for all applications together, then for each."""
    apps = sorted({t.app for t in trials})
    return [
        summarise(app, kind, [t for t in trials if t.kind == kind and app in ("all", t.app)])
        for app in ("all", *apps)
        for kind in KINDS
    ]


def show(table: list[Line]) -> None:
    """Print the table, shares in percent."""
    head = f"{'':8} {'change':14} {'n':>5} {'right':>7} {'abst.':>7} {'wrong':>7}"
    print(f"{head}   {'xpath: right':>12} {'abst.':>7} {'wrong':>7}")
    for line in (x for x in table if x.n):
        ours = (line.right, line.abstained, line.wrong)
        paper = (line.paper_right, line.paper_abstained, line.paper_wrong)
        a, b, c = (f"{100 * x / line.n:.1f}" for x in ours)
        d, e, f = (f"{100 * x / line.n:.1f}" for x in paper)
        print(
            f"{line.app:8} {line.kind:14} {line.n:5} {a:>7} {b:>7} {c:>7}   {d:>12} {e:>7} {f:>7}"
        )


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description="Locate recorded elements on drifted pages.")
    parser.add_argument("--out", type=Path, default=ROOT / "reports" / "drift.json")
    parser.add_argument("--app", action="append", default=None, help="Repeatable; all by default.")
    arguments = parser.parse_args()
    apps = arguments.app or sorted(p.name for p in TESTBEDS.iterdir())
    table = lines(asyncio.run(collect(apps, KINDS)))
    show(table)
    arguments.out.parent.mkdir(exist_ok=True)
    arguments.out.write_text(json.dumps([asdict(x) for x in table], indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
