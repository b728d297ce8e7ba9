"""Kill ingest, compaction and recording at random moments and count what survives.

    python benchmarks/kill.py            # 100 kills of each
    python benchmarks/kill.py -n 10

Prints a table; ends with status 1 when anything was lost. The rounds are those of the tests
(`tests/killing.py`); the browser records on a page of `tests/site`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"


def main() -> None:
    """Run the rounds and print what they came to."""
    sys.path.insert(0, str(TESTS))
    from killing import Tally, kill_compactions, kill_ingests, kill_recordings
    from site_server import SiteServer

    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=100, help="kills of each")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    options = parser.parse_args()
    print(f"{'killed':12} {'kills':>6} {'finished':>9} {'intact':>7} {'announced':>10} "
          f"{'recovered':>10} {'lost':>5}")  # fmt: skip
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as made, SiteServer() as site:
        folder = Path(made)
        rounds: dict[str, Callable[..., Tally]] = {
            "ingest": kill_ingests,
            "compact": kill_compactions,
            "record": partial(kill_recordings, url=site.url("form.html")),
        }
        for name, kill in rounds.items():
            tally = kill(folder / name, n=options.n, seed=options.seed)
            print(f"{name:12} {tally.n_kills:6} {tally.n_finished:9} {tally.n_intact:7} "
                  f"{tally.n_announced:10} {tally.n_recovered:10} "
                  f"{len(tally.problems):5}", flush=True)  # fmt: skip
            problems += [f"{name}: {line}" for line in tally.problems]
    print("\n".join(problems))
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
