"""Write a run's report: one HTML file that opens offline and can be sent to anybody.

Everything that came from a page, a task or a model is hostile text. It enters the file escaped, or
as JSON in a data block with `<` and `>` written as escapes; the policy in the head lets only the
two scripts run whose hashes it names, and lets nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from odokit.navmodel import NavModel
from odokit.report.baselines import BASELINES
from odokit.report.figures import (
    plot_decisions,
    plot_rungs,
    plot_seconds,
    plot_success,
    plot_tokens,
)
from odokit.report.graph import plot_model
from odokit.report.markup import figure_block, plotly_scripts, resource, text
from odokit.report.style import counted
from odokit.report.tables import success_rate, summarize_episodes, summarize_repairs
from odokit.stats import bootstrap_mean

if TYPE_CHECKING:
    import plotly.graph_objects as go

BOOTSTRAP_SEED = 2026


def write_report(
    path: Path,
    *,
    run: Mapping[str, Any],
    episodes: pl.DataFrame,
    steps: pl.DataFrame,
    decisions: pl.DataFrame,
    calls: pl.DataFrame,
    model: NavModel | None = None,
    repairs: pl.DataFrame | None = None,
) -> Path:
    """Write the report of a run as one self-contained HTML file.

    Args:
        path: File to write; its folder is made.
        run: Content of `run.json`: parameters, versions, seeds, hashes, status.
        episodes: Rows of `v_episode`.
        steps: Rows of `v_step`.
        decisions: Rows of `v_decision`.
        calls: Rows of `v_llm_call`.
        model: The behaviour model that was used; its graph is left out when None.
        repairs: Rows of `v_repair`; nothing is said of repairs when there are none.

    Returns:
        The path.
    """
    title = f"Run {run.get('run_id', '')}".strip()
    figures = [
        ("How the tasks ended", plot_success(episodes)),
        ("What they cost", plot_tokens(episodes)),
        ("Who decided", plot_decisions(decisions)),
        ("How elements were found", plot_rungs(steps)),
        ("How long it took", plot_seconds(episodes, steps)),
    ]
    body = [
        f"<h1>{text(title)}</h1>",
        f'<p class="quiet">{text(_subtitle(run, episodes))}</p>',
        _headline(episodes, calls),
        _comparison(episodes),
        *(_section(heading, _figure(i, f)) for i, (heading, f) in enumerate(figures)),
        _section("By task template", _table(summarize_episodes(episodes))),
    ]
    if model is not None:
        body.append(_section("What the agent knew", _figure(len(figures), plot_model(model))))
    if repairs is not None and not repairs.is_empty():
        body.append(_section("Elements that had changed", _table(summarize_repairs(repairs))))
    body.append(_section("Every task", _episodes(episodes, steps)))
    body.append(_section("Where this comes from", _provenance(run)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_page(title, "\n".join(body)), encoding="utf-8")
    return path


def _page(title: str, body: str) -> str:
    scripts = plotly_scripts()
    allowed = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    inline = "\n".join(f"<script>{script}</script>" for script in scripts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{text(title)}</title>\n<style>\n{resource('report.css')}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n<footer>Written by odokit. This file needs no network.</footer>\n"
        "<noscript>The figures need JavaScript; the tables hold the same numbers.</noscript>\n"
        f"</main>\n{inline}\n</body>\n</html>\n"
    )


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _section(heading: str, content: str) -> str:
    return f"<section>\n<h2>{text(heading)}</h2>\n{content}\n</section>"


def _figure(number: int, figure: go.Figure) -> str:
    return figure_block(f"figure-{number}", figure.to_json(), figure.layout.width)


def _subtitle(run: Mapping[str, Any], episodes: pl.DataFrame) -> str:
    agents = sorted({f"{a}, policy {p}" for a, p in episodes.select("agent", "policy").iter_rows()})
    parts = [counted(episodes.height, "task"), *agents]
    parts += [f"started {run['started_at']}"] if run.get("started_at") else []
    return " · ".join(parts)


def _headline(episodes: pl.DataFrame, calls: pl.DataFrame) -> str:
    rate = success_rate(episodes)
    interval = rate.interval
    cards = [
        (
            f"{100 * rate.share:.1f} %" if rate.n else "–",
            "of tasks succeeded",
            f"{rate.n_success} of {rate.n}; 95 % interval {100 * interval.low:.1f} to "
            f"{100 * interval.high:.1f} %",
        ),
        _tokens_card(episodes, calls),
        _seconds_card(episodes),
        _left_card(episodes),
    ]
    items = "".join(
        f'<div class="number"><b>{text(number)}</b><span>{text(what)}</span>'
        f"<small>{text(note)}</small></div>"
        for number, what, note in cards
    )
    return f'<div class="numbers">{items}</div>'


def _tokens_card(episodes: pl.DataFrame, calls: pl.DataFrame) -> tuple[str, str, str]:
    tokens = [float(n) for n in episodes["tokens"]]
    if not tokens:
        return "–", "tokens a task", "no task was executed"
    interval = bootstrap_mean(tokens, BOOTSTRAP_SEED)
    note = f"mean; 95 % interval {interval.low:,.0f} to {interval.high:,.0f}; "
    prices = calls["usd"].to_list()
    cost = "" if None in prices or not prices else f", {sum(prices):.4f} USD in all"
    note += f"{counted(calls.height, 'model call')}{cost}"
    return f"{sum(tokens) / len(tokens):,.0f}", "tokens a task", note


def _seconds_card(episodes: pl.DataFrame) -> tuple[str, str, str]:
    seconds = sorted(float(s) for s in episodes["seconds"])
    if not seconds:
        return "–", "seconds a task", "no task was executed"
    middle = (seconds[(len(seconds) - 1) // 2] + seconds[len(seconds) // 2]) / 2
    return f"{middle:.1f} s", "a task", f"median; longest {seconds[-1]:.1f} s"


def _left_card(episodes: pl.DataFrame) -> tuple[str, str, str]:
    outcomes = episodes["outcome"].to_list()
    n = {name: outcomes.count(name) for name in ("abstained", "failure", "error")}
    note = f"{counted(n['failure'], 'failure')}, {counted(n['error'], 'error')} of site or harness"
    return str(n["abstained"]), "left undecided, with a reason", note


def _comparison(episodes: pl.DataFrame) -> str:
    rows = []
    for (agent, policy), group in episodes.group_by("agent", "policy", maintain_order=True):
        rate = success_rate(group)
        tokens = [float(n) for n in group["tokens"]]
        cells = (
            f"{agent}, {policy}",
            f"{100 * rate.share:.1f} %" if rate.n else "–",
            f"{sum(tokens) / len(tokens):,.0f}",
            f"this run, {counted(group.height, 'task')}",
        )
        rows.append(_row(cells, "ours"))
    for baseline in BASELINES:
        cells = (
            baseline.agent,
            baseline.success_text,
            f"{baseline.tokens_per_task:,}",
            baseline.setting,
        )
        rows.append(_row(cells))
    head = _row(("Agent", "Success", "Tokens a task", "Measured on"), tag="th")
    source = (
        f"Published figures: {BASELINES[0].source}; read on {BASELINES[0].as_of:%Y-%m-%d}. "
        "They are of other tasks on another application, so they show the order of magnitude."
    )
    table = f'<div class="card"><table>{head}{"".join(rows)}</table></div>'
    return _section("Beside what is published", f'{table}<p class="quiet">{text(source)}</p>')


def _row(cells: Sequence[object], css: str = "", *, tag: str = "td") -> str:
    """A table row of a comparison: name, numbers, remark."""
    last = len(cells) - 1
    inner = "".join(_data(cell, tag, is_number=0 < i < last) for i, cell in enumerate(cells))
    return f'<tr class="{css}">{inner}</tr>' if css else f"<tr>{inner}</tr>"


def _data(cell: object, tag: str = "td", *, is_number: bool = False) -> str:
    css = ' class="n"' if is_number else ""
    return f"<{tag}{css}>{text(cell)}</{tag}>"


_HEADINGS = {
    "template_id": "Template",
    "n": "Judged",
    "n_success": "Success",
    "n_abstained": "Abstained",
    "n_failure": "Failure",
    "n_error": "Error",
    "success": "Rate",
    "low": "from",
    "high": "to",
    "tokens_mean": "Tokens a task",
    "seconds_median": "Seconds, median",
}
_PERCENT = frozenset({"success", "low", "high"})


def _table(frame: pl.DataFrame) -> str:
    """A frame as a table: the first column is a name, the others are numbers."""
    names = [_HEADINGS.get(name, name.replace("_", " ")) for name in frame.columns]
    lines = ["".join(_data(name, "th", is_number=i > 0) for i, name in enumerate(names))]
    for row in frame.iter_rows(named=True):
        cells = [_cell(name, value) for name, value in row.items()]
        lines.append("".join(_data(cell, is_number=i > 0) for i, cell in enumerate(cells)))
    rows = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="card"><table>{rows}</table></div>'


def _cell(name: str, value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{100 * value:.0f} %" if name in _PERCENT else f"{value:,.1f}"
    return str(value)


_WORST_FIRST = {"failure": 0, "error": 1, "abstained": 2, "success": 3}


def _episodes(episodes: pl.DataFrame, steps: pl.DataFrame) -> str:
    by_episode: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for step in steps.sort("number").iter_rows(named=True):
        by_episode.setdefault((step["run_id"], step["episode_id"]), []).append(step)
    rows = sorted(
        episodes.iter_rows(named=True),
        key=lambda e: (_WORST_FIRST.get(e["outcome"], 0), e["instance_id"]),
    )
    return "\n".join(
        _episode(row, by_episode.get((row["run_id"], row["episode_id"]), ())) for row in rows
    )


def _episode(row: Mapping[str, Any], steps: Iterable[Mapping[str, Any]]) -> str:
    outcome = row["outcome"] if row["outcome"] in _WORST_FIRST else "error"
    parts = [
        (label, row[name])
        for label, name in (
            ("Instance", "instance_id"),
            ("Reason", "reason"),
            ("Verdict", "verdict"),
            ("Followed", "trajectory_id"),
        )
        if row[name]
    ]
    inside = "".join(f"<h3>{label}</h3><pre>{text(value)}</pre>" for label, value in parts)
    return (
        f'<details><summary><span class="outcome {outcome}">{outcome}</span>'
        f'<span class="task">{text(row["task"])}</span>'
        f'<span class="n">{row["tokens"]:,} tokens</span>'
        f'<span class="n">{row["seconds"]:.1f} s</span></summary>'
        f'<div class="inside">{inside}{_steps(steps)}</div></details>'
    )


def _steps(steps: Iterable[Mapping[str, Any]]) -> str:
    rows = [
        (
            step["number"] + 1,
            step["label"],
            step["value"],
            f"{step['rung'] or 'not found'} {step['confidence']:.2f}",
            f"{step['seconds']:.2f} s",
            step["result"],
        )
        for step in steps
    ]
    if not rows:
        return ""
    head = "".join(_data(h, "th") for h in ("", "Step", "Value", "Found by", "Time", "Result"))
    body = "".join(f"<tr>{''.join(_data(cell) for cell in row)}</tr>" for row in rows)
    return f"<h3>Steps</h3><table><tr>{head}</tr>{body}</table>"


def _provenance(run: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><th>{text(key)}</th><td><pre>{text(_value(value))}</pre></td></tr>"
        for key, value in run.items()
    )
    return f'<div class="card"><table>{rows}</table></div>'


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, indent=1, ensure_ascii=False, default=str)
