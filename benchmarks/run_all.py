"""Run every benchmark, one after the other, and print one table."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from common import Row, main


def rows(quick: bool) -> list[Row]:
    """The comparisons of all scripts in name order."""
    found: list[Row] = []
    for script in sorted(Path(__file__).parent.glob("bench_*.py")):
        print(f"{script.name} ...", file=sys.stderr, flush=True)
        found += import_module(script.stem).rows(quick)
    return found


if __name__ == "__main__":
    main(rows)
