"""Read back what a run left in the store and beside it, and write its report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from odokit.config import Settings
from odokit.errors import StudyError
from odokit.report import write_report
from odokit.study.workspace import open_workspace, read_model

REPORT_NAME = "report.html"
PROVENANCE_NAMES = ("run.json", "facts.json")


@dataclass(frozen=True)
class RunFrames:
    """Everything a run left behind.

    Attributes:
        run_id: Which run.
        facts: Its row of `v_run`, with what its `run.json` says besides.
        episodes: Its rows of `v_episode`.
        steps: Its rows of `v_step`.
        decisions: Its rows of `v_decision`.
        calls: Its rows of `v_llm_call`.
        repairs: Its rows of `v_repair`.
    """

    run_id: str
    facts: Mapping[str, Any]
    episodes: pl.DataFrame
    steps: pl.DataFrame
    decisions: pl.DataFrame
    calls: pl.DataFrame
    repairs: pl.DataFrame


def scratch_folder(settings: Settings) -> Path:
    """Where recordings go that are made only to look at them."""
    return settings.data / "interim" / "recordings"


def find_run(settings: Settings, run_id: str = "") -> str:
    """Find the run to report on.

    Args:
        settings: The project.
        run_id: A run; the latest that executed tasks when empty, or when this one executed none.

    Raises:
        StudyError: The run is unknown, or no run executed a task yet.
    """
    with open_workspace(settings) as store:
        runs = store.frame("v_run").filter(pl.col("n_tasks") > 0).sort("started_at")
    known = runs["run_id"].to_list()
    if run_id in known:
        return run_id
    if run_id and not (settings.reports / run_id).exists():
        raise StudyError(
            f"there is no run {run_id!r}; the runs with tasks are {', '.join(known) or 'none'}."
        )
    if not known:
        raise StudyError("no run executed a task yet; run 07_execute or `odokit execute` first.")
    return str(known[-1])


def read_run(settings: Settings, run_id: str = "") -> RunFrames:
    """Read what a run left behind; `find_run` tells which run an id means.

    Raises:
        StudyError: The run is unknown, or no run executed a task yet.
    """
    found = find_run(settings, run_id)
    with open_workspace(settings) as store:
        row = store.frame("v_run", run_id=found).row(0, named=True)
        views = ("v_episode", "v_step", "v_decision", "v_llm_call", "v_repair")
        frames = [store.frame(view, run_id=found) for view in views]
    facts: dict[str, Any] = {}
    for name in PROVENANCE_NAMES:
        path = settings.reports / found / name
        if path.exists():
            facts.update(json.loads(path.read_text(encoding="utf-8")))
    # The store's row is the newer one: run.json is finished only when the last notebook is.
    facts.update((key, value) for key, value in row.items() if value is not None)
    return RunFrames(found, facts, *frames)


def write_run_report(settings: Settings, run_id: str = "") -> Path:
    """Write the report of a run into its folder.

    Args:
        settings: The project.
        run_id: As for `find_run`; a run that executed nothing gets the report of the latest.

    Returns:
        The HTML file.

    Raises:
        StudyError: The run is unknown, or no run executed a task yet.
    """
    frames = read_run(settings, run_id)
    return write_report(
        settings.reports / (run_id or frames.run_id) / REPORT_NAME,
        run=frames.facts,
        episodes=frames.episodes,
        steps=frames.steps,
        decisions=frames.decisions,
        calls=frames.calls,
        model=read_model(settings, str(frames.facts["model_id"])),
        repairs=frames.repairs,
    )
