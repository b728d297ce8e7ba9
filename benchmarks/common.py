"""What the benchmarks share: timing, a synthetic page, and the file of results."""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parents[1] / "reports" / "bench.json"


@dataclass(frozen=True)
class Row:
    """One comparison with the naive way, both measured in this run.

    Attributes:
        name: What was done.
        n: Size of the input.
        ours_s: Seconds of ours, best of several.
        naive_s: Seconds of the naive way, once.
        ratio: Naive over ours.
        peak_mb: Peak memory of ours beyond the input, in MB.
    """

    name: str
    n: int
    ours_s: float
    naive_s: float
    ratio: float
    peak_mb: float


def compare(
    name: str, n: int, ours: Callable[[], Any], naive: Callable[[], Any], repeats: int = 5
) -> Row:
    """Time ours (best of several) against the naive way (once), and ours for memory apart."""
    best = min(_seconds(ours) for _ in range(repeats))
    slow = _seconds(naive)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return Row(name, n, round(best, 5), round(slow, 4), round(slow / best, 1), round(peak, 1))


def report(rows: list[Row]) -> None:
    """Print rows as a table and merge them into `reports/bench.json`."""
    print(f"{'name':32} {'n':>8} {'ours s':>9} {'naive s':>9} {'ratio':>9} {'peak MB':>8}")
    for r in rows:
        print(f"{r.name:32} {r.n:8} {r.ours_s:9} {r.naive_s:9} {r.ratio:9} {r.peak_mb:8}")
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    fresh = {(r.name, r.n) for r in rows}
    kept = [k for k in known if (k["name"], k["n"]) not in fresh]
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(kept + [asdict(r) for r in rows], indent=1), encoding="utf-8")


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


def _seconds(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
