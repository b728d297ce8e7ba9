"""How unique are fingerprints? Elements of a page that share those of a recorded one, clue by clue.

    python benchmarks/fingerprints.py [--app NAME]...

Every recorded interaction of the shipped demonstrations on the page it was recorded on. A line
counts the elements with that clue and all clues before it: the share of interactions for which the
recorded element is the only one, and the mean and the largest number of elements.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from statistics import mean

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.drift import CLUES, Uniqueness, count_alike, read_cases

TESTBEDS = Path(__file__).parents[1] / "data" / "testbeds"


async def collect(apps: list[str]) -> list[Uniqueness]:
    """Counts of all cases of some applications."""
    found: list[Uniqueness] = []
    async with open_browser(Settings.load()) as browser:
        for app in apps:
            cases = read_cases(TESTBEDS / app / "demonstrations")
            found += [u async for u in count_alike(browser, cases)]
    return found


def show(found: list[Uniqueness]) -> None:
    """Print a block an application, and one for all together."""
    apps = sorted({u.app for u in found})
    for app in [*apps, "all"]:
        own = [u for u in found if app in ("all", u.app)]
        print(f"\n{app}: {len(own)} interactions")
        print(f"{'clue':14} {'unique %':>9} {'mean':>8} {'most':>6}")
        for number, clue in enumerate(CLUES):
            counts = [u.shared[number] for u in own]
            unique = 100 * sum(c == 1 for c in counts) / len(counts)
            print(f"{clue:14} {unique:9.1f} {mean(counts):8.2f} {max(counts):6}")


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description="Measure how unique fingerprints are.")
    parser.add_argument("--app", action="append", default=None, help="Repeatable; all by default.")
    arguments = parser.parse_args()
    apps = arguments.app or sorted(p.name for p in TESTBEDS.iterdir())
    show(asyncio.run(collect(apps)))


if __name__ == "__main__":
    main()
