"""Decide with the cheapest sufficient means: rule, then local similarity, then one model call."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odokit.decide.actions import act_agreement
from odokit.decide.alignment import make_template, match_by_cues
from odokit.decide.points import (
    LLM_CONFIDENCE,
    THRESHOLDS,
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
from odokit.decide.questions import Asker, card_text, field_line, numbered
from odokit.errors import UndecidedError
from odokit.llm.replies import ChooseOne, PlanReply, Values
from odokit.retrieve import TextIndex

CONSTANT_CONFIDENCE = 0.8
"""A value that was demonstrated and has nothing to do with the task's parameters is kept."""
N_CARDS = 5
"""Demonstrations shown to a model. Source: rank 5 holds the right one for 96 % of paraphrases."""


@dataclass(frozen=True)
class _Fit:
    """A demonstration that could be meant, and how well it fits."""

    card: DemonstrationCard
    score: float
    agreement: float
    values: Mapping[str, str]
    matched: float


class CascadeDecider:
    """Answers decision points by rule, by local similarity, and by model if there is one.

    Args:
        log: Receives every decision.
        asker: Asks a language model; None is policy `offline`.
    """

    def __init__(self, log: DecisionLog, asker: Asker | None = None) -> None:
        self.log = log
        self._asker = asker

    async def choose_plan(self, task: str, cards: Sequence[DemonstrationCard]) -> PlanChoice:
        """Choose demonstration, target writes and values for a task.

        Raises:
            UndecidedError: No means was sure enough.
        """
        aligned = self._by_alignment(task, cards)
        if aligned is not None:
            return aligned
        ranked = TextIndex([c.task for c in cards]).rank(task)
        local, reason = self._by_similarity(task, cards, ranked)
        if local is not None:
            return local
        if self._asker is None:
            raise UndecidedError(
                f"no demonstration fits the task well enough: {reason}. Demonstrate it, word it as "
                "demonstrated, or use policy cascade with a model."
            )
        return await self._by_model(task, [cards[i] for i, _ in ranked[:N_CARDS]])

    def _by_alignment(self, task: str, cards: Sequence[DemonstrationCard]) -> PlanChoice | None:
        found: list[tuple[int, DemonstrationCard, dict[str, str]]] = []
        for card in cards:
            template = make_template(card.task, card.values)
            values = template.align(task)
            if values is not None:
                found.append((len(template.wording), card, values))
        if not found:
            return None
        length, card, values = max(found, key=lambda item: item[0])
        rivals = [c for n, c, v in found if n == length and set(c.writes) != set(card.writes)]
        if rivals:
            return None
        return self._chosen(card, values, Means.RULE, 1.0, "the task has its wording")

    def _by_similarity(
        self, task: str, cards: Sequence[DemonstrationCard], ranked: Sequence[tuple[int, float]]
    ) -> tuple[PlanChoice | None, str]:
        """Choose the nearest demonstration of the same act whose parameters the task fills."""
        fitting: list[_Fit] = []
        for i, score in ranked:
            agreement = act_agreement(task, cards[i].task)
            values, matched = match_by_cues(cards[i].task, cards[i].values, task)
            if agreement > 0 and matched > 0:
                fitting.append(_Fit(cards[i], score, agreement, values, matched))
        if not fitting:
            nearest = cards[ranked[0][0]].task
            return None, f"the nearest is “{nearest}”, which does something else"
        best = max(fitting, key=lambda f: (f.agreement, f.score))
        rivals = [f.score * f.agreement for f in fitting if f.card.writes != best.card.writes]
        rival = max(rivals, default=0.0)
        sure = min(0.95, best.agreement, 0.5 + best.score * best.agreement - rival)
        confidence = min(sure, best.matched)
        if confidence < THRESHOLDS[Point.DEMONSTRATION]:
            return None, (
                f"the nearest is “{best.card.task}” (confidence {sure:.2f}, its values "
                f"{best.matched:.2f})"
            )
        reason = f"same act, similarity {best.score:.2f}, next other task {rival:.2f}"
        return self._chosen(best.card, best.values, Means.LOCAL, confidence, reason), ""

    async def _by_model(self, task: str, cards: Sequence[DemonstrationCard]) -> PlanChoice:
        assert self._asker is not None
        decision = new_decision_id()
        text, numbering = card_text(cards)
        reply, tokens = await self._asker.ask(
            "decide_plan", {"task": task, "demonstrations": text}, PlanReply, decision
        )
        if not 1 <= reply.demonstration <= len(cards):
            raise UndecidedError("the model finds no demonstration that does this kind of task.")
        card = cards[reply.demonstration - 1]
        own = [numbering[n] for n in reply.writes if n in numbering]
        writes = tuple(w for c, w in own if c == reply.demonstration - 1)
        values = {v.name: v.value for v in reply.values if v.name in card.values and v.value}
        choice = PlanChoice(card.trajectory_id, writes or tuple(range(len(card.writes))), values)
        self.log.add(
            Point.DEMONSTRATION,
            task,
            f"{card.task} with {values}",
            Means.LLM,
            LLM_CONFIDENCE,
            tokens=tokens,
            decision_id=decision,
        )
        return choice

    def _chosen(
        self,
        card: DemonstrationCard,
        values: Mapping[str, str],
        means: Means,
        confidence: float,
        reason: str,
    ) -> PlanChoice:
        self.log.add(Point.DEMONSTRATION, "task", card.task, means, confidence, reason=reason)
        for name, value in values.items():
            self.log.add(Point.VALUE, name, value, means, confidence, reason="read from the task")
        writes = tuple(range(len(card.writes)))
        self.log.add(
            Point.WRITES,
            "task",
            "; ".join(card.writes),
            Means.RULE,
            1.0 if len(writes) == 1 else 0.9,
            reason="all that the demonstration caused",
        )
        # A parameter the wording never mentions keeps its demonstrated value.
        return PlanChoice(card.trajectory_id, writes, dict(values))

    async def choose_path(self, task: str, demonstration: str, paths: Sequence[PathOption]) -> int:
        """Choose among candidate paths: the one that keeps most to the demonstration."""
        best = max(range(len(paths)), key=lambda i: paths[i].overlap)
        overlap = paths[best].overlap
        self.log.add(
            Point.PATH,
            "path",
            f"{best + 1} of {len(paths)}",
            Means.RULE,
            0.5 + overlap / 2,
            reason=f"{overlap:.0%} of it was demonstrated together",
        )
        return best

    async def field_value(self, question: FieldQuestion) -> str:
        """Decide what to put into a field.

        Raises:
            UndecidedError: It follows from nothing and no model may be asked.
        """
        if question.bound is not None:
            confidence = CONSTANT_CONFIDENCE if question.is_constant else 1.0
            reason = "as demonstrated" if question.is_constant else "follows from the task"
            self.log.add(
                _point(question),
                question.label,
                question.bound,
                Means.RULE,
                confidence,
                reason=reason,
            )
            return question.bound
        if self._asker is None:
            raise UndecidedError(
                f"nothing tells what to put into {question.kind} “{question.label}” "
                f"(demonstrated: “{question.demonstrated}”). Name it in the task."
            )
        decision = new_decision_id()
        reply, tokens = await self._asker.ask(
            "field_values",
            {"task": question.task, "fields": field_line(question)},
            Values,
            decision,
        )
        value = next((v.value for v in reply.values if v.value), None)
        if value is None:
            raise UndecidedError(f"the task gives no value for “{question.label}”.")
        self.log.add(
            _point(question),
            question.label,
            value,
            Means.LLM,
            LLM_CONFIDENCE,
            tokens=tokens,
            decision_id=decision,
        )
        return value

    async def choose_option(self, question: OptionQuestion) -> int:
        """Choose the option of a live list that the task means.

        Raises:
            UndecidedError: No option is near enough, or several are.
        """
        answer = self._nearest_option(question)
        if answer is not None:
            return answer
        if self._asker is None:
            shown = ", ".join(f"“{o[:40]}”" for o in question.options[:8]) or "none"
            wanted = f"“{question.wanted}”" if question.wanted else "what the task means"
            raise UndecidedError(
                f"none of the {len(question.options)} options of “{question.step}” is clearly "
                f"{wanted}; the page offers {shown}."
            )
        decision = new_decision_id()
        reply, tokens = await self._asker.ask(
            "choose_option",
            {"task": question.task, "step": question.step, "options": numbered(question.options)},
            ChooseOne,
            decision,
        )
        if not 1 <= reply.number <= len(question.options):
            raise UndecidedError(f"the model finds no option of “{question.step}” that fits.")
        self.log.add(
            Point.OPTION,
            question.step,
            question.options[reply.number - 1],
            Means.LLM,
            LLM_CONFIDENCE,
            tokens=tokens,
            decision_id=decision,
        )
        return reply.number - 1

    def _nearest_option(self, question: OptionQuestion) -> int | None:
        """The one option whose text fits; exact beats contained beats alike."""
        if question.wanted is None or not question.options:
            return None
        scores = [_closeness(question.wanted, option) for option in question.options]
        best = max(range(len(scores)), key=scores.__getitem__)
        ties = [s for s in scores if scores[best] - s < 0.05]
        if scores[best] < THRESHOLDS[Point.OPTION] or len(ties) > 1:
            return None
        means = Means.RULE if scores[best] >= 0.95 else Means.LOCAL
        self.log.add(
            Point.OPTION,
            question.step,
            question.options[best],
            means,
            scores[best],
            reason=f"wanted “{question.wanted}”",
        )
        return best


def _closeness(wanted: str, option: str) -> float:
    """How surely an option is the one wanted, from 0 to 1."""
    wanted, option = _plain(wanted), _plain(option)
    if wanted == option:
        return 1.0
    if wanted and f" {wanted} " in f" {option} ":
        return 0.9
    # Likeness is no evidence: "Eda Byron" is not a way to write "Ada Byron", nor 5B one for 5A.
    return 0.0


def _plain(text: str) -> str:
    """A text without case, accents and punctuation."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", bare.casefold()))


def _point(question: FieldQuestion) -> Point:
    return Point.STATE if question.kind == "checkbox" else Point.VALUE
