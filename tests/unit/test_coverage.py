"""What rests on one demonstration is found, and what helps most is proposed first."""

from __future__ import annotations

import pytest
from builders import Story

from odokit.coverage import (
    find_evidence,
    frame_evidence,
    frame_proposals,
    propose_recordings,
)
from odokit.navmodel import NavModel, discover_model
from odokit.paraphrases import Paraphrases
from odokit.report import plot_coverage, plot_evidence
from odokit.tasks import TaskFile


def rename(trajectory_id: str, name: str) -> Story:
    story = Story(trajectory_id, task=f'Rename it to "{name}"').at("/groups/7").click("Edit")
    return story.enter("Name", name).click("Save").write("PATCH", "/api/groups/7")


def delete(trajectory_id: str) -> Story:
    return Story(trajectory_id).at("/groups/7").click("Delete").write("DELETE", "/api/groups/7/")


def model_of(*stories: Story) -> NavModel:
    return discover_model([s.trajectory() for s in stories])


def template(name: str, *writes: tuple[str, str], n_execute: int = 2) -> dict[str, object]:
    instances = [{"id": f"{name}_0", "use": "demonstrate", "values": {"to": "Owls"}}]
    instances += [
        {"id": f"{name}_{i + 1}", "use": "execute", "values": {"to": f"Foxes {i}"}}
        for i in range(n_execute)
    ]
    return {
        "id": name,
        "role": "admin",
        "text": f'{name.title()} it to "{{to}}"',
        "ids": {"group": "SELECT 1"},
        "expect": {"writes": [{"method": m, "path": p} for m, p in writes]},
        "instances": instances,
    }


def tasks_of(*templates: dict[str, object]) -> TaskFile:
    return TaskFile.model_validate({"app": "any", "templates": list(templates)})


RENAME = ("PATCH", "/api/groups/{group}")
DELETE = ("DELETE", "/api/groups/{group}/")


def test_evidence_is_counted_by_demonstration() -> None:
    found = find_evidence(model_of(rename("a", "Owls"), rename("b", "Foxes"), delete("c")))
    counted = {(e.what, e.label): e.n_demonstrations for e in found}
    assert counted == {
        ("write", "PATCH /api/groups/*"): 2,
        ("write", "DELETE /api/groups/*"): 1,
        ("widget", "click button “Edit”"): 2,
        ("widget", "enter textbox “Name”"): 2,
        ("widget", "click button “Save”"): 2,
        ("widget", "click button “Delete”"): 1,
        ("branch", "at /groups/* → click button “Edit”"): 2,
        ("branch", "at /groups/* → click button “Delete”"): 1,
    }
    assert {e.page for e in found if e.what == "widget"} == {"/groups/*"}
    assert {e.confidence for e in found} == {2 / 3, 3 / 4}


def test_noise_is_no_evidence_and_one_way_on_is_no_branch() -> None:
    stories = [Story(f"t{i}").click("A").write("POST", "/ping") for i in range(4)]
    assert [e.what for e in find_evidence(model_of(*stories))] == ["widget"]


def test_what_was_never_demonstrated_comes_before_what_was_once() -> None:
    tasks = tasks_of(template("rename", RENAME), template("delete", DELETE, n_execute=3))
    first, second = propose_recordings(model_of(rename("rename_0", "Owls")), tasks)
    assert (first.template_id, first.n_missing, first.n_single) == ("delete", 3, 0)
    assert (first.instance_id, first.text) == ("delete_0", 'Delete it to "Owls"')
    assert (second.template_id, second.n_missing, second.n_single) == ("rename", 0, 2)
    assert second.instance_id == "rename_1", "the first that was not demonstrated"
    assert second.n_gained == 4, "three widgets and a write"


def test_a_write_that_several_templates_wait_for_helps_them_all() -> None:
    tasks = tasks_of(
        template("rename", RENAME),
        template("delete", DELETE),
        template("leave", DELETE, n_execute=1),
    )
    found = {
        p.template_id: p.n_missing for p in propose_recordings(model_of(rename("x", "A")), tasks)
    }
    assert found == {"rename": 2, "delete": 3, "leave": 3}


def test_a_demonstration_is_known_by_its_task_too_and_two_are_enough() -> None:
    tasks = tasks_of(template("rename", RENAME))
    model = model_of(rename("mine", "Owls"), rename("yours", "Foxes 0"))
    (proposal,) = propose_recordings(model, tasks)
    assert (proposal.n_missing, proposal.n_single, proposal.n_gained) == (0, 0, 0)


def test_each_known_wording_is_a_task() -> None:
    tasks = tasks_of(template("rename", RENAME))
    wordings = Paraphrases({"rename": {"casual": ("a {to}", "b {to}"), "formal": ("c {to}",)}})
    (proposal,) = propose_recordings(model_of(delete("x")), tasks, wordings)
    assert proposal.n_missing == 2 * 4


def test_frames_hold_what_was_found() -> None:
    model = model_of(rename("rename_0", "Owls"), delete("c"))
    evidence = frame_evidence(model)
    assert evidence.height == len(find_evidence(model))
    shown = evidence.filter(what="write")["trajectories"].to_list()
    assert sorted(shown) == [["c"], ["rename_0"]]
    proposals = propose_recordings(model, tasks_of(template("rename", RENAME)))
    assert frame_proposals(proposals)["template_id"].to_list() == ["rename"]
    assert frame_proposals(()).is_empty()


def test_figures_say_how_much_rests_on_one_demonstration() -> None:
    evidence = frame_evidence(model_of(rename("a", "Owls"), rename("b", "<b>"), delete("c")))
    bars = plot_evidence(evidence)
    assert bars.layout.title.text == "3 of 8 parts rest on a single demonstration"
    assert sum(sum(trace.x) for trace in bars.data) == 8
    tiles = plot_coverage(evidence)
    assert tiles.layout.title.text == "2 of 6 writes and widgets rest on a single demonstration"
    assert sum(tiles.data[0].values) == 6


@pytest.mark.parametrize("draw", [plot_evidence, plot_coverage])
def test_an_empty_model_has_a_figure_that_says_so(draw: object) -> None:
    figure = draw(frame_evidence(model_of(Story("a"))))  # type: ignore[operator]
    assert figure.layout.annotations[0].text == "nothing was demonstrated"
