"""Raw events become steps: what was one act to a person is one step."""

from __future__ import annotations

import pytest
from builders import Story

from odokit.events import EventKind, Gesture, Trajectory
from odokit.timeline import (
    CAUSE_MS,
    DOUBLE_CLICK_MS,
    Timeline,
    build_timeline,
    was_accepted,
    write_frequency,
)


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


def changed(story: Story, **fields: dict[int, object]) -> Trajectory:
    """A story's trajectory with fields of some events set, by index."""
    trajectory = story.trajectory()
    events = [
        e.model_copy(update={name: by[e.idx] for name, by in fields.items() if e.idx in by})
        for e in trajectory.events
    ]
    return Trajectory(trajectory.header, tuple(events))


def causes(trajectory: Trajectory) -> list[int | None]:
    return [step.cause for step in build_timeline(trajectory).steps]


def test_a_double_click_stands_for_the_clicks_it_is_made_of() -> None:
    story = Story().click("Open").click("Open").click("Open")
    steps = build_timeline(changed(story, gesture={2: Gesture.DOUBLE})).steps
    assert [(s.event.gesture, s.raw) for s in steps] == [(Gesture.DOUBLE, (0, 1, 2))]


def test_a_key_pressed_twice_is_no_double_click() -> None:
    keys = {0: Gesture.KEY, 1: Gesture.KEY}
    assert len(build_timeline(changed(Story().click("Row").click("Row"), gesture=keys)).steps) == 2


def test_every_raw_event_is_in_one_step() -> None:
    story = Story().enter("Name", "O").changes("hint").enter("Name", "Ow").click("Save")
    steps = build_timeline(story.at("/a").changes("b").at("/c").trajectory()).steps
    assert [s.raw for s in steps] == [(0, 2), (1,), (3,), (5,), (4, 6)]


def test_a_poll_that_comes_after_a_click_by_chance_is_not_caused_by_it() -> None:
    story = Story()
    for n in range(4):
        story = story.click("Open") if n == 2 else story.wait(100)
        story = story.write("POST", "/ping").wait(CAUSE_MS + 1_800)
    assert causes(story.trajectory()) == [None, None, None, None, None]
    once = Story().click("Open").write("POST", "/ping")
    assert causes(once.trajectory()) == [None, 0], "what is sent once is no poll"


def test_a_steady_hand_is_no_poll() -> None:
    story = Story()
    for _ in range(4):
        story = story.click("Add").write("POST", "/items").wait(1_000)
    assert causes(story.trajectory())[1::2] == [0, 2, 4, 6]


def test_the_same_address_from_another_script_is_another_source() -> None:
    story = Story().write("POST", "/x").wait(4_900).write("POST", "/x").wait(4_800).click("Save")
    trajectory = story.write("POST", "/x").trajectory()
    assert causes(trajectory) == [None, None, None, None]
    own = [
        e.model_copy(update={"request": e.request.model_copy(update={"initiator": "save.js:1"})})
        if e.request and e.idx == 3
        else e
        for e in trajectory.events
    ]
    assert causes(Trajectory(trajectory.header, tuple(own))) == [None, None, None, 2]


def test_what_happens_in_a_tab_was_caused_there_if_it_can_be() -> None:
    story = Story().click("Print").click("Save").write("POST", "/print").write("POST", "/new")
    trajectory = changed(story, tab={0: 1, 2: 1, 3: 2})
    assert causes(trajectory)[2:] == [0, 1]


def test_moving_the_mouse_sends_nothing_where_something_was_clicked() -> None:
    story = Story().click("Save").click("Menu").write("POST", "/x").changes("menu")
    assert causes(changed(story, gesture={1: Gesture.HOVER}))[2:] == [0, 1]
    lone = Story().click("Menu").write("POST", "/x")
    assert causes(changed(lone, gesture={0: Gesture.HOVER})) == [None, 0]


@pytest.mark.parametrize(
    ("n_with", "n_uncaused", "n_trajectories", "is_noise"),
    [(3, 0, 4, True), (2, 0, 4, False), (3, 0, 3, False), (4, 3, 20, True), (4, 2, 20, False)],
)
def test_noise_is_what_comes_everywhere_or_by_itself(
    n_with: int, n_uncaused: int, n_trajectories: int, is_noise: bool
) -> None:
    stories = []
    for i in range(n_with):
        story = Story(f"t{i}")
        stories.append((story if i < n_uncaused else story.click("A")).write("POST", "/x"))
    timelines: list[Timeline] = [build_timeline(s.trajectory()) for s in stories]
    seen = [(t.id, t.steps[-1]) for t in timelines]
    found = write_frequency(seen, n_trajectories)
    assert (found.n_with, found.n_uncaused) == (n_with, n_uncaused)
    assert found.is_noise is is_noise


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
