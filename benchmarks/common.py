"""What the benchmarks share: time and memory in a fresh process, a synthetic page, the results.

A script `bench_*.py` has a function `rows(quick)` that returns its comparisons, and ends with
`main(rows)`. `make bench` runs them all (`run_all.py`) and prints one table.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, astuple, dataclass, fields
from multiprocessing import get_context
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "reports" / "bench.json"
_STATUS = Path("/proc/self/status")

Work = Callable[[], Any]
Rows = Callable[[bool], "list[Row]"]


@dataclass(frozen=True)
class Row:
    """One comparison with the naive way, both measured in this run.

    Attributes:
        name: What was done.
        n: Size of the input.
        ours_s: Seconds of ours, best of several.
        naive_s: Seconds of the naive way, once.
        ratio: Naive over ours.
        peak_mb: Memory ours took at its peak beyond what its process held before, in MB.
        naive_peak_mb: The same of the naive way.
        file_mb: Size of the file that ours wrote, in MB; None when it wrote none.
        naive_file_mb: The same of the naive way.
    """

    name: str
    n: int
    ours_s: float
    naive_s: float
    ratio: float
    peak_mb: float
    naive_peak_mb: float
    file_mb: float | None = None
    naive_file_mb: float | None = None


@dataclass(frozen=True)
class Measured:
    """What one way cost.

    Attributes:
        seconds: Wall time, best of its repeats.
        peak_mb: Resident memory at the peak of the first run beyond what the process held before,
            in MB.
        result: What it returned.
    """

    seconds: float
    peak_mb: float
    result: Any


def compare(name: str, n: int, ours: Work, naive: Work, *, repeats: int = 5) -> Row:
    """Measure ours (best of several) against the naive way (once), each in a fresh process.

    Args:
        name: What is done.
        n: Size of the input.
        ours: A function of a module, or a `functools.partial` of one; lambdas do not travel to
            another process.
        naive: The same for the naive way.
        repeats: Runs of ours.
    """
    return make_row(name, n, measure(ours, repeats=repeats), measure(naive))


def measure(work: Work, *, repeats: int = 1) -> Measured:
    """Run some work in a fresh process; see `compare` for what can be run."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_measure, work, repeats).result()


def make_row(name: str, n: int, ours: Measured, naive: Measured) -> Row:
    """A row of what was measured."""
    return Row(
        name,
        n,
        round(ours.seconds, 5),
        round(naive.seconds, 5),
        round(naive.seconds / ours.seconds, 1),
        round(ours.peak_mb, 1),
        round(naive.peak_mb, 1),
    )


def main(rows: Rows, arguments: Sequence[str] | None = None) -> None:
    """The command line of a script: `--quick` for small sizes, `--out FILE` for the results."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="small sizes: does the script run?")
    parser.add_argument("--out", type=Path, default=RESULTS, help="results, a JSON list")
    options = parser.parse_args(arguments)
    report(rows(options.quick), options.out)


def report(rows: list[Row], path: Path = RESULTS) -> None:
    """Print rows as a table and put them into a file, in place of those of the same name."""
    print(_line([field.name for field in fields(Row)]))
    for row in rows:
        print(_line(["" if v is None else v for v in astuple(row)]))
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    fresh = {r.name for r in rows}
    kept = [k for k in known if k["name"] not in fresh]
    path.parent.mkdir(parents=True, exist_ok=True)
    measured = [{k: v for k, v in asdict(r).items() if v is not None} for r in rows]
    path.write_text(json.dumps(kept + measured, indent=1), encoding="utf-8")


def make_page(n_nodes: int, seed: int = 0) -> str:
    """A page of cards and table rows with optional parts, about `n_nodes` elements."""
    rng = random.Random(seed)
    parts: list[str] = []
    size = 0
    while size < n_nodes:
        rows = []
        for i in range(rng.randint(8, 40)):
            extra = "<span>new</span>" if rng.random() < 0.3 else ""
            rows.append(f"<tr><td><a href='/c/{i}'>Item {i}</a>{extra}</td><td><b>x</b></td></tr>")
            size += 6 + bool(extra)
        cards = "".join(
            f"<li><div><h3>{i}</h3><p>text</p><button>Open</button></div></li>"
            for i in range(rng.randint(4, 16))
        )
        size += 5 * cards.count("<li>")
        parts.append(
            f"<section><table><tbody>{''.join(rows)}</tbody></table><ul>{cards}</ul></section>"
        )
    return f"<html><body><main>{''.join(parts)}</main></body></html>"


def _line(cells: Sequence[object]) -> str:
    return f"{cells[0]:44}" + "".join(f"{cell!s:>14}" for cell in cells[1:])


def _measure(work: Work, repeats: int) -> Measured:
    before = _start_peak()
    seconds, result = _timed(work)
    peak = _peak_mb() - before
    more = [_timed(work)[0] for _ in range(repeats - 1)]
    return Measured(min([seconds, *more]), max(peak, 0.0), result)


def _timed(work: Work) -> tuple[float, Any]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def _start_peak() -> float:
    """Begin a new peak where the system can; return the memory held now, in MB."""
    if _STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak_mb()


def _peak_mb() -> float:
    """Peak resident memory in MB.

    Linux hands `ru_maxrss` down from the parent to a new process, so it would tell of the wrong
    one; macOS has no `/proc`, and counts it in bytes.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        return int(next(x for x in lines if x.startswith("VmHWM")).split()[1]) / 1e3
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
