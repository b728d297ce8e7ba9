"""Put decision points into prompts, and take the tokens of the answers down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from odokit.decide.points import DemonstrationCard, FieldQuestion
from odokit.llm.model import ChatModel, ReplyT
from odokit.llm.prompt import Prompt

MAX_OPTION_CHARS = 120
MAX_OPTIONS = 60


@dataclass(frozen=True)
class Asker:
    """Asks a language model on behalf of a decider.

    Attributes:
        model: The language model.
    """

    model: ChatModel

    async def ask(
        self, prompt: str, variables: Mapping[str, str], reply: type[ReplyT], decision_id: str
    ) -> tuple[ReplyT, int]:
        """Ask one question.

        Returns:
            The validated reply, and the tokens it cost, retries included.
        """
        before = self.model.ledger.total
        answer = await self.model.ask(
            Prompt.load(prompt), variables, reply, purpose=prompt, decision_ids=(decision_id,)
        )
        return answer, self.model.ledger.total - before


def numbered(lines: Sequence[str]) -> str:
    """Number lines from 1, cut to a fair length."""
    return "\n".join(
        f"{i}. {line[:MAX_OPTION_CHARS]}" for i, line in enumerate(lines[:MAX_OPTIONS], start=1)
    )


def card_text(
    cards: Sequence[DemonstrationCard],
) -> tuple[str, dict[int, tuple[int, int]]]:
    """Describe demonstrations for one batched question.

    Returns:
        The text, and for each write's number the positions of its card and of the write in it.
    """
    blocks: list[str] = []
    numbering: dict[int, tuple[int, int]] = {}
    for i, card in enumerate(cards):
        lines = [f"{i + 1}. {card.task}"]
        for j, write in enumerate(card.writes):
            number = len(numbering) + 1
            numbering[number] = (i, j)
            lines.append(f" w{number} {write}")
        lines.extend(f" {name}={value}" for name, value in card.values.items())
        blocks.append("\n".join(lines))
    return "\n".join(blocks), numbering


def field_line(question: FieldQuestion) -> str:
    """Describe a field in one line."""
    line = f"{question.label or 'field'} ({question.kind}), demonstrated: {question.demonstrated}"
    if question.options:
        line += "; options: " + " | ".join(o[:MAX_OPTION_CHARS] for o in question.options)
    return line
