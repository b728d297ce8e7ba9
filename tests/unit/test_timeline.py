"""Raw events become steps: what was one act to a person is one step."""

from __future__ import annotations

import pytest
from builders import Story

from odokit.events import EventKind
from odokit.timeline import CAUSE_MS, DOUBLE_CLICK_MS, build_timeline, was_accepted


def kinds(story: Story) -> list[EventKind]:
    return [step.event.kind for step in build_timeline(story.trajectory()).steps]


def test_keystrokes_become_one_entry_even_when_the_page_reacts() -> None:
    story = Story().at("/a").enter("Name", "O").changes("hint").enter("Name", "Ow")
    story.write("PUT", "/draft").enter("Name", "Owl").click("Save")
    steps = build_timeline(story.trajectory()).steps
    entries = [s.event for s in steps if s.event.kind is EventKind.DATA_ENTRY]
    assert [e.value for e in entries] == ["Owl"]
    assert entries[0].idx == 1, "it stands where it began"
    assert [s.idx for s in steps] == list(range(len(steps)))


@pytest.mark.parametrize("between", ["click", "location", "other field"])
def test_an_entry_ends_with_the_next_act(between: str) -> None:
    story = Story().enter("Name", "a")
    {
        "click": lambda: story.click("More"),
        "location": lambda: story.at("/b"),
        "other field": lambda: story.enter("Title", "x"),
    }[between]()
    story.enter("Name", "ab")
    values = [s.event.value for s in build_timeline(story.trajectory()).steps]
    assert [v for v in values if v and v.startswith("a")] == ["a", "ab"]


def test_an_entry_in_another_frame_is_another_entry() -> None:
    trajectory = Story().enter("Name", "a").enter("Name", "b").trajectory()
    first, second = trajectory.events
    assert second.element is not None
    framed = second.element.model_copy(update={"frame": ("/html/body/iframe",)})
    moved = (first, second.model_copy(update={"element": framed}))
    assert len(build_timeline(type(trajectory)(trajectory.header, moved)).steps) == 2


@pytest.mark.parametrize(
    ("gap_ms", "n_clicks"), [(DOUBLE_CLICK_MS - 1, 1), (DOUBLE_CLICK_MS + 1, 2)]
)
def test_a_double_click_is_one_click(gap_ms: float, n_clicks: int) -> None:
    story = Story().click("Open").wait(gap_ms - 100).click("Open")
    assert len(kinds(story)) == n_clicks


def test_clicks_between_which_the_page_changed_are_two() -> None:
    assert kinds(Story().click("+").changes("1").click("+")).count(EventKind.CLICK) == 2


def test_effects_between_two_steps_are_one() -> None:
    story = Story().click("A").changes("x", "y").changes("z").click("B")
    steps = build_timeline(story.trajectory()).steps
    assert [e.text for e in steps[1].event.effects] == ["x", "y", "z"]


def test_redirects_are_one_location() -> None:
    story = Story().click("Sign in").at("/auth").changes("spinner").at("/home").changes("home")
    steps = build_timeline(story.trajectory()).steps
    (location,) = (s.event for s in steps if s.event.kind is EventKind.LOCATION)
    assert location.from_url.endswith("/start") and location.to_url.endswith("/home")
    assert [s.event.kind for s in steps].count(EventKind.DOM_EFFECT) == 2


def test_places_between_which_something_was_done_stay() -> None:
    assert kinds(Story().at("/a").click("Next").at("/b")).count(EventKind.LOCATION) == 2
    assert kinds(Story().at("/a").write("POST", "/log").at("/b")).count(EventKind.LOCATION) == 2


def test_a_write_belongs_to_the_last_interaction_before_it() -> None:
    story = Story().write("POST", "/boot").click("A").click("B").at("/b").write("POST", "/x")
    steps = build_timeline(story.trajectory()).steps
    assert [s.cause for s in steps] == [None, None, None, 2, 2]


@pytest.mark.parametrize(("late_ms", "cause"), [(CAUSE_MS - 100, 0), (CAUSE_MS + 1, None)])
def test_what_comes_long_after_has_no_cause(late_ms: float, cause: int | None) -> None:
    story = Story().click("A").wait(late_ms).write("POST", "/x")
    assert build_timeline(story.trajectory()).steps[1].cause == cause


def test_a_slow_typist_causes_what_her_last_keystroke_caused() -> None:
    story = Story().enter("Note", "R")
    for text in ("Ra", "Rai", "Rain"):
        story.wait(CAUSE_MS / 2).enter("Note", text)
    steps = build_timeline(story.write("PUT", "/autosave", {"text": "Rain"}).trajectory()).steps
    assert [s.cause for s in steps] == [None, 0]


def test_a_step_is_named_by_its_place_in_the_timeline() -> None:
    timeline = build_timeline(Story("demo").click("A").click("B").trajectory())
    assert timeline.step_id(1) == "demo#1" and timeline.id == "demo"


@pytest.mark.parametrize(
    ("status", "operation", "answer", "is_accepted"),
    [
        (200, "", None, True),
        (302, "", None, True),
        (None, "", None, False),
        (0, "", None, False),
        (404, "", None, False),
        (500, "", None, False),
        (200, "Rename", {"data": {"rename": {"id": 1}}}, True),
        (200, "Rename", {"data": None}, True),
        (200, "Rename", {"errors": [{"message": "no"}]}, False),
        (200, "Rename", [{"data": {}}, {"errors": [{"message": "no"}]}], False),
        (200, "Rename", {"data": {"rename": {"__typename": "NotAllowedError"}}}, False),
        (200, "", {"errors": ["a REST answer may say this of rows"]}, True),
    ],
)
def test_an_accepted_write(
    status: int | None, operation: str, answer: object, is_accepted: bool
) -> None:
    story = Story().write("POST", "/x", status=status, operation=operation, answer=answer)
    assert was_accepted(story.trajectory().events[0]) is is_accepted


def test_a_click_is_no_write() -> None:
    assert not was_accepted(Story().click("A").trajectory().events[0])
