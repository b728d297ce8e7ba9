"""What a failed request means: whether to send it again, what it cost, and what the user can do."""

from __future__ import annotations

import asyncio

import openai

from odokit.errors import LLMError
from odokit.llm.model import Request, Usage

LONGEST_DELAY_S = 30.0
"""Longest wait before a request is sent again, whatever the endpoint asks for."""

FIRST_DELAY_S = 0.5
"""Wait before the second sending; doubled for each one after it."""

_DETAIL_CHARS = 300


def is_transient(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    if isinstance(error, openai.RateLimitError):
        return error.code != "insufficient_quota"
    return isinstance(error, (openai.APIConnectionError, openai.InternalServerError))


def retry_delay_s(error: openai.APIError, sent: int) -> float:
    """How long to wait, in seconds, after a request was sent for the `sent`th time.

    The endpoint's `retry-after` goes before our own doubling.
    """
    delay_s = FIRST_DELAY_S * 2.0 ** (sent - 1)
    if isinstance(error, openai.APIStatusError):
        told = error.response.headers.get("retry-after", "")
        if told.isdecimal():
            delay_s = float(told)
    return min(delay_s, LONGEST_DELAY_S)


def lost_usage(error: BaseException, request: Request) -> Usage:
    """What a failed request has cost at least.

    A refusal is free, but an answer we did not wait for is paid for: its prompt is counted here.
    """
    if isinstance(error, (openai.APITimeoutError, asyncio.CancelledError)):
        return Usage(prompt=request.tokens, is_counted=True)
    return Usage()


def shown_cause(error: openai.APIError) -> openai.APIError | None:
    """The cause to show in tracebacks; none for refused keys, whose text quotes part of the key."""
    return None if isinstance(error, openai.AuthenticationError) else error


def as_llm_error(error: openai.APIError, *, where: str, sent: int) -> LLMError:
    """Say what failed and what to do about it.

    Args:
        error: What the client raised.
        where: Model, endpoint and purpose, in words.
        sent: Times the request was sent.
    """
    times = "once" if sent == 1 else f"{sent} times"
    fault, cure = _fault_and_cure(error)
    return LLMError(f"asked {where} {times}: {fault}. {cure}")


def _fault_and_cure(error: openai.APIError) -> tuple[str, str]:
    if isinstance(error, openai.APITimeoutError):
        return "no answer in time", "Check that the endpoint is alive, or use a faster model."
    if isinstance(error, openai.APIConnectionError):
        return "no connection", "Check OPENAI_BASE_URL, the network and proxy settings."
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return "the key was refused", "Check OPENAI_API_KEY and what that key may use."
    if isinstance(error, openai.RateLimitError):
        if error.code == "insufficient_quota":
            return "the account has no quota left", "Check its plan and billing."
        return "the rate limit is reached", "Wait, or run fewer tasks at once."
    if isinstance(error, openai.NotFoundError):
        return "no such model or path", "Check ODOKIT_LLM_MODEL and OPENAI_BASE_URL."
    if isinstance(error, openai.InternalServerError):
        return f"the endpoint answered {error.status_code}", "Try again later."
    return f"the endpoint answered: {error.message[:_DETAIL_CHARS]}", (
        "The model or endpoint may lack structured outputs (response_format json_schema)."
    )
