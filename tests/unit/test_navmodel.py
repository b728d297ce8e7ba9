"""Timelines merge into one graph: what is the same meets, what differs stays apart."""

from __future__ import annotations

import numpy as np
import pytest
from builders import ORIGIN, Story, element

from odokit.errors import NavModelError
from odokit.events import EventKind, Gesture, Trajectory
from odokit.navmodel import NavModel, blank_values, discover_model, first_visit, task_values
from odokit.substructure import DynamicXpath

PEOPLE = ("Ada Byron", "Grace Hopper", "Alan Turing")


def rename(trajectory_id: str, group: int, name: str, *, xpath: str = "") -> Story:
    """Rename a group; the button may stand elsewhere."""
    story = Story(trajectory_id, task=f'Rename it to "{name}"', values={"name": name})
    story.at(f"/groups/{group}").enter("Name", name).click("Save", xpath=xpath)
    return story.write("PATCH", f"/api/groups/{group}", {"name": name}).changes("Saved")


def model_of(*stories: Story, pages: dict[str, str] | None = None, **how: str) -> NavModel:
    get = pages.__getitem__ if pages is not None else None
    return discover_model([s.trajectory() for s in stories], get_snapshot=get, **how)  # type: ignore[arg-type]


def labels(model: NavModel) -> list[str]:
    return [v.label for v in model.vertices if v.kind is not EventKind.DOM_EFFECT]


def test_two_demonstrations_of_one_task_meet_in_every_vertex() -> None:
    model = model_of(rename("a", 7, "Owls"), rename("b", 12, "Foxes"))
    assert labels(model) == [
        "at /groups/*",
        "enter textbox “Name”",
        "click button “Save”",
        "PATCH /api/groups/*",
    ]
    assert all(len(v.instances) == 2 for v in model.vertices)
    assert set(model.edges) == {(0, 1), (1, 2), (2, 3)}
    assert model.edges[0, 1] == (2, 100.0)


def test_the_button_moved_elsewhere_is_the_same_only_by_fingerprint() -> None:
    stories = rename("a", 7, "Owls"), rename("b", 7, "Owls", xpath="/html/body/aside/button")
    assert len(model_of(*stories).vertices) == 4
    assert len(model_of(*stories, identity="paper").vertices) == 5


def test_another_element_at_the_same_place_is_another_only_by_fingerprint() -> None:
    def story(trajectory_id: str, question: str) -> Story:
        told = Story(trajectory_id).at("/quiz")
        return told.choose(
            "answer",
            "Yes",
            ["Yes", "No"],
            xpath="/html/body/input",
            landmarks=(f"group:{question}",),
        )

    stories = story("a", "Is it wet?"), story("b", "Is it dry?")
    assert len(model_of(*stories).vertices) == 3
    assert len(model_of(*stories, identity="paper").vertices) == 2


def test_the_same_name_in_another_region_is_another_vertex() -> None:
    story = Story().click("Edit", landmarks=["region:Billing"])
    story.wait(1_000).click("Edit", landmarks=["region:Delivery"])
    assert len(model_of(story).vertices) == 2


def test_numbers_and_values_in_names_are_blanked() -> None:
    def story(trajectory_id: str, person: str, n: int) -> Story:
        told = Story(trajectory_id, values={"person": person})
        return told.click(f"Message {person}").click(f"Inbox ({n})")

    model = model_of(story("a", "Ada Byron", 3), story("b", "Alan Turing", 14))
    assert labels(model) == ["click button “Message {}”", "click button “Inbox (#)”"]
    assert model.vertices[0].has_free_target and not model.vertices[1].has_free_target
    assert {t.slot for t in model.vertices[0].free_targets.values()} == {"person"}


@pytest.mark.parametrize(
    ("text", "pattern", "slot"),
    [
        ("Message Ada Byron", "Message {}", "person"),
        ("message ada byron now", "message {} now", "person"),
        ("Adaptive", "Adaptive", None),
        ("Room 12b, 4 seats", "Room #b, # seats", None),
        ("Ada", "{}", "short"),
        ("x", "x", None),
    ],
)
def test_blanking(text: str, pattern: str, slot: str | None) -> None:
    values = {"short": "Ada", "person": "Ada Byron", "letter": "x"}
    assert blank_values(text, values) == (pattern, slot)


