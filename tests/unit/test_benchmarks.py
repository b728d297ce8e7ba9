"""Every benchmark runs, and its results have the agreed form."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
SCRIPTS = sorted(path.name for path in BENCHMARKS.glob("bench_*.py"))
NEEDED = {"name", "n", "ours_s", "naive_s", "ratio", "peak_mb"}


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_benchmark_runs_at_small_sizes(tmp_path: Path, script: str) -> None:
    out = tmp_path / "bench.json"
    command = [sys.executable, BENCHMARKS / script, "--quick", "--out", out]
    subprocess.run(command, check=True, capture_output=True, timeout=280)
    rows = json.loads(out.read_text(encoding="utf-8"))
    assert rows
    for row in rows:
        assert set(row) >= NEEDED
        assert row["ours_s"] > 0
        assert row["naive_s"] > 0
        assert row["peak_mb"] >= 0
    assert len({row["name"] for row in rows}) == len(rows)
