"""The client of an OpenAI-compatible chat endpoint: structured replies, every request booked."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import openai
from openai.types.chat import ChatCompletion
from pydantic import ValidationError

from odokit.config import Settings
from odokit.errors import LLMError, LLMFormatError, LLMNotConfigured
from odokit.llm.failures import (
    as_llm_error,
    is_transient,
    lost_usage,
    retry_delay_s,
    shown_cause,
)
from odokit.llm.ledger import Budget, Ledger, Outcome
from odokit.llm.model import Account, ChatModel, ReplyT, Request, Usage, describe_faults
from odokit.llm.prompt import Prompt
from odokit.llm.replies import strict_schema
from odokit.llm.scripted import ScriptedModel
from odokit.llm.tokens import count_tokens

__all__ = ["ChatClient", "ChatModel", "ScriptedModel"]

SENDS = 3
"""Times a request is sent before a passing failure counts as an error."""

TIMEOUT_S = 60.0
"""Seconds to wait for a reply; a choice takes a few."""

MAX_COMPLETION_TOKENS = 2_000
"""Most completion tokens of a request; room for a rich text or some reasoning."""

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Answer:
    text: str
    fault: str
    """Why the text is no reply, if the endpoint said so; else empty."""
    usage: Usage
    at: datetime
    seconds: float


class ChatClient:
    """A chat model behind an OpenAI-compatible endpoint; use it as an async context manager.

    Args:
        api: The `openai` client, made with `max_retries=0`: retries are made and booked here.
        model: Model name to send.
        ledger: Receives a row a request.
        budget: Checked with the worst case before each request; none when None.
        max_completion_tokens: Most completion tokens of a request.
        pause: Waits some seconds before a request is sent again.
    """

    def __init__(
        self,
        api: openai.AsyncOpenAI,
        *,
        model: str,
        ledger: Ledger,
        budget: Budget | None = None,
        max_completion_tokens: int = MAX_COMPLETION_TOKENS,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.ledger = ledger
        self._api = api
        self._model = model
        self._account = Account(ledger, Budget() if budget is None else budget)
        self._max_completion_tokens = max_completion_tokens
        self._pause = pause

    @classmethod
    def from_settings(
        cls,
        settings: Settings,
        ledger: Ledger,
        budget: Budget | None = None,
        env: Mapping[str, str] | None = None,
    ) -> ChatClient:
        """Make the client that the settings describe.

        Args:
            settings: Give model name and endpoint.
            ledger: Receives a row a request.
            budget: Checked before each request; none when None.
            env: Environment that holds the key; the process's own when None.

        Raises:
            LLMNotConfigured: There is no key.
        """
        key = (os.environ if env is None else env).get("OPENAI_API_KEY", "")
        if not key:
            raise LLMNotConfigured(
                f"policy {settings.policy} would ask {settings.llm_model}, and OPENAI_API_KEY is "
                "not set. Set it in the environment (any text will do for a local endpoint named "
                "by OPENAI_BASE_URL), or choose policy offline, which needs no model."
            )
        api = openai.AsyncOpenAI(
            api_key=key, base_url=settings.llm_base_url, timeout=TIMEOUT_S, max_retries=0
        )
        return cls(api, model=settings.llm_model, ledger=ledger, budget=budget)

    async def __aenter__(self) -> ChatClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        await self._api.close()

    async def ask(
        self,
        prompt: Prompt,
        variables: Mapping[str, str],
        reply_type: type[ReplyT],
        *,
        purpose: str,
        decision_ids: Sequence[str] = (),
    ) -> ReplyT:
        """Ask for a reply and, if it does not fit, once more with its faults; see `ChatModel.ask`.

        Raises:
            BudgetError: The request could exceed the budget; nothing was sent.
            LLMFormatError: The reply does not fit, even after one correction.
            LLMError: The endpoint failed.
        """
        messages = tuple(prompt.render(**variables))
        request = Request(self._model, messages, reply_type, purpose, tuple(decision_ids))
        answer = await self._send(request)
        reply, fault = _read(answer, reply_type)
        if reply is None and not answer.fault:
            self._book(request, answer, "retried")
            request = request.corrected(answer.text, fault)
            answer = await self._send(request)
            reply, fault = _read(answer, reply_type)
        self._book(request, answer, "error" if reply is None else "ok")
        if reply is None:
            raise LLMFormatError(
                f"the reply of {self._model} to {purpose} is no {reply_type.__name__}: {fault}. "
                "Use a model and endpoint with structured outputs (response_format json_schema)."
            )
        return reply

    async def _send(self, request: Request) -> _Answer:
        """Send until there is an answer, at most `SENDS` times."""
        for sent in range(1, SENDS):
            try:
                return await self._send_once(request, is_last=False)
            except openai.APIError as error:
                if not is_transient(error):
                    raise self._failure(error, request, sent) from shown_cause(error)
                delay_s = retry_delay_s(error, sent)
            await self._pause(delay_s)
        try:
            return await self._send_once(request, is_last=True)
        except openai.APIError as error:
            raise self._failure(error, request, SENDS) from shown_cause(error)

    async def _send_once(self, request: Request, *, is_last: bool) -> _Answer:
        """Send within the budget; book it here only if it fails."""
        at, start = self._account.clock(), time.perf_counter()
        worst = request.tokens + self._max_completion_tokens
        with self._account.budget.reserve(worst, request.purpose):
            try:
                completion = await self._create(request)
            except (openai.APIError, asyncio.CancelledError) as error:
                outcome: Outcome = "retried" if is_transient(error) and not is_last else "error"
                lost = _Answer("", "", lost_usage(error, request), at, time.perf_counter() - start)
                self._book(request, lost, outcome)
                raise
        return _answer(request, completion, at, time.perf_counter() - start)

    async def _create(self, request: Request) -> ChatCompletion | None:
        schema = {
            "name": request.reply_type.__name__,
            "strict": True,
            "schema": strict_schema(request.reply_type),
        }
        try:
            return await self._api.chat.completions.create(
                model=request.model,
                messages=cast("Any", request.messages),
                max_completion_tokens=self._max_completion_tokens,
                response_format=cast("Any", {"type": "json_schema", "json_schema": schema}),
            )
        except json.JSONDecodeError:
            # openai 3.57 lets this pass when a body that calls itself JSON is none.
            return None

    def _book(self, request: Request, answer: _Answer, outcome: Outcome) -> None:
        used = answer.usage
        self._account.book(request, used, at=answer.at, seconds=answer.seconds, outcome=outcome)
        _LOGGER.info(
            "%s asked %s: %s, %d + %d tokens, %.1f s",
            request.purpose,
            request.model,
            outcome,
            used.prompt,
            used.completion,
            answer.seconds,
        )

    def _failure(self, error: openai.APIError, request: Request, sent: int) -> LLMError:
        where = f"{request.model} at {self._api.base_url} for {request.purpose}"
        return as_llm_error(error, where=where, sent=sent)


def _answer(
    request: Request, completion: ChatCompletion | None, at: datetime, seconds: float
) -> _Answer:
    # openai does not validate what it receives: a web page comes back as a str.
    choices = getattr(completion, "choices", None)
    if completion is None or not choices:
        fault = "it is no chat completion; check that OPENAI_BASE_URL ends where its API starts"
        return _Answer("", fault, Usage(prompt=request.tokens, is_counted=True), at, seconds)
    text = choices[0].message.content or ""
    fault = ""
    if choices[0].finish_reason == "length":
        fault = "it was cut off at max_completion_tokens; raise that"
    elif choices[0].message.refusal:
        fault = "the model refused"
    return _Answer(text, fault, _usage(request, completion, text), at, seconds)


def _usage(request: Request, completion: ChatCompletion, text: str) -> Usage:
    told = completion.usage
    if told is None or not told.prompt_tokens:
        return Usage(prompt=request.tokens, completion=count_tokens(text), is_counted=True)
    cached, reasoning = told.prompt_tokens_details, told.completion_tokens_details
    return Usage(
        prompt=told.prompt_tokens,
        cached=(cached.cached_tokens if cached else 0) or 0,
        completion=told.completion_tokens or 0,
        reasoning=(reasoning.reasoning_tokens if reasoning else 0) or 0,
    )


def _read(answer: _Answer, reply_type: type[ReplyT]) -> tuple[ReplyT | None, str]:
    if answer.fault:
        return None, answer.fault
    try:
        return reply_type.model_validate_json(answer.text), ""
    except ValidationError as error:
        return None, describe_faults(error)
