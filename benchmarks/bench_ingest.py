"""Ingest and reading back: the store against a naive table with a row per event.

Both take in the same sessions (`recordings.py`): ours as recorded, with the pages beside them by
content; the naive way as JSON lines with the page inside each event, parsed and inserted one by
one, in one transaction a session, which is kinder than none. A ratio of file sizes or times tells
of these sessions; those of real applications differ in how far pages repeat.

    python benchmarks/bench_ingest.py             # 45 sessions, 0.8 GB of pages
    python benchmarks/bench_ingest.py -n 450      # 8 GB; the naive way takes 45 of them
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
from common import Measured, Row, main, make_row, measure
from recordings import write_sessions

from odokit.store import EventStore

N, N_QUICK, N_READS = 45, 2, 20
_TABLE = (
    "CREATE TABLE event (trajectory_id VARCHAR, idx BIGINT, kind VARCHAR, t_ms DOUBLE, "
    "url VARCHAR, element VARCHAR, snapshot VARCHAR, html VARCHAR)"
)


def ingest_ours(folder: Path, path: Path) -> float:
    """Ingest a folder; return the size of the file in MB."""
    with EventStore.open(path) as store:
        store.ingest_folder(folder)
    return path.stat().st_size / 1e6


def ingest_naive(folder: Path, path: Path, n: int) -> float:
    """Insert each event of the first `n` files as a row; return the size of the file in MB."""
    with duckdb.connect(str(path)) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(_TABLE)
        for file in sorted(folder.iterdir())[:n]:
            connection.begin()
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    connection.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                                       _naive_row(json.loads(line)))  # fmt: skip
            connection.commit()
    return path.stat().st_size / 1e6


def read_ours(path: Path, keys: list[str]) -> float:
    """Read pages back; return the median of the seconds each took."""
    with EventStore.open(path, read_only=True) as store:
        return statistics.median(_seconds(partial(store.get_snapshot, key)) for key in keys)


def read_naive(path: Path, keys: list[str]) -> float:
    """The same from the naive table."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET enable_progress_bar = false")
        query = "SELECT html FROM event WHERE snapshot = ? LIMIT 1"

        def read(key: str) -> None:
            connection.execute(query, [key]).fetchall()

        return statistics.median(_seconds(partial(read, key)) for key in keys)


def rows(quick: bool, n: int = N) -> list[Row]:
    """Compare taking sessions in, and reading single pages back."""
    n = N_QUICK if quick else n
    n_naive = min(n, N)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        size = write_sessions(folder, n, n_naive) / 1e6
        ours, naive = folder / "ours.duckdb", folder / "naive.duckdb"
        taken = measure(partial(ingest_ours, folder / "ours", ours))
        inserted = measure(partial(ingest_naive, folder / "naive", naive, n_naive))
        note = "" if n == n_naive else f", naive: seconds of {n_naive} x {n // n_naive}"
        name = f"ingest {n} sessions{note}"
        print(f"{n} sessions show {size:.0f} MB of pages", file=sys.stderr)
        scaled = replace(inserted, seconds=inserted.seconds * n / n_naive)
        found = make_row(name, n, taken, scaled)
        keys = _draw_keys(naive)
        return [
            replace(found, file_mb=round(taken.result, 1), naive_file_mb=round(inserted.result, 1)),
            make_row(
                f"read one page of {n} sessions, median",
                len(keys),
                _median(measure(partial(read_ours, ours, keys))),
                _median(measure(partial(read_naive, naive, keys))),
            ),
        ]


def _draw_keys(path: Path) -> list[str]:
    with duckdb.connect(str(path), read_only=True) as connection:
        query = "SELECT DISTINCT snapshot FROM event ORDER BY 1"
        keys = [key for (key,) in connection.execute(query).fetchall()]
    return random.Random(0).sample(keys, min(N_READS, len(keys)))


def _median(measured: Measured) -> Measured:
    return replace(measured, seconds=measured.result)


def _seconds(work: partial[object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _naive_row(event: dict[str, object]) -> list[object]:
    return [
        event["trajectory_id"],
        event["idx"],
        event["kind"],
        event["t_ms"],
        event["url"],
        json.dumps(event["element"]),
        event["snapshot"],
        event["html"],
    ]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-n", type=int, default=N, help="sessions")
    chosen, rest = parser.parse_known_args()
    main(partial(rows, n=chosen.n), rest)
