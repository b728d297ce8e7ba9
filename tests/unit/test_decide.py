"""Each decision is taken by the cheapest sufficient means, written down, or not taken."""

from __future__ import annotations

import pytest

from odokit.decide import (
    DemonstrationCard,
    FieldQuestion,
    Means,
    OptionQuestion,
    PathOption,
    PlanChoice,
    Point,
    make_decider,
)
from odokit.errors import ConfigError, LLMError, UndecidedError
from odokit.llm.replies import ChooseMany, ChooseOne, PlanReply, SlotValue, Text, Values
from odokit.llm.scripted import ScriptedModel


def card(trajectory_id: str, task: str, *writes: str, **values: str) -> DemonstrationCard:
    return DemonstrationCard(trajectory_id, task, values, writes, f"about: {task}")


CARDS = [
    card(
        "enrol",
        'Enroll the learner "Maya Lindt" in the class "Grade 5".',
        "POST /api/membership",
        learner="Maya Lindt",
        class_name="Grade 5",
    ),
    card(
        "rename",
        'Rename the class "Grade 5" to "Grade 5 West".',
        "PATCH /api/classroom",
        old="Grade 5",
        new="Grade 5 West",
    ),
    card("publish", "Publish the report", "POST /api/draft", "POST /api/publish"),
]
WORDED = 'Enroll the learner "Bo Li" in the class "Year 7".'
MAYBE = "Year 7 needs Bo Li, see to it"
CHOSEN = PlanChoice("enrol", (0,), {"learner": "Bo Li", "class_name": "Year 7"})
PLAN_REPLY = PlanReply(
    demonstration=1,
    writes=[1],
    values=[
        SlotValue(name="learner", value="Bo Li"),
        SlotValue(name="class_name", value="Year 7"),
        SlotValue(name="invented", value="x"),
    ],
)


def field(**what: object) -> FieldQuestion:
    given: dict[str, object] = {
        "task": "t",
        "label": "Name",
        "kind": "text",
        "bound": None,
        "is_constant": False,
        "demonstrated": "Owls",
    }
    return FieldQuestion(**(given | what))  # type: ignore[arg-type]


def options(*texts: str, wanted: str | None = None) -> OptionQuestion:
    return OptionQuestion("the task", "pick a learner", wanted, texts)


async def test_the_demonstrated_wording_decides_by_rule() -> None:
    decider = make_decider("offline")
    assert await decider.choose_plan(WORDED, CARDS) == CHOSEN
    assert {(r.means, r.confidence) for r in decider.log.rows} == {(Means.RULE, 1.0)}
    assert [r.point for r in decider.log.rows] == [
        Point.DEMONSTRATION,
        Point.VALUE,
        Point.VALUE,
        Point.WRITES,
    ]
    assert sum(r.tokens for r in decider.log.rows) == 0


async def test_all_writes_of_the_demonstration_are_wanted() -> None:
    choice = await make_decider("offline").choose_plan("Publish the report", CARDS)
    assert choice.writes == (0, 1)


async def test_offline_abstains_where_nothing_is_sure() -> None:
    decider = make_decider("offline")
    with pytest.raises(UndecidedError, match="no demonstration fits"):
        await decider.choose_plan(MAYBE, CARDS)
    assert decider.log.rows == []


async def test_two_demonstrations_of_one_wording_that_write_differently_are_no_rule() -> None:
    twins = [card("a", "Save it now please", "POST /a"), card("b", "Save it now please", "POST /b")]
    with pytest.raises(UndecidedError):
        await make_decider("offline").choose_plan("Save it now please", twins)


async def test_the_cascade_asks_once_for_all_that_is_open() -> None:
    model = ScriptedModel([PLAN_REPLY])
    decider = make_decider("cascade", model)
    choice = await decider.choose_plan(MAYBE, CARDS[:1])
    assert choice == CHOSEN, "and takes no parameter that was not demonstrated"
    assert len(model.requests) == 1
    (row,) = decider.log.rows
    assert (row.means, row.tokens) == (Means.LLM, model.ledger.total)
    assert model.requests[0].decision_ids == (row.decision_id,)


async def test_the_cascade_does_not_ask_what_a_rule_knows() -> None:
    model = ScriptedModel()
    decider = make_decider("cascade", model)
    assert await decider.choose_plan(WORDED, CARDS) == CHOSEN
    assert await decider.field_value(field(bound="Foxes")) == "Foxes"
    assert await decider.choose_option(options("Ada", "Bo", wanted="Bo")) == 1
    assert await decider.choose_path("t", "d", [PathOption("x", 0.5)]) == 0
    assert model.requests == []


@pytest.mark.parametrize("number", [0, 9])
async def test_a_model_may_find_nothing(number: int) -> None:
    reply = PlanReply(demonstration=number, writes=[], values=[])
    with pytest.raises(UndecidedError, match="finds no demonstration"):
        await make_decider("cascade", ScriptedModel([reply])).choose_plan(MAYBE, CARDS)


async def test_a_failing_model_is_not_hidden() -> None:
    with pytest.raises(LLMError, match="down"):
        await make_decider("cascade", ScriptedModel([LLMError("down")])).choose_plan(MAYBE, CARDS)


@pytest.mark.parametrize(("is_constant", "confidence"), [(True, 0.8), (False, 1.0)])
async def test_a_bound_value_is_a_rule(is_constant: bool, confidence: float) -> None:
    decider = make_decider("offline")
    question = field(bound="on", is_constant=is_constant, kind="checkbox")
    assert await decider.field_value(question) == "on"
    (row,) = decider.log.rows
    assert (row.point, row.means, row.confidence) == (Point.STATE, Means.RULE, confidence)


