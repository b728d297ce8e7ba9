"""From a task to instructions: the demonstrated way, bridges to it, the paper's search."""

from __future__ import annotations

import itertools

import pytest
from builders import ORIGIN, Story

from odokit.decide import make_decider
from odokit.errors import NoPathError, UndecidedError
from odokit.events import EventKind
from odokit.navmodel import NavModel, discover_model
from odokit.plan import Plan, beam_search, demonstration_cards, find_paths, make_plan, replan


def rename() -> Story:
    """Groups, a group, rename it."""
    story = Story("rename", task='Rename "Owls" to "Foxes"', values={"old": "Owls", "new": "Foxes"})
    story.at("/groups").click("Owls", role="link").at("/groups/7").enter("Name", "Foxes")
    story.check("Notify").click("Save").write("PATCH", "/api/groups/7", {"name": "Foxes"})
    return story.at("/groups").changes("done")


def browse() -> Story:
    """From home to the groups, and a message on the way."""
    story = Story("browse", task="Send a greeting").at("/home").click("Groups", role="link")
    return story.at("/groups").click("Greet").write("POST", "/api/greetings")


@pytest.fixture
def model() -> NavModel:
    return discover_model([rename().trajectory(), browse().trajectory()])


def words(plan: Plan) -> list[str]:
    return [i.label for i in plan.instructions]


async def plan_of(model: NavModel, task: str, path: str) -> Plan:
    return await make_plan(task, ORIGIN + path, model, make_decider("offline"))


TASK = 'Rename "Bats" to "Elks"'
WAY = [
    "click link “{}”",
    "enter textbox “Name”",
    "set checkbox “Notify”",
    "click button “Save”",
]


async def test_the_demonstrated_way_is_followed_from_where_one_is(model: NavModel) -> None:
    plan = await plan_of(model, TASK, "/groups")
    assert words(plan) == WAY
    assert (plan.path.origin, plan.path.overlap, plan.start_url) == ("demonstration", 1.0, None)
    assert plan.values == {"old": "Bats", "new": "Elks"}
    plan = await plan_of(model, TASK, "/groups/9")
    assert words(plan) == WAY[1:]


async def test_instructions_say_what_to_expect(model: NavModel) -> None:
    pick, name, notify, save = (await plan_of(model, TASK, "/groups")).instructions
    assert pick.target.name == "Bats" and pick.target.wanted == "Bats"
    assert pick.location == "/groups/*" and pick.writes == ()
    assert name.question is not None and name.question.bound == "Elks"
    assert not name.question.is_constant and name.question.demonstrated == "Foxes"
    assert notify.question is not None
    assert (notify.question.bound, notify.question.is_constant) == ("on", True)
    assert save.question is None and [w.step.event.kind for w in save.writes] == [
        EventKind.REST_CALL
    ]
    assert save.page == "/groups/*"
    assert [i.number for i in (pick, name, notify, save)] == [0, 1, 2, 3]
    assert name.target.landmarks == ("main:",)


async def test_an_unknown_value_leaves_the_name_open(model: NavModel) -> None:
    plan = await plan_of(model, TASK, "/groups")
    cards = demonstration_cards(model)
    assert [c.trajectory_id for c in cards] == ["browse", "rename"]
    assert cards[1].description == 'Rename "old" to "new"'
    partly = await replan(
        Plan(**{**vars(plan), "values": {"new": "Elks"}}),
        f"{ORIGIN}/groups",
        model,
        make_decider("offline"),
        done=set(),
    )
    assert partly.instructions[0].target.name is None
    assert partly.instructions[0].target.wanted is None


async def test_from_elsewhere_a_bridge_leads_to_the_demonstration(model: NavModel) -> None:
    plan = await plan_of(model, TASK, "/home")
    assert words(plan) == ["click link “Groups”", *WAY]
    assert plan.path.origin == "bridge"