def test_values_are_those_declared_or_else_those_quoted() -> None:
    declared = rename("a", 7, "Owls").trajectory().header
    assert task_values(declared) == {"name": "Owls"}
    quoted = Story(task='Rename "Owls" to “Foxes”').trajectory().header
    assert task_values(quoted) == {"value_1": "Owls", "value_2": "Foxes"}


def page_of_people(order: tuple[str, ...] = PEOPLE) -> str:
    rows = "".join(f"<li><span>{p}</span><button>Options</button></li>" for p in order)
    return f"<html><body><main><h1>People</h1><ul>{rows}</ul></main></body></html>"


def test_a_button_in_a_row_is_told_by_its_row() -> None:
    story = Story("a", values={"person": "Grace Hopper"}, snapshot="s")
    story.click("Options", xpath="/html/body/main/ul/li[2]/button")
    (vertex,) = model_of(story, pages={"s": page_of_people()}).vertices
    (free,) = vertex.free_targets.values()
    assert (free.slot, free.by) == ("person", "item")
    assert vertex.dynamic_xpaths == (DynamicXpath("/html/body/main/ul", "li", "/button"),)


def test_rows_that_share_the_value_tell_nothing() -> None:
    story = Story("a", values={"person": "Grace"}, snapshot="s")
    story.click("Options", xpath="/html/body/main/ul/li[2]/button")
    page = page_of_people(("Grace Jones", "Grace Hopper"))
    assert not model_of(story, pages={"s": page}).vertices[0].has_free_target


@pytest.mark.parametrize(("person", "is_told"), [("Ada Byron", True), ("Grace Hopper", False)])
def test_a_single_row_is_told_by_the_value_it_names(person: str, is_told: bool) -> None:
    # After a search one row is left; the next task's page may show more before it is filtered.
    story = Story("a", values={"person": person}, snapshot="s")
    story.click("Options", xpath="/html/body/main/ul/li/button")
    page = page_of_people(("Ada Byron",))
    vertex = model_of(story, pages={"s": page}).vertices[0]
    assert vertex.has_free_target is is_told
    assert vertex.dynamic_xpaths == ()


def test_of_two_values_in_a_row_the_one_counts_that_no_other_row_says() -> None:
    values = {"school": "Northern Primary School", "person": "Grace"}
    rows = "".join(
        f"<li><span>{p}, Northern Primary School</span><button>Options</button></li>"
        for p in ("Ada", "Grace", "Alan")
    )
    story = Story("a", values=values, snapshot="s")
    story.click("Options", xpath="/html/body/main/ul/li[2]/button")
    page = f"<html><body><main><ul>{rows}</ul></main></body></html>"
    (free,) = model_of(story, pages={"s": page}).vertices[0].free_targets.values()
    assert (free.slot, free.by) == ("person", "item")


def test_one_of_two_tables_does_not_tell_its_only_row_but_the_row_does() -> None:
    def table(person: str) -> str:
        cells = f"<td>{person}</td><td><button>Remove</button></td>"
        return f"<section><table><tbody><tr>{cells}</tr></tbody></table></section>"

    page = f"<html><body><main>{table('Ada Byron')}{table('Alan Turing')}</main></body></html>"
    story = Story("a", values={"person": "Alan Turing"}, snapshot="s")
    story.click("Remove", xpath="/html/body/main/section[2]/table/tbody/tr/td[2]/button")
    vertex = model_of(story, pages={"s": page}).vertices[0]
    (free,) = vertex.free_targets.values()
    assert (free.slot, free.by) == ("person", "item")


def changed(story: Story, idx: int, **fields: object) -> Trajectory:
    """A story's trajectory with fields of one event set."""
    trajectory = story.trajectory()
    events = [e.model_copy(update=fields) if e.idx == idx else e for e in trajectory.events]
    return Trajectory(trajectory.header, tuple(events))


@pytest.mark.parametrize("identity", ["fingerprint", "paper"])
def test_what_was_done_to_an_element_tells_vertices_apart(identity: str) -> None:
    done = [
        {},
        {"gesture": Gesture.HOVER},
        {"gesture": Gesture.KEY, "value": "Enter"},
        {"gesture": Gesture.KEY, "value": "Escape"},
        {"gesture": Gesture.DRAG, "drop": element("Done", role="list")},
        {"gesture": Gesture.DRAG, "drop": element("Doing", role="list")},
    ]
    trajectories = [changed(Story(f"t{i}").click("Card"), 0, **how) for i, how in enumerate(done)]
    again = changed(Story("again").click("Card"), 0, **done[3])
    model = discover_model([*trajectories, again], identity=identity)
    assert sorted(len(v.instances) for v in model.vertices) == [1, 1, 1, 1, 1, 2]