async def test_an_unbound_value_is_asked_for_or_abstained_from() -> None:
    with pytest.raises(UndecidedError, match="“Name”"):
        await make_decider("offline").field_value(field())
    model = ScriptedModel([Values(values=[SlotValue(name="Name", value="Elks")])])
    decider = make_decider("cascade", model)
    assert await decider.field_value(field()) == "Elks"
    assert decider.log.rows[0].means is Means.LLM
    with pytest.raises(UndecidedError, match="no value"):
        await make_decider("cascade", ScriptedModel([Values(values=[])])).field_value(field())


@pytest.mark.parametrize(
    ("wanted", "texts", "choice"),
    [
        ("Ada Byron", ("Ada Byron", "Bo"), 0),
        ("ada byron", ("Bo", "ADA  BYRON"), 1),
        ("Zoë O'Neil", ("Zoe O’Neil", "Bo"), 0),
        ("Fractions", ("Fractions, 12 pages Options", "Decimals"), 0),
        ("Fractions", ("Fractions of time", "Fractions"), 1),
        ("Fractions", ("Fractions 1", "Fractions 2"), None),
        ("Ada", ("Ada", "Ada"), None),
        ("Eda Byron", ("Ada Byron",), None),
        ("Grade 5B", ("Grade 5A",), None),
        ("Grade 15", ("Grade 1", "Grade 5"), None),
        ("Anna Maria", ("Anna",), None),
        ("Anna", ("Annabel",), None),
        ("x", (), None),
        ("", ("a", "b"), None),
        (None, ("only",), None),
    ],
)
async def test_an_option_is_taken_when_it_is_the_one(
    wanted: str | None, texts: tuple[str, ...], choice: int | None
) -> None:
    decider = make_decider("offline")
    if choice is None:
        with pytest.raises(UndecidedError, match="is clearly"):
            await decider.choose_option(options(*texts, wanted=wanted))
        assert decider.log.rows == []
    else:
        assert await decider.choose_option(options(*texts, wanted=wanted)) == choice
        assert decider.log.rows[0].answer == texts[choice]


async def test_an_open_option_is_asked_for() -> None:
    decider = make_decider("cascade", ScriptedModel([ChooseOne(number=2), ChooseOne(number=0)]))
    assert await decider.choose_option(options("a", "b")) == 1
    with pytest.raises(UndecidedError, match="no option"):
        await decider.choose_option(options("a", "b"))


async def test_the_path_nearest_to_the_demonstration_is_taken() -> None:
    decider = make_decider("offline")
    paths = [PathOption("far", 0.2), PathOption("near", 0.9), PathOption("middle", 0.5)]
    assert await decider.choose_path("t", "d", paths) == 1
    assert decider.log.rows[0].confidence == 0.95


async def test_the_published_policy_asks_for_everything() -> None:
    model = ScriptedModel(
        [
            Text(text="Enroll a learner in a class"),
            ChooseOne(number=1),
            ChooseMany(numbers=[1]),
            ChooseOne(number=2),
            Values(values=[SlotValue(name="Name", value="Elks")]),
            Values(values=[]),
            ChooseOne(number=1),
        ]
    )
    decider = make_decider("paper", model)
    choice = await decider.choose_plan(WORDED, CARDS)
    assert (choice.trajectory_id, choice.writes, choice.values) == ("enrol", (0,), {})
    assert await decider.choose_path("t", "d", [PathOption("x", 1), PathOption("y", 0)]) == 1
    assert await decider.field_value(field(bound="Foxes")) == "Elks"
    assert await decider.field_value(field(bound="Foxes")) == "Owls", "what was demonstrated stands"
    assert await decider.choose_option(options("a", "b", wanted="b")) == 0
    assert {row.means for row in decider.log.rows} == {Means.LLM}
    assert [r.purpose for r in model.requests] == [
        "generalise_task",
        "choose_demonstration",
        "choose_writes",
        "choose_path",
        "field_values",
        "field_values",
        "choose_option",
    ]
    assert sum(row.tokens for row in decider.log.rows) == model.ledger.total


async def test_the_published_policy_takes_the_only_path_and_may_find_nothing() -> None:
    nothing = [Text(text="x"), ChooseOne(number=0), ChooseMany(numbers=[]), ChooseOne(number=0)]
    decider = make_decider("paper", ScriptedModel(nothing))
    assert await decider.choose_path("t", "d", [PathOption("x", 1)]) == 0
    with pytest.raises(UndecidedError, match="no demonstration"):
        await decider.choose_plan(WORDED, CARDS)
    again = make_decider("paper", ScriptedModel([Text(text="x"), ChooseOne(number=1), nothing[2]]))
    with pytest.raises(UndecidedError, match="no request"):
        await again.choose_plan(WORDED, CARDS)
    with pytest.raises(UndecidedError, match="no option"):
        await make_decider("paper", ScriptedModel(nothing[3:])).choose_option(options("a"))


@pytest.mark.parametrize(
    ("policy", "model", "complaint"),
    [
        ("cascade", None, "needs a language model"),
        ("paper", None, "needs a language model"),
        ("guess", ScriptedModel(), "'guess' is unknown"),
    ],
)
def test_policies(policy: str, model: ScriptedModel | None, complaint: str) -> None:
    with pytest.raises(ConfigError, match=complaint):
        make_decider(policy, model)
