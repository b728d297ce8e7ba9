"""What every chat model shares: its interface, the request it sends and how that is booked."""

from __future__ import annotations

import functools
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from odokit.llm.ledger import Budget, Ledger, LLMCall, Outcome
from odokit.llm.prices import cost_usd
from odokit.llm.prompt import Message, Prompt, prompt_hash
from odokit.llm.replies import schema_text
from odokit.llm.tokens import count_messages, count_tokens

ReplyT = TypeVar("ReplyT", bound=BaseModel)


class ChatModel(Protocol):
    """A language model that answers a prompt with a validated reply."""

    @property
    def ledger(self) -> Ledger:
        """Where its requests are recorded."""
        ...

    async def ask(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        reply_type: type[ReplyT],
        *,
        purpose: str,
        decision_ids: Sequence[str] = (),
    ) -> ReplyT:
        """Ask once and return a reply that fits its class.

        Args:
            prompt: What to ask.
            variables: One value for each of the prompt's placeholders.
            reply_type: Shape of the reply, from `odokit.llm.replies`.
            purpose: What it is for; recorded in the ledger.
            decision_ids: Decisions it is to settle; recorded in the ledger.

        Raises:
            BudgetError: The request could exceed the budget; nothing was sent.
            LLMFormatError: The reply does not fit, even after one correction.
            LLMError: The endpoint failed.
        """
        ...


@dataclass(frozen=True)
class Request:
    """One request, ready to send.

    Attributes:
        model: Model name.
        messages: Chat messages.
        reply_type: Shape of the reply.
        purpose: What it is for.
        decision_ids: Decisions it is to settle.
    """

    model: str
    messages: tuple[Message, ...]
    reply_type: type[BaseModel]
    purpose: str
    decision_ids: tuple[str, ...]

    @functools.cached_property
    def tokens(self) -> int:
        """Prompt tokens as counted here: the messages and the schema of the reply."""
        return count_messages(self.messages) + count_tokens(schema_text(self.reply_type))

    def corrected(self, reply: str, fault: str) -> Request:
        """The request that shows the model its reply and what is wrong with it."""
        more: tuple[Message, ...] = (
            {"role": "assistant", "content": reply},
            {"role": "user", "content": f"This does not fit the schema: {fault}. Reply again."},
        )
        return replace(self, messages=self.messages + more)


@dataclass(frozen=True)
class Usage:
    """Tokens that a request used.

    Attributes:
        prompt: Prompt tokens, the cached ones among them.
        cached: Prompt tokens read from the provider's cache.
        completion: Completion tokens, reasoning among them.
        reasoning: Completion tokens spent on reasoning.
        is_counted: Whether they were counted here, not told by the endpoint.
    """

    prompt: int = 0
    cached: int = 0
    completion: int = 0
    reasoning: int = 0
    is_counted: bool = False


@dataclass(frozen=True)
class Account:
    """Books requests in a ledger and against a budget.

    Attributes:
        ledger: Receives a row a request.
        budget: Is charged with the tokens.
        clock: Gives the time of day, aware.
        new_id: Gives a fresh id.
    """

    ledger: Ledger
    budget: Budget
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    new_id: Callable[[], str] = field(default=lambda: uuid.uuid4().hex)

    def book(
        self, request: Request, usage: Usage, *, at: datetime, seconds: float, outcome: Outcome
    ) -> None:
        """Record a request that has ended."""
        self.budget.charge(usage.prompt + usage.completion)
        price = cost_usd(
            request.model, prompt=usage.prompt, cached=usage.cached, completion=usage.completion
        )
        self.ledger.append(
            LLMCall(
                call_id=self.new_id(),
                at=at.astimezone(UTC).isoformat(),
                purpose=request.purpose,
                decision_ids=request.decision_ids,
                model=request.model,
                prompt_hash=prompt_hash(request.messages),
                tokens_prompt=usage.prompt,
                tokens_cached=usage.cached,
                tokens_completion=usage.completion,
                tokens_reasoning=usage.reasoning,
                is_counted=usage.is_counted,
                seconds=seconds,
                usd=price,
                outcome=outcome,
            )
        )


def describe_faults(error: ValidationError) -> str:
    """Say where a reply departs from its class, in few words and without quoting it."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    places = (".".join(map(str, fault["loc"])) or "reply" for fault in faults[:3])
    return "; ".join(
        f"{place}: {fault['msg']}" for place, fault in zip(places, faults, strict=False)
    )