def popup(trajectory_id: str, control: str, value: str, **how: object) -> Story:
    """Open a pop-up and pick an option in it that the task names."""
    story = Story(trajectory_id, values={"value": value}, snapshot="closed")
    story.click(control, role="", tag="div", **how)
    return story.click(value, role="option", tag="li", xpath="/html/body/ul/li[2]", landmarks=())


POPUP_PAGES = {"closed": "<html><body><main><div>Year</div><div>Sex</div></main></body></html>"}


def test_options_of_two_controls_are_told_apart_by_what_opened_them() -> None:
    stories = popup("a", "Year", "2009"), popup("b", "Year", "2011"), popup("c", "Sex", "Female")
    model = model_of(*stories, pages=POPUP_PAGES)
    options = [v for v in model.vertices if v.fixed["role"] == "option"]
    assert [(v.fixed["opener"], len(v.instances)) for v in options] == [("Year", 2), ("Sex", 1)]


def test_a_control_that_says_so_opened_them_without_a_snapshot() -> None:
    how = {"attributes": {"aria-haspopup": "true"}}
    model = model_of(popup("a", "Year", "2009", **how), popup("b", "Sex", "Female", **how))
    assert len([v for v in model.vertices if v.fixed["role"] == "option"]) == 2


def test_a_list_that_was_there_before_was_opened_by_nobody() -> None:
    page = "<html><body><ul><li>2008</li><li>2009 Female 2011</li></ul></body></html>"
    stories = popup("a", "Year", "2009"), popup("c", "Sex", "Female")
    model = model_of(*stories, pages={"closed": page})
    assert len([v for v in model.vertices if v.fixed["role"] == "option"]) == 1


def test_the_letter_of_an_answer_is_where_it_stood_and_not_what_it_is() -> None:
    def story(trajectory_id: str, letter: str, answer: str) -> Story:
        return Story(trajectory_id, values={"answer": answer}).click(f"{letter} {answer}")

    model = model_of(story("a", "B", "900 km"), story("b", "C", "Oslo"))
    assert labels(model) == ["click button “{}”"]


def test_effects_are_keyed_by_their_neighbours_or_by_the_location_they_follow() -> None:
    def story(trajectory_id: str, first: str, second: str) -> Story:
        told = Story(trajectory_id).at("/a").changes("loaded").click(first)
        return told.changes("menu").click(second)

    model = model_of(story("a", "Open", "X"), story("b", "Open", "Y"), story("c", "Close", "X"))
    effects = [v for v in model.vertices if v.kind is EventKind.DOM_EFFECT]
    assert [sorted(v.instances) for v in effects] == [
        ["a#1", "b#1", "c#1"],  # after the location, whatever follows
        ["a#3"],
        ["b#3"],
        ["c#3"],
    ]
    again = model_of(story("a", "Open", "X"), story("d", "Open", "X"))
    assert [len(v.instances) for v in again.vertices if v.kind is EventKind.DOM_EFFECT] == [2, 2]


def test_effects_at_the_ends_are_ignored() -> None:
    model = model_of(Story().changes("first").click("A").changes("last"))
    assert [v.kind for v in model.vertices] == [EventKind.CLICK]


def test_target_writes_are_caused_accepted_and_no_noise() -> None:
    def story(trajectory_id: str, path: str) -> Story:
        told = Story(trajectory_id).write("POST", "/api/boot").click("Save")
        told.write("POST", path).write("POST", "/api/refused", status=403).write("POST", "/api/log")
        return told.write("POST", "/graphql", operation="Nope", answer={"errors": [{}]})

    stories = [story(f"t{i}", f"/api/thing{'abcd'[i]}") for i in range(4)]
    model = model_of(*stories)
    found = [model.vertices[v.vertex].label for v in model.target_writes("t2")]
    assert found == ["POST /api/thingc"]
    noise = {v.label for i, v in enumerate(model.vertices) if model.is_noise(i)}
    assert {"POST /api/boot", "POST /api/log"} <= noise
    few = model_of(*stories[:3])
    assert len(few.target_writes("t2")) == 2, "with three demonstrations frequency says nothing"


