"""Decision points and their deciders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from odokit.decide.bindings import Binding, bind_state, bind_text
from odokit.decide.cascade import CascadeDecider
from odokit.decide.paper import PaperDecider
from odokit.decide.points import (
    Decision,
    DecisionLog,
    DemonstrationCard,
    FieldQuestion,
    Means,
    OptionQuestion,
    PathOption,
    PlanChoice,
    Point,
)
from odokit.decide.questions import Asker
from odokit.errors import ConfigError
from odokit.llm.model import ChatModel

__all__ = [
    "Binding",
    "Decider",
    "Decision",
    "DecisionLog",
    "DemonstrationCard",
    "FieldQuestion",
    "Means",
    "OptionQuestion",
    "PathOption",
    "PlanChoice",
    "Point",
    "bind_state",
    "bind_text",
    "make_decider",
]


class Decider(Protocol):
    """Answers the decision points of a plan and its execution."""

    log: DecisionLog

    async def choose_plan(self, task: str, cards: Sequence[DemonstrationCard]) -> PlanChoice:
        """Choose demonstration, target writes and values."""

    async def choose_path(self, task: str, demonstration: str, paths: Sequence[PathOption]) -> int:
        """Choose among candidate paths."""

    async def field_value(self, question: FieldQuestion) -> str:
        """Decide what to put into a field."""

    async def choose_option(self, question: OptionQuestion) -> int:
        """Choose the option of a live list."""


def make_decider(policy: str, model: ChatModel | None = None) -> Decider:
    """The deciders of a policy, with a fresh log.

    Args:
        policy: `offline` (rule and local), `cascade` (and a model) or `paper` (model for all).
        model: A language model; required unless the policy is `offline`.

    Raises:
        ConfigError: The policy is unknown, or needs a model and has none.
    """
    log = DecisionLog()
    if policy == "offline":
        return CascadeDecider(log)
    if model is None:
        raise ConfigError(f"policy {policy} needs a language model; set OPENAI_API_KEY.")
    if policy == "cascade":
        return CascadeDecider(log, Asker(model))
    if policy == "paper":
        return PaperDecider(log, Asker(model))
    raise ConfigError(f"policy {policy!r} is unknown; choose offline, cascade or paper.")
