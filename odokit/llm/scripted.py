"""A model that replies from a script, for tests and examples."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from odokit.errors import LLMError
from odokit.llm.ledger import Budget, Ledger, Outcome
from odokit.llm.model import Account, ReplyT, Request, Usage
from odokit.llm.prompt import Prompt
from odokit.llm.tokens import count_tokens


class ScriptedModel:
    """A chat model that gives queued replies and books counted tokens.

    Args:
        replies: Replies in order; an error in place of a reply is raised.
        ledger: Receives a row a request; a new one when None.
        budget: Checked before each request; none when None.
    """

    def __init__(
        self,
        replies: Iterable[BaseModel | LLMError] = (),
        ledger: Ledger | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.ledger = Ledger() if ledger is None else ledger
        self.requests: list[Request] = []
        """Every request received, for tests to look at."""
        self._account = Account(self.ledger, Budget() if budget is None else budget)
        self._replies = deque(replies)

    def enqueue(self, *replies: BaseModel | LLMError) -> None:
        """Add replies to the end of the script."""
        self._replies.extend(replies)

    async def ask(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        reply_type: type[ReplyT],
        *,
        purpose: str,
        decision_ids: Sequence[str] = (),
    ) -> ReplyT:
        """Give the next reply of the script; see `ChatModel.ask`.

        Raises:
            LLMError: The script is at its end, its next reply is of another class, or it is an
                error itself.
        """
        messages = tuple(prompt.render(**variables))
        request = Request("scripted", messages, reply_type, purpose, tuple(decision_ids))
        with self._account.budget.reserve(request.tokens, purpose):
            self.requests.append(request)
            reply = self._next(request)
            self._book(request, reply)
        if isinstance(reply, LLMError):
            raise reply
        if not isinstance(reply, reply_type):
            raise LLMError(
                f"the script's reply to {purpose} is a {type(reply).__name__} and a "
                f"{reply_type.__name__} was asked for. Put the replies in the order of the asking."
            )
        return reply

    def _next(self, request: Request) -> BaseModel | LLMError:
        if self._replies:
            return self._replies.popleft()
        return LLMError(
            f"the script has no reply left for {request.purpose}, request {len(self.requests)}. "
            "Enqueue one."
        )

    def _book(self, request: Request, reply: BaseModel | LLMError) -> None:
        outcome: Outcome = "error"
        completion = 0
        if isinstance(reply, BaseModel):
            outcome = "ok"
            completion = count_tokens(reply.model_dump_json())
        usage = Usage(prompt=request.tokens, completion=completion, is_counted=True)
        self._account.book(request, usage, at=self._account.clock(), seconds=0.0, outcome=outcome)
