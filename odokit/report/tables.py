"""Tables of what agents did, as frames: by run, by template, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from odokit.stats import Interval, wilson_interval

_COUNTS = {"success": "n_success", "abstained": "n_abstained", "failure": "n_failure"}


@dataclass(frozen=True)
class SuccessRate:
    """How many judged tasks succeeded.

    Attributes:
        n: Tasks that say something of the agent; errors of site or harness are not among them.
        n_success: Those that succeeded.
        n_error: Tasks that ended in an error of site or harness.
        interval: 95 % Wilson interval of the share.
    """

    n: int
    n_success: int
    n_error: int
    interval: Interval

    @property
    def share(self) -> float:
        """Share of successes from 0 to 1; 0 when nothing was judged."""
        return self.n_success / self.n if self.n else 0.0


def set_table_style() -> None:
    """Let frames show as plain tables from here on: whole texts, no types, up to 60 rows."""
    pl.Config(
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
        fmt_str_lengths=120,
        tbl_rows=60,
        tbl_cols=20,
    )


def success_rate(episodes: pl.DataFrame) -> SuccessRate:
    """Count successes among the tasks that could be judged.

    Args:
        episodes: Rows of `v_episode`; only `outcome` is read.
    """
    outcomes = episodes["outcome"].to_list()
    n_error = outcomes.count("error")
    n, n_success = len(outcomes) - n_error, outcomes.count("success")
    return SuccessRate(n, n_success, n_error, wilson_interval(n_success, n))


def summarize_runs(runs: pl.DataFrame) -> pl.DataFrame:
    """Summarise runs for comparison.

    Args:
        runs: Rows of `v_run`.

    Returns:
        A row a run in the order given: run_id, agent, policy, status, n (judged), success (0 to 1),
        low, high (95 % Wilson interval), n_error, tokens_mean (a task), seconds (of the run).
    """
    rows = []
    for run in runs.iter_rows(named=True):
        n = run["n_tasks"] - run["n_error"]
        interval = wilson_interval(run["n_success"], n)
        tokens = run["tokens_prompt"] + run["tokens_completion"]
        rows.append(
            {
                **{k: run[k] for k in ("run_id", "agent", "policy", "status")},
                "n": n,
                "success": run["n_success"] / n if n else None,
                "low": interval.low,
                "high": interval.high,
                "n_error": run["n_error"],
                "tokens_mean": tokens / run["n_tasks"] if run["n_tasks"] else None,
                "seconds": run["seconds"],
            }
        )
    return pl.DataFrame(rows, schema=_RUN_SCHEMA)


_RUN_SCHEMA: dict[str, type[pl.DataType]] = {
    "run_id": pl.String,
    "agent": pl.String,
    "policy": pl.String,
    "status": pl.String,
    "n": pl.Int64,
    "success": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n_error": pl.Int64,
    "tokens_mean": pl.Float64,
    "seconds": pl.Float64,
}


def summarize_episodes(episodes: pl.DataFrame) -> pl.DataFrame:
    """Summarise episodes by task template.

    Args:
        episodes: Rows of `v_episode`.

    Returns:
        A row a template in name order: template_id, n (judged), n_success, n_abstained, n_failure,
        n_error, success (0 to 1), low, high (95 % Wilson interval), tokens_mean, seconds_median.
    """
    counts = [
        (pl.col("outcome") == outcome).sum().cast(pl.Int64).alias(column)
        for outcome, column in {**_COUNTS, "error": "n_error"}.items()
    ]
    table = episodes.group_by("template_id").agg(
        (pl.col("outcome") != "error").sum().cast(pl.Int64).alias("n"),
        *counts,
        pl.col("tokens").mean().alias("tokens_mean"),
        pl.col("seconds").median().alias("seconds_median"),
    )
    pairs = table.select("n_success", "n").iter_rows()
    intervals = [wilson_interval(n_success, n) for n_success, n in pairs]
    table = table.with_columns(
        pl.when(pl.col("n") > 0).then(pl.col("n_success") / pl.col("n")).alias("success"),
        pl.Series("low", [i.low for i in intervals], dtype=pl.Float64),
        pl.Series("high", [i.high for i in intervals], dtype=pl.Float64),
    )
    columns = ["template_id", "n", *_COUNTS.values(), "n_error", "success", "low", "high"]
    return table.select(*columns, "tokens_mean", "seconds_median").sort("template_id")


def failures(episodes: pl.DataFrame, steps: pl.DataFrame) -> pl.DataFrame:
    """List what did not succeed, with the last thing that was tried.

    Args:
        episodes: Rows of `v_episode`.
        steps: Rows of `v_step` of the same runs.

    Returns:
        A row an episode that is no success, in template order: run_id, template_id, instance_id,
        outcome, reason, verdict, n_steps, last_step, last_result (null when no step was taken).
    """
    keys = ["run_id", "episode_id"]
    last = (
        steps.sort("number")
        .group_by(keys)
        .agg(
            pl.col("label").last().alias("last_step"), pl.col("result").last().alias("last_result")
        )
    )
    bad = episodes.filter(pl.col("outcome") != "success").join(last, on=keys, how="left")
    columns = "run_id template_id instance_id outcome reason verdict n_steps last_step last_result"
    return bad.sort("template_id", "instance_id", "run_id").select(columns.split())


def summarize_repairs(repairs: pl.DataFrame) -> pl.DataFrame:
    """List the elements that had changed since they were demonstrated, as proposals of repair.

    Args:
        repairs: Rows of `v_repair`.

    Returns:
        A row a vertex, rung and name, most frequent first: model_id, vertex, label, rung,
        confidence, name_now, xpath_now (of the first), n_steps, n_success.
    """
    seen = repairs.with_columns(
        name_now=pl.col("element").str.json_path_match("$.name").fill_null(""),
        xpath_now=pl.col("element").str.json_path_match("$.xpath"),
    )
    keys = ["model_id", "vertex", "label", "rung", "confidence", "name_now"]
    return (
        seen.group_by(keys, maintain_order=True)
        .agg(
            pl.col("xpath_now").first(),
            pl.len().alias("n_steps"),
            pl.col("is_success").sum().alias("n_success"),
        )
        .sort("n_steps", "label", descending=[True, False])
    )
