"""Decide as published: a language model for every decision point. The ablation baseline.

Source: paper, section IV: generalise the task, retrieve 15, choose one, choose its network event,
choose among paths, and ask for every free value at execution time.
"""

from __future__ import annotations

from collections.abc import Sequence

from odokit.decide.points import (
    LLM_CONFIDENCE,
    DecisionLog,
    DemonstrationCard,
    FieldQuestion,
    Means,
    OptionQuestion,
    PathOption,
    PlanChoice,
    Point,
    new_decision_id,
)
from odokit.decide.questions import Asker, field_line, numbered
from odokit.errors import UndecidedError
from odokit.llm.replies import ChooseMany, ChooseOne, Text, Values
from odokit.retrieve import TextIndex

TOP_K = 15
"""Demonstrations retrieved. Source: paper, section IV."""


class PaperDecider:
    """Answers every decision point with a language model.

    Args:
        log: Receives every decision.
        asker: Asks the model.
    """

    def __init__(self, log: DecisionLog, asker: Asker) -> None:
        self.log = log
        self._asker = asker

    async def choose_plan(self, task: str, cards: Sequence[DemonstrationCard]) -> PlanChoice:
        """Generalise, retrieve, choose a demonstration, choose its decisive write."""
        decision = new_decision_id()
        general, spent = await self._asker.ask("generalise_task", {"task": task}, Text, decision)
        ranked = TextIndex([c.description for c in cards]).rank(general.text)[:TOP_K]
        near = [cards[i] for i, _ in ranked]
        variables = {
            "task": general.text,
            "demonstrations": numbered([c.description for c in near]),
        }
        reply, tokens = await self._asker.ask(
            "choose_demonstration", variables, ChooseOne, decision
        )
        if not 1 <= reply.number <= len(near):
            raise UndecidedError("the model finds no demonstration that does this kind of task.")
        card = near[reply.number - 1]
        self._add(Point.DEMONSTRATION, "task", card.task, spent + tokens, decision)
        return PlanChoice(card.trajectory_id, await self._writes(task, card), {})

    async def _writes(self, task: str, card: DemonstrationCard) -> tuple[int, ...]:
        decision = new_decision_id()
        variables = {
            "task": task,
            "demonstration": card.description,
            "writes": numbered(card.writes),
        }
        reply, tokens = await self._asker.ask("choose_writes", variables, ChooseMany, decision)
        chosen = tuple(n - 1 for n in reply.numbers if 1 <= n <= len(card.writes))
        if not chosen:
            raise UndecidedError("the model finds no request whose success completes the task.")
        self._add(Point.WRITES, "task", "; ".join(card.writes[i] for i in chosen), tokens, decision)
        return chosen

    async def choose_path(self, task: str, demonstration: str, paths: Sequence[PathOption]) -> int:
        """Ask for the path when there are several; a single one is taken."""
        if len(paths) == 1:
            self.log.add(Point.PATH, "path", "1 of 1", Means.RULE, 1.0, reason="the only one")
            return 0
        decision = new_decision_id()
        blocks = [f"{i}. overlap {p.overlap:.0%}\n{p.text}" for i, p in enumerate(paths, start=1)]
        variables = {"task": task, "demonstration": demonstration, "paths": "\n".join(blocks)}
        reply, tokens = await self._asker.ask("choose_path", variables, ChooseOne, decision)
        if not 1 <= reply.number <= len(paths):
            raise UndecidedError("the model finds no path that does the task.")
        self._add(Point.PATH, "path", f"{reply.number} of {len(paths)}", tokens, decision)
        return reply.number - 1

    async def field_value(self, question: FieldQuestion) -> str:
        """Ask for the value of a field."""
        decision = new_decision_id()
        variables = {"task": question.task, "fields": field_line(question)}
        reply, tokens = await self._asker.ask("field_values", variables, Values, decision)
        # Constants of the application are not in the task; the demonstrated value stands.
        value = next((v.value for v in reply.values if v.value), question.demonstrated)
        point = Point.STATE if question.kind == "checkbox" else Point.VALUE
        self._add(point, question.label, value, tokens, decision)
        return value

    async def choose_option(self, question: OptionQuestion) -> int:
        """Ask which option of a live list to act on."""
        decision = new_decision_id()
        variables = {
            "task": question.task,
            "step": question.step,
            "options": numbered(question.options),
        }
        reply, tokens = await self._asker.ask("choose_option", variables, ChooseOne, decision)
        if not 1 <= reply.number <= len(question.options):
            raise UndecidedError(f"the model finds no option of “{question.step}” that fits.")
        answer = question.options[reply.number - 1]
        self._add(Point.OPTION, question.step, answer, tokens, decision)
        return reply.number - 1

    def _add(self, point: Point, subject: str, answer: str, tokens: int, decision: str) -> None:
        self.log.add(
            point, subject, answer, Means.LLM, LLM_CONFIDENCE, tokens=tokens, decision_id=decision
        )
