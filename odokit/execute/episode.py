"""The record of one execution: outcome, reason, steps and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from odokit.decide import Decision


class Outcome(StrEnum):
    """How an episode ended; what each end means is never mixed."""

    SUCCESS = "success"
    """All target writes were observed with the right values."""
    FAILURE = "failure"
    """The agent did something and it was not the task."""
    ABSTAINED = "abstained"
    """The agent did not decide, and says why."""
    ERROR = "error"
    """Site or harness failed; the episode says nothing of the agent."""


@dataclass(frozen=True)
class StepRecord:
    """One performed interaction.

    Attributes:
        number: Position in the episode, from 0.
        label: What was done, in words.
        vertex: Name of the vertex.
        rung: How the element was recognised; empty when it was not.
        confidence: Confidence of the recognition, from 0 to 1.
        value: What was entered or chosen, secrets as placeholders.
        seconds: Time from looking for the element to the end of its effects.
        result: `done`, `kept` (already so), or what went wrong.
        repair: The element as it was found, as JSON, when it was found on a loose rung: a proposal
            to describe it so from now on. The model stays as it is.
    """

    number: int
    label: str
    vertex: str
    rung: str
    confidence: float
    value: str
    seconds: float
    result: str
    repair: str | None = None


@dataclass(frozen=True)
class Episode:
    """One execution of a task.

    Attributes:
        task: The task in words.
        outcome: The agent's own view; the evaluator's verdict stands above it.
        reason: Why it ended so.
        trajectory_id: Demonstration followed; empty when none was chosen.
        steps: Interactions performed.
        decisions: Decisions taken.
        n_replans: Times it had to find its way again.
        tokens_prompt: Prompt tokens spent.
        tokens_completion: Completion tokens spent.
        seconds: Wall time.
        blocked: Writes the guard stopped.
    """

    task: str
    outcome: Outcome
    reason: str
    trajectory_id: str = ""
    steps: Sequence[StepRecord] = field(default_factory=tuple)
    decisions: Sequence[Decision] = field(default_factory=tuple)
    n_replans: int = 0
    tokens_prompt: int = 0
    tokens_completion: int = 0
    seconds: float = 0.0
    blocked: Sequence[str] = field(default_factory=tuple)
