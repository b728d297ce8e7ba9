"""Published results of other agents, to set ours against; edit the table when one is published."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Baseline:
    """What was published about an agent.

    Attributes:
        agent: Its name, with the configuration where there are several.
        tokens_per_task: Mean tokens a task, prompt and completion.
        success: Share of tasks achieved, 0 to 1; None where only a bound is given.
        success_text: Success in words, as published.
        build_tokens: Tokens spent once on a model; 0 for agents without one.
        setting: What it was measured on.
        source: Where it was published.
        as_of: Day on which the table was last compared with the source.
    """

    agent: str
    tokens_per_task: int
    success: float | None
    success_text: str
    build_tokens: int
    setting: str
    source: str
    as_of: date


_SETTING = "45 tasks on Canvas, mean of 5 runs"
_SOURCE = (
    "Token Efficient Task Execution via Application Behavior Modeling for Web Agents "
    "(arXiv 2609.13491), section VII, Table IV"
)
_READ = date(2026, 11, 30)

BASELINES: tuple[Baseline, ...] = (
    Baseline("OdoBot", 19_800, 0.764, "76.4 %", 10_300_000, _SETTING, _SOURCE, _READ),
    Baseline("Agent-E", 35_100, 0.85, "about 85 %", 0, _SETTING, _SOURCE, _READ),
    Baseline("WebVoyager (1080p)", 102_000, None, "below 76.4 %", 0, _SETTING, _SOURCE, _READ),
)
"""The paper's comparison: tokens a task are its totals over 45 tasks, rounded to hundreds."""