def test_the_share_of_trajectories_is_right_when_ids_hold_the_mark() -> None:
    model = model_of(Story("a#1").click("A"), Story("a#2").click("A"), Story("b").click("B"))
    assert [model.share(v) for v in range(2)] == [2 / 3, 1 / 3]


def test_a_write_that_nobody_causes_is_noise_though_few_demonstrations_have_it() -> None:
    def story(trajectory_id: str) -> Story:
        told = Story(trajectory_id).write("POST", "/api/beat").wait(9_000)
        return told.write("POST", "/api/beat").click("Save").write("POST", "/api/beat")

    others = [Story(f"o{i}").click("Other").write("POST", "/api/o") for i in range(6)]
    model = model_of(story("a"), story("b"), *others)
    beats = next(i for i, v in enumerate(model.vertices) if v.label == "POST /api/beat")
    assert model.is_noise(beats)
    assert model.write_frequencies[beats].n_uncaused == 4
    assert model.target_writes("a") == ()


def test_places_are_found_by_their_template() -> None:
    model = model_of(rename("a", 7, "Owls"))
    assert model.find_location(f"{ORIGIN}/groups/99?tab=1") == 0
    assert model.find_location(f"{ORIGIN}/elsewhere") is None


def test_vertices_have_names_that_outlive_the_process() -> None:
    model = model_of(rename("a", 7, "Owls"))
    for number, vertex in enumerate(model.vertices):
        assert model.get_vertex(vertex.name) == number
    again = model_of(rename("z", 8, "Foxes"), rename("a", 7, "Owls"))
    assert [v.name for v in again.vertices] == [v.name for v in model.vertices]
    with pytest.raises(NavModelError, match="no vertex nowhere"):
        model.get_vertex("nowhere")


def test_the_graph_carries_what_the_model_knows() -> None:
    model = model_of(rename("a", 7, "Owls"), rename("b", 8, "Foxes"))
    assert model.graph.vcount() == len(model.vertices)
    assert model.graph.es["count"] == [2, 2, 2]
    assert model.successors(0) == [1]
    assert model.shortest_route(0, 3) == [0, 1, 2, 3]
    assert model.shortest_route(3, 0) == []


def test_distance_is_the_difference_of_mean_indexes() -> None:
    first = Story("a").click("A").click("B").click("A").click("T")
    second = Story("b").click("B").click("C")
    model = model_of(first, second)
    number = {v.label: i for i, v in enumerate(model.vertices)}
    distance = model.distances_to(number["click button “T”"])
    assert distance[number["click button “A”"]] == 2  # 3 - mean(0, 2)
    assert distance[number["click button “B”"]] == 2  # trajectory b has no T and does not count
    assert np.isinf(distance[number["click button “C”"]])


def test_first_visit() -> None:
    model = model_of(Story("a").click("A").click("B").click("A"))
    assert first_visit(model.walks["a"], 0) == 0
    assert first_visit(model.walks["a"], 1) == 1
    assert first_visit(model.walks["a"], 9) is None


def test_equal_inputs_give_an_equal_id_and_other_settings_another() -> None:
    stories = rename("a", 7, "Owls"), rename("b", 8, "Foxes")
    assert model_of(*stories).model_id == model_of(*reversed(stories)).model_id
    assert model_of(*stories).model_id != model_of(*stories, identity="paper").model_id
    assert model_of(*stories).model_id != model_of(stories[0]).model_id


@pytest.mark.parametrize(
    ("trajectories", "how", "complaint"),
    [
        ([], {}, "no trajectories"),
        ([Story("a").click("A"), Story("a").click("B")], {}, "same id"),
        ([Story("a").click("A")], {"identity": "xpath"}, "identity 'xpath' is unknown"),
    ],
)
def test_what_cannot_be_built_is_said(
    trajectories: list[Story], how: dict[str, str], complaint: str
) -> None:
    with pytest.raises(NavModelError, match=complaint):
        model_of(*trajectories, **how)


def test_a_trajectory_without_events_does_no_harm() -> None:
    empty = Trajectory(Story("empty").trajectory().header, ())
    model = discover_model([empty, rename("a", 7, "Owls").trajectory()])
    assert model.walks["empty"] == ()
    assert np.isfinite(model.distances_to(0)).any()
    assert discover_model([empty]).vertices == ()
