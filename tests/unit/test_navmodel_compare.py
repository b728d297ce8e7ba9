"""Models held against each other and looked through: differences, loops, input parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Story

from odokit.config import Settings
from odokit.errors import NavModelError
from odokit.events import EventKind
from odokit.navmodel import (
    NavModel,
    compare_models,
    diff_models,
    discover_model,
    find_loops,
    input_parameters,
)
from odokit.report import plot_changes
from odokit.study.identities import (
    compare_identities,
    find_act,
    read_identities,
    score_repeats,
)
from odokit.tasks import TaskFile
from odokit.testbeds import TESTBED_NAMES

SETTINGS = Settings.load(Path(__file__).parents[2])


def model_of(*stories: Story, identity: str = "fingerprint") -> NavModel:
    return discover_model([s.trajectory() for s in stories], identity=identity)


def quiz(trajectory_id: str, *answers: str) -> Story:
    """Answer questions one after the other and submit."""
    story = Story(trajectory_id, values={f"a{i}": a for i, a in enumerate(answers)}).at("/quiz")
    for answer in answers:
        story.click(answer, xpath="/html/body/main/li/button").changes("next").click("Next")
        story.wait(1_000)
    return story.click("Submit").write("POST", "/api/quiz")


# ------------------------------------------------------------------------------------- comparing


def test_models_are_compared_by_which_steps_they_keep_together() -> None:
    stories = quiz("a", "Oslo", "Rome"), quiz("b", "Bern", "Rome")
    found = compare_models(model_of(*stories), model_of(*stories, identity="paper"))
    ours, paper = found.groupings
    assert (ours.identity, paper.identity) == ("fingerprint", "paper")
    assert (ours.n_own_acts, paper.n_own_acts) == (1, 3), "one answer against three texts"
    (answers,) = found.regroupings
    assert answers.merged_by == "fingerprint"
    assert sorted(len(steps) for steps in answers.groups.values()) == [1, 1, 2]


def test_equal_models_have_no_difference() -> None:
    model = model_of(quiz("a", "Oslo"))
    found = compare_models(model, model)
    assert found.regroupings == ()
    assert {g.n_own for g in found.groupings} == {0}


def test_models_of_different_trajectories_are_not_compared_step_by_step() -> None:
    with pytest.raises(NavModelError, match="only one has the trajectory a"):
        compare_models(model_of(quiz("a", "Oslo")), model_of(quiz("b", "Oslo")))


@pytest.mark.parametrize("app", TESTBED_NAMES)
def test_fingerprints_are_right_where_the_oracles_say_what_is_one_act(app: str) -> None:
    _, judged, _ = compare_identities(SETTINGS, app)
    assert judged["fingerprint"].all(), judged.filter(~judged["fingerprint"])["what"].to_list()


def test_paper_errs_both_ways_where_fingerprints_do_not() -> None:
    _, judged, _ = compare_identities(SETTINGS, "kolibri")
    wrong = judged.filter(~judged["paper"])
    assert wrong.filter(wrong["are"] == "same").height >= 5
    assert wrong.filter(wrong["are"] == "different").height >= 3
    assert "a question of a quiz is answered" in wrong["what"].to_list()


def test_an_act_is_known_again_in_another_demonstration_of_its_template() -> None:
    rows = {
        "id": "rename",
        "role": "admin",
        "text": "Rename it",
        "expect": {"writes": [{"method": "POST", "path": "/x"}]},
        "instances": [{"id": i, "use": "execute", "values": {}} for i in ("a", "b", "c", "d")],
    }
    tasks = TaskFile.model_validate({"app": "any", "templates": [rows]})
    stories = [
        Story(i, values={"name": name}).click(f"Open {name}").enter("Name", name)
        for i, name in (("a", "Owls"), ("b", "Foxes"))
    ]
    odd = Story("c").click("Help")
    models = [model_of(*stories, odd, identity=identity) for identity in ("fingerprint", "paper")]
    assert score_repeats(models, tasks).rows() == [("fingerprint", 2, 2), ("paper", 2, 1)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("- {what: x, are: alike, why: y, acts: []}", r"field 0\.are"),
        ("- {what: x, are: same, why: y, acts: [{in: a, kind: click, name: b}]}", r"field 0\.acts"),
        ("a: [", "cannot be read as YAML"),
    ],
)
def test_a_malformed_list_of_identities_is_refused(
    tmp_path: Path, text: str, complaint: str
) -> None:
    path = tmp_path / "identity.yaml"
    path.write_text(text)
    with pytest.raises(NavModelError, match=complaint):
        read_identities(path)


def test_an_act_that_was_not_demonstrated_is_named(tmp_path: Path) -> None:
    path = tmp_path / "identity.yaml"
    act = "{in: a, kind: click, name: Next, n: 3}"
    path.write_text(f"- {{what: x, are: same, why: y, acts: [{act}, {act}]}}")
    (known,) = read_identities(path)
    with pytest.raises(NavModelError, match="has 2 times click “Next”, and number 3"):
        find_act(model_of(quiz("a", "Oslo", "Rome")), known.acts[0])


# ------------------------------------------------------------------------------------------ diff


def test_a_difference_names_what_came_went_and_grew() -> None:
    first = model_of(Story("a").click("A").click("B"), Story("b").click("C"))
    second = model_of(Story("a").click("A").click("B"), Story("c").click("A").click("D"))
    found = diff_models(first, second)
    labels = {
        change: sorted(found.vertices.filter(change=change)["label"].to_list())
        for change in ("added", "removed", "changed", "same")
    }
    assert labels == {
        "added": ["click button “D”"],
        "removed": ["click button “C”"],
        "changed": ["click button “A”"],
        "same": ["click button “B”"],
    }
    grown = found.vertices.filter(change="changed").row(0, named=True)
    assert (grown["n_first"], grown["n_second"]) == (1, 2)
    assert found.edges.select("change", "target").rows() == [
        ("same", "click button “B”"),
        ("added", "click button “D”"),
    ]
    assert found.counts().rows() == [("vertices", 1, 1, 1, 1), ("edges", 1, 0, 0, 1)]
    assert not found.is_empty


def test_changes_are_drawn_by_kind() -> None:
    first = model_of(Story("a").click("A"), Story("b").click("C"))
    second = model_of(Story("a").click("A"), Story("c").click("A").enter("D", "x"))
    figure = plot_changes(diff_models(first, second))
    drawn = {trace.name: dict(zip(trace.y, trace.x, strict=True)) for trace in figure.data}
    assert drawn["added"] == {"data entry": 1, "click": 0}
    assert (drawn["removed"]["click"], drawn["changed"]["click"]) == (1, 1)
    assert figure.layout.title.text == "3 vertices and 1 edges differ between the two models"


def test_a_model_does_not_differ_from_itself() -> None:
    model = model_of(quiz("a", "Oslo"))
    assert diff_models(model, model).is_empty


# ----------------------------------------------------------------------------------------- loops


def test_a_loop_is_marked_with_its_rounds_and_what_ended_it() -> None:
    model = model_of(quiz("a", "Oslo", "Rome", "Bern"))
    (loop,) = find_loops(model)
    labels = [model.vertices[v].label for v in loop.body]
    assert labels == ["click button “{}”", "click button “Next”"]
    assert (loop.trajectory_id, loop.start, loop.n_rounds) == ("a", 1, 3)
    assert loop.exit is not None
    assert model.vertices[loop.exit].label == "click button “Submit”"


def test_what_is_done_once_is_no_loop_and_a_demonstration_may_end_in_one() -> None:
    assert find_loops(model_of(Story().click("A").click("B").click("C"))) == ()
    story = Story().click("Start")
    for _ in range(3):
        story.wait(1_000).click("Add")
    (loop,) = find_loops(model_of(story))
    assert (loop.n_rounds, loop.exit) == (3, None)


# ------------------------------------------------------------------------------------ parameters


def test_two_fields_of_one_name_are_two_parameters() -> None:
    page = Story("a", values={"title": "Owls"}).at("/pages/1").enter("Title", "Owls")
    news = Story("b", values={"title": "Foxes"}).at("/news/2").enter("Title", "Foxes")
    again = Story("c", values={"title": "Bees"}).at("/pages/3").enter("Title", "Bees")
    found = input_parameters(model_of(page, news, again))
    assert [(p.label, p.page, p.values, p.slots) for p in found] == [
        ("Title", "/pages/*", ("Owls", "Bees"), ("title",)),
        ("Title", "/news/*", ("Foxes",), ("title",)),
    ]
    assert len({p.vertex for p in found}) == 2


def test_parameters_of_choices_know_their_options() -> None:
    story = Story().check("Visible", checked=False)
    story.select("Size", "L", ["S", "L"]).choose("answer", "Yes", ["Yes", "No"])
    found = {p.kind: p for p in input_parameters(model_of(story))}
    assert found[EventKind.CHECKBOX].values == ("off",)
    assert (found[EventKind.SELECT].values, found[EventKind.SELECT].options) == (("L",), ("S", "L"))
    assert (found[EventKind.RADIO].label, found[EventKind.RADIO].options) == (
        "answer",
        ("Yes", "No"),
    )


def test_free_parameters_are_those_of_the_kind_and_the_element_where_it_is_free() -> None:
    story = Story(values={"who": "Ada Byron"}).click("Message Ada Byron").enter("Text", "Hi")
    assert [v.free for v in model_of(story).vertices] == [("element",), ("value",)]
