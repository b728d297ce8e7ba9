"""Decision points: the questions a task leaves open, and the record of who answered them.

Each point has its deciders tried from cheap to dear; the first whose confidence reaches the point's
threshold wins. An answer below it is no answer: the agent abstains with the reason.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum


class Point(StrEnum):
    """What is being decided."""

    DEMONSTRATION = "demonstration"
    WRITES = "writes"
    PATH = "path"
    VALUE = "value"
    TARGET = "target"
    OPTION = "option"
    STATE = "state"


class Means(StrEnum):
    """Who decided, from free to dear."""

    RULE = "rule"
    LOCAL = "local"
    LLM = "llm"


THRESHOLDS: Mapping[Point, float] = {
    Point.DEMONSTRATION: 0.7,
    Point.WRITES: 0.7,
    Point.PATH: 0.5,
    Point.VALUE: 0.7,
    Point.TARGET: 0.7,
    Point.OPTION: 0.7,
    Point.STATE: 0.7,
}
"""Least confidence at which an answer counts."""

LLM_CONFIDENCE = 0.9
"""Confidence given to a model's valid reply; issue 5's calibration replaces it by measured ones."""


@dataclass(frozen=True)
class Decision:
    """One answered decision point.

    Attributes:
        decision_id: Unique id; ledger rows refer to it.
        point: What was decided.
        subject: About what: a parameter, a field, a step.
        answer: The answer in words; never a secret.
        means: Who decided.
        confidence: From 0 to 1.
        tokens: Tokens spent on it, prompt and completion.
        reason: Why this answer.
    """

    decision_id: str
    point: Point
    subject: str
    answer: str
    means: Means
    confidence: float
    tokens: int = 0
    reason: str = ""


@dataclass
class DecisionLog:
    """All decisions of an episode in order."""

    rows: list[Decision] = field(default_factory=list)

    def add(
        self,
        point: Point,
        subject: str,
        answer: str,
        means: Means,
        confidence: float,
        *,
        tokens: int = 0,
        reason: str = "",
        decision_id: str | None = None,
    ) -> Decision:
        """Record a decision and return it."""
        row = Decision(
            decision_id or new_decision_id(),
            point,
            subject,
            answer,
            means,
            round(confidence, 3),
            tokens,
            reason,
        )
        self.rows.append(row)
        return row


def new_decision_id() -> str:
    """A fresh id for a decision that is about to be asked of a model."""
    return uuid.uuid4().hex[:12]


@dataclass(frozen=True)
class DemonstrationCard:
    """What a decider may know of a demonstration.

    Attributes:
        trajectory_id: Which one.
        task: The demonstrated task in words.
        values: Its parameter values by name.
        writes: Its candidate target writes in order, one line each.
        description: What it does, without values.
    """

    trajectory_id: str
    task: str
    values: Mapping[str, str]
    writes: Sequence[str]
    description: str


@dataclass(frozen=True)
class PlanChoice:
    """Which demonstration to follow, to which writes, with which values."""

    trajectory_id: str
    writes: tuple[int, ...]
    """Positions among the card's writes, in order."""
    values: Mapping[str, str]
    """Value of each of the demonstration's parameters that the task sets."""


@dataclass(frozen=True)
class PathOption:
    """A candidate path: its steps in words and its overlap with the demonstration (0 to 1)."""

    text: str
    overlap: float


@dataclass(frozen=True)
class FieldQuestion:
    """What to put into a field, a radio group, a select or a checkbox.

    Attributes:
        task: The task in words.
        label: What the field is called.
        kind: `text`, `rich text`, `radio`, `select` or `checkbox`.
        bound: The value that follows from the demonstration and the task's values, if any does.
        is_constant: Whether `bound` is simply what was demonstrated.
        demonstrated: What was entered in the demonstration.
        options: The labels on offer, for radio and select.
    """

    task: str
    label: str
    kind: str
    bound: str | None
    is_constant: bool
    demonstrated: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptionQuestion:
    """Which element of a list to act on.

    Attributes:
        task: The task in words.
        step: What is being picked, in words.
        wanted: The text that should identify it, if known.
        options: Text of each option on the page.
    """

    task: str
    step: str
    wanted: str | None
    options: tuple[str, ...]
