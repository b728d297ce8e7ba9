"""The client against a real HTTP endpoint: replies, retries, failures, all of them booked."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import openai
import pytest
from llm_stub import Answer, StubLLM, StubReply, scripted

from odokit.config import Settings
from odokit.errors import BudgetError, LLMError, LLMFormatError, LLMNotConfigured
from odokit.llm.client import ChatClient, ChatModel
from odokit.llm.ledger import Budget, Ledger
from odokit.llm.prompt import Prompt
from odokit.llm.replies import ChooseOne, schema_text
from odokit.llm.tokens import count_messages, count_tokens

OPTION = Prompt.load("choose_option")
VARIABLES = {"task": "Open the shop", "step": "link", "options": "1 Shop\n2 Help"}
MESSAGES = OPTION.render(**VARIABLES)
N_PROMPT = count_messages(MESSAGES)
N_SCHEMA = count_tokens(schema_text(ChooseOne))
GOOD = '{"number": 2}'


class Bench:
    """A stub, a client on it, and what the two have seen."""

    def __init__(self, stub: StubLLM, client: ChatClient, pauses: list[float]) -> None:
        self.stub = stub
        self.client = client
        self.pauses = pauses

    async def ask(self) -> ChooseOne:
        return await self.client.ask(
            OPTION, VARIABLES, ChooseOne, purpose="choose_option", decision_ids=["d1", "d2"]
        )

    @property
    def outcomes(self) -> list[str]:
        return [row.outcome for row in self.client.ledger.rows]


@asynccontextmanager
async def bench(
    answer: Answer,
    *,
    budget: Budget | None = None,
    key: str = "stub-key",
    timeout_s: float = 20.0,
    model: str = "gpt-5.4-mini",
) -> AsyncIterator[Bench]:
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async with AsyncExitStack() as stack:
        stub = stack.enter_context(StubLLM(answer))
        api = openai.AsyncOpenAI(
            base_url=stub.base_url, api_key=key, timeout=timeout_s, max_retries=0
        )
        client = ChatClient(api, model=model, ledger=Ledger(), budget=budget, pause=pause)
        yield Bench(stub, await stack.enter_async_context(client), pauses)


def settings(base_url: str | None) -> Settings:
    here = Path()
    return Settings(
        root=here, store=here, reports=here, data=here, cache=here,
        policy="cascade", llm_model="gpt-4o", llm_base_url=base_url,
    )  # fmt: skip


async def test_a_reply_is_validated_and_booked() -> None:
    usage = {
        "prompt_tokens": 90,
        "completion_tokens": 20,
        "total_tokens": 110,
        "prompt_tokens_details": {"cached_tokens": 64},
        "completion_tokens_details": {"reasoning_tokens": 12},
    }
    async with bench(scripted(StubReply(GOOD, usage=usage))) as b:
        assert await b.ask() == ChooseOne(number=2)
        (row,) = b.client.ledger.rows
    assert (row.tokens_prompt, row.tokens_cached) == (90, 64)
    assert (row.tokens_completion, row.tokens_reasoning) == (20, 12)
    assert (row.purpose, row.decision_ids) == ("choose_option", ("d1", "d2"))
    assert (row.model, row.outcome, row.is_counted) == ("gpt-5.4-mini", "ok", False)
    assert row.usd == pytest.approx((26 * 0.75 + 64 * 0.075 + 20 * 4.50) / 1e6)
    assert datetime.fromisoformat(row.at).utcoffset() == timedelta(0)
    assert 0 < row.seconds < 20
    assert len(row.call_id) == 32


async def test_the_request_asks_for_the_strict_schema() -> None:
    async with bench(scripted(GOOD)) as b:
        await b.ask()
        (body,) = b.stub.requests
    assert body["messages"] == MESSAGES
    assert body["model"] == "gpt-5.4-mini"
    assert body["max_completion_tokens"] == 2000
    told = body["response_format"]["json_schema"]
    assert (told["name"], told["strict"]) == ("ChooseOne", True)
    assert told["schema"]["additionalProperties"] is False


async def test_the_answering_function_sees_messages_and_schema() -> None:
    def answer(messages: list[dict[str, str]], schema: dict[str, object] | None) -> str:
        assert schema is not None and schema["name"] == "ChooseOne"
        number = next(line[0] for line in messages[-1]["content"].splitlines() if "Help" in line)
        return f'{{"number": {number}}}'

    async with bench(answer) as b:
        assert (await b.ask()).number == 2


async def test_missing_usage_is_counted_here_and_marked() -> None:
    async with bench(scripted(StubReply(GOOD, usage={}))) as b:
        await b.ask()
        (row,) = b.client.ledger.rows
    assert row.is_counted
    assert row.tokens_prompt == N_PROMPT + N_SCHEMA
    assert row.tokens_completion == count_tokens(GOOD)


async def test_a_malformed_reply_is_corrected_once() -> None:
    async with bench(scripted('{"number": "two"}', GOOD)) as b:
        assert (await b.ask()).number == 2
        again = b.stub.requests[1]["messages"]
        assert b.outcomes == ["retried", "ok"]
        assert b.pauses == []
        first, second = b.client.ledger.rows
    assert again[:2] == MESSAGES
    assert again[2] == {"role": "assistant", "content": '{"number": "two"}'}
    assert again[3]["role"] == "user"
    assert "number: Input should be a valid integer" in again[3]["content"]
    assert first.prompt_hash != second.prompt_hash
    assert second.tokens_prompt > first.tokens_prompt == N_PROMPT


async def test_two_malformed_replies_are_an_error() -> None:
    async with bench(scripted("no idea")) as b:
        with pytest.raises(LLMFormatError, match=r"choose_option is no ChooseOne: .*JSON"):
            await b.ask()
        assert b.outcomes == ["retried", "error"]
        assert b.stub.n_requests == 2
        assert b.client.ledger.tokens_completion == 2 * count_tokens("no idea")


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (StubReply('{"num', finish_reason="length"), "cut off at max_completion_tokens"),
        (StubReply(None, refusal="I will not."), "the model refused"),
        (StubReply(raw="{", media_type="application/json"), "no chat completion"),
        (StubReply(raw="{}", media_type="application/json"), "no chat completion"),
        (StubReply(raw="<html>Welcome</html>"), "no chat completion; check that OPENAI_BASE_URL"),
    ],
)
async def test_what_another_try_cannot_mend_is_not_tried_again(
    reply: StubReply, fault: str
) -> None:
    async with bench(scripted(reply)) as b:
        with pytest.raises(LLMFormatError, match=fault):
            await b.ask()
        assert b.outcomes == ["error"]
        assert b.stub.n_requests == 1


async def test_a_rate_limit_is_waited_for_as_told() -> None:
    limit = StubReply(status=429, headers={"retry-after": "7"})
    async with bench(scripted(limit, GOOD)) as b:
        assert (await b.ask()).number == 2
        assert b.outcomes == ["retried", "ok"]
        assert b.pauses == [7.0]
        assert b.client.ledger.rows[0].tokens_prompt == 0


async def test_a_wait_beyond_reason_is_cut() -> None:
    limit = StubReply(status=429, headers={"retry-after": "86400"})
    async with bench(scripted(limit, GOOD)) as b:
        await b.ask()
        assert b.pauses == [30.0]


async def test_server_errors_are_tried_three_times() -> None:
    async with bench(scripted(StubReply(status=500))) as b:
        with pytest.raises(LLMError, match=r"3 times: the endpoint answered 500\. Try again"):
            await b.ask()
        assert b.outcomes == ["retried", "retried", "error"]
        assert b.pauses == [0.5, 1.0]
        assert b.client.ledger.total == 0


async def test_an_empty_account_is_not_asked_again() -> None:
    async with bench(scripted(StubReply(status=429, code="insufficient_quota"))) as b:
        with pytest.raises(LLMError, match=r"once: the account has no quota left\. Check its plan"):
            await b.ask()
        assert b.outcomes == ["error"]


async def test_a_wrong_key_is_an_error_that_does_not_quote_it() -> None:
    async with bench(scripted(GOOD), key="sk-wrong") as b:
        with pytest.raises(LLMError, match="Check OPENAI_API_KEY") as caught:
            await b.ask()
        assert b.outcomes == ["error"]
        assert b.stub.n_requests == 1
    assert "sk-wrong" not in str(caught.value)
    assert caught.value.__cause__ is None and caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("status", "cure"),
    [(404, "ODOKIT_LLM_MODEL"), (403, "what that key may use"), (400, "structured outputs")],
)
async def test_refusals_name_their_cure(status: int, cure: str) -> None:
    async with bench(scripted(StubReply(status=status))) as b:
        with pytest.raises(LLMError, match=cure) as caught:
            await b.ask()
        assert b.outcomes == ["error"]
    assert isinstance(caught.value.__cause__, openai.APIStatusError)


async def test_silence_is_a_timeout_whose_prompts_are_counted() -> None:
    async with bench(scripted(StubReply(is_silent=True)), timeout_s=0.2) as b:
        with pytest.raises(LLMError, match=r"3 times: no answer in time"):
            await b.ask()
        assert b.outcomes == ["retried", "retried", "error"]
        assert all(row.is_counted for row in b.client.ledger.rows)
        assert b.client.ledger.total == 3 * (N_PROMPT + N_SCHEMA)


async def test_nobody_listening_is_a_connection_error() -> None:
    async with bench(scripted(GOOD)) as b:
        with socket.create_server(("127.0.0.1", 0)) as free:
            base_url = f"http://127.0.0.1:{free.getsockname()[1]}/v1/"
        b.client._api.base_url = base_url
        with pytest.raises(LLMError, match=f"gpt-5.4-mini at {base_url} .*no connection"):
            await b.ask()
        assert b.outcomes == ["retried", "retried", "error"]


async def test_a_cancelled_request_is_booked() -> None:
    arrived = asyncio.Event()
    loop = asyncio.get_running_loop()

    def answer(_messages: object, _schema: object) -> StubReply:
        loop.call_soon_threadsafe(arrived.set)
        return StubReply(is_silent=True)

    budget = Budget(max_tokens=N_PROMPT + N_SCHEMA + 2000)
    async with bench(answer, budget=budget) as b:
        task = asyncio.create_task(b.ask())
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert b.outcomes == ["error"]
        assert budget.tokens == b.client.ledger.total == N_PROMPT + N_SCHEMA


async def test_what_may_exceed_the_token_budget_is_not_sent() -> None:
    budget = Budget(max_tokens=N_PROMPT + N_SCHEMA + 1999)
    async with bench(scripted(GOOD), budget=budget) as b:
        with pytest.raises(BudgetError, match="before sending"):
            await b.ask()
        assert b.stub.n_requests == 0
        assert b.client.ledger.rows == ()


async def test_retries_count_against_the_call_budget() -> None:
    async with bench(scripted(StubReply(status=500)), budget=Budget(max_calls=2)) as b:
        with pytest.raises(BudgetError, match="2 of 2 requests"):
            await b.ask()
        assert b.stub.n_requests == 2


async def test_parallel_requests_cannot_overspend() -> None:
    budget = Budget(max_tokens=2 * (N_PROMPT + N_SCHEMA + 2000))
    async with bench(scripted(GOOD), budget=budget) as b:
        results = await asyncio.gather(*(b.ask() for _ in range(5)), return_exceptions=True)
        assert sum(isinstance(result, ChooseOne) for result in results) == 2
        assert sum(isinstance(result, BudgetError) for result in results) == 3
        assert b.stub.n_requests == 2
        assert budget.tokens == b.client.ledger.total


async def test_settings_make_a_working_client() -> None:
    with StubLLM(scripted(GOOD)) as stub:
        env = {"OPENAI_API_KEY": stub.key}
        model: ChatModel
        async with ChatClient.from_settings(settings(stub.base_url), Ledger(), env=env) as model:
            reply = await model.ask(OPTION, VARIABLES, ChooseOne, purpose="choose_option")
            assert reply.number == 2
            assert model.ledger.rows[0].model == "gpt-4o"


def test_no_key_says_what_to_do() -> None:
    with pytest.raises(LLMNotConfigured, match=r"cascade .* OPENAI_API_KEY .* policy offline"):
        ChatClient.from_settings(settings(None), Ledger(), env={})


async def test_logs_hold_neither_prompt_nor_reply_nor_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="odokit")
    caplog.set_level(logging.INFO)
    async with bench(scripted("gibberish", GOOD)) as b:
        await b.ask()
    assert "choose_option asked gpt-5.4-mini: retried" in caplog.text
    for private in ("Open the shop", "gibberish", "stub-key"):
        assert private not in caplog.text