async def test_from_an_unknown_page_it_begins_at_the_start(model: NavModel) -> None:
    elsewhere = "http://127.0.0.1:8123/never/seen"
    plan = await make_plan(TASK, elsewhere, model, make_decider("offline"))
    assert words(plan) == WAY
    assert plan.start_url == "http://127.0.0.1:8123/start", "at the host in use now"


async def test_what_is_done_is_not_done_again(model: NavModel) -> None:
    story = Story("two", task="Make both").at("/both").click("First").write("POST", "/api/first")
    story.at("/second").click("Second").write("POST", "/api/second")
    both = discover_model([story.trajectory()])
    plan = await make_plan("Make both", f"{ORIGIN}/both", both, make_decider("offline"))
    assert len(plan.targets) == 2
    done = {plan.targets[0].step.idx}
    rest = await replan(plan, f"{ORIGIN}/second", both, make_decider("offline"), done=done)
    assert words(rest) == ["click button “Second”"] and len(rest.targets) == 1


async def test_without_a_write_there_is_nothing_to_plan() -> None:
    idle = discover_model([Story("idle", task="Look").click("A").trajectory()])
    with pytest.raises(NoPathError, match="no demonstration ends in a write"):
        await make_plan("Look", ORIGIN, idle, make_decider("offline"))


async def test_a_task_of_another_kind_is_not_planned(model: NavModel) -> None:
    with pytest.raises(UndecidedError):
        await plan_of(model, 'Delete the group "Owls"', "/groups")


def grid() -> NavModel:
    """Ways from S to T: over A and B, over C, and one that leads round in a circle."""
    ways = ["S A B T", "S C T", "S A S D"]
    stories = []
    for number, way in enumerate(ways):
        story = Story(f"w{number}")
        for name in way.split():
            story.click(name).wait(1_000)
        stories.append(story.trajectory())
    return discover_model(stories)


def by_name(model: NavModel) -> dict[str, int]:
    return {v.fixed["name"]: i for i, v in enumerate(model.vertices)}


def test_beam_search_finds_all_ways_without_a_vertex_twice() -> None:
    model = grid()
    number = by_name(model)
    found = beam_search(model, number["S"], number["T"])
    letters = {n: name for name, n in number.items()}
    assert {"".join(letters[v] for v in path) for path in found} == {"SCT", "SABT"}
    assert all(len(set(path)) == len(path) for path in found)
    for path in found:
        assert all(b in model.successors(a) for a, b in itertools.pairwise(path))


def test_a_narrow_beam_keeps_the_nearest() -> None:
    model = grid()
    number = by_name(model)
    (path,) = beam_search(model, number["S"], number["T"], width=1, max_paths=1)
    assert path == tuple(number[n] for n in "SCT")


def test_steps_at_infinite_distance_are_limited() -> None:
    chain = [
        Story(f"c{i:02}").click(str("abcdefgh"[i])).click(str("abcdefgh"[i + 1])) for i in range(7)
    ]
    model = discover_model([c.trajectory() for c in chain])
    number = by_name(model)
    # From a to h, five of the six vertices between were never seen together with h.
    assert beam_search(model, number["a"], number["h"], max_gaps=5) == [
        tuple(number[c] for c in "abcdefgh")
    ]
    assert beam_search(model, number["a"], number["h"], max_gaps=4) == []


def test_there_may_be_no_way() -> None:
    model = grid()
    number = by_name(model)
    assert beam_search(model, number["T"], number["S"]) == []


def test_paths_begin_with_the_demonstration_and_hold_no_double(model: NavModel) -> None:
    source = model.find_location(f"{ORIGIN}/groups")
    paths = find_paths(model, source, model.target_writes("rename"), "rename")
    assert paths[0].origin == "demonstration"
    keys = [tuple(s.vertex for s in p.steps) for p in paths]
    assert len(set(keys)) == len(keys)
    assert paths[0].describe(model).splitlines() == [f"- {label}" for label in WAY]
