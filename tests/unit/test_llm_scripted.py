"""The scripted model follows its script, books, and fails loudly when misused."""

from __future__ import annotations

import pytest

from odokit.errors import BudgetError, LLMError
from odokit.llm.ledger import Budget
from odokit.llm.model import ChatModel
from odokit.llm.prompt import Prompt
from odokit.llm.replies import ChooseOne, Text, schema_text
from odokit.llm.scripted import ScriptedModel
from odokit.llm.tokens import count_messages, count_tokens

PROMPT = Prompt.load("generalise_task")
VARIABLES = {"task": "Buy 3 red mugs"}


async def ask(model: ChatModel) -> Text:
    return await model.ask(PROMPT, VARIABLES, Text, purpose="generalise", decision_ids=("d",))


async def test_replies_come_in_order_and_are_booked() -> None:
    model = ScriptedModel([Text(text="Buy mugs.")])
    model.enqueue(Text(text="Buy things."))
    assert [(await ask(model)).text, (await ask(model)).text] == ["Buy mugs.", "Buy things."]
    first, _ = model.ledger.rows
    n_prompt = count_messages(PROMPT.render(**VARIABLES)) + count_tokens(schema_text(Text))
    assert first.tokens_prompt == n_prompt
    assert first.tokens_completion == count_tokens('{"text":"Buy mugs."}')
    assert (first.purpose, first.decision_ids, first.is_counted) == ("generalise", ("d",), True)
    assert first.usd is None
    assert model.requests[0].messages[1]["content"] == "<data>\nBuy 3 red mugs\n</data>"


async def test_an_error_of_the_script_is_raised_and_booked() -> None:
    model = ScriptedModel([LLMError("down")])
    with pytest.raises(LLMError, match="down"):
        await ask(model)
    assert [row.outcome for row in model.ledger.rows] == ["error"]


async def test_an_exhausted_script_says_so() -> None:
    with pytest.raises(LLMError, match="no reply left for generalise, request 1"):
        await ask(ScriptedModel())


async def test_a_reply_of_another_class_says_so() -> None:
    with pytest.raises(LLMError, match="is a ChooseOne and a Text was asked for"):
        await ask(ScriptedModel([ChooseOne(number=1)]))


async def test_the_budget_is_checked_before_the_script_is_read() -> None:
    model = ScriptedModel([Text(text="x")], budget=Budget(max_tokens=10))
    with pytest.raises(BudgetError):
        await ask(model)
    assert model.requests == []
    assert model.ledger.rows == ()
