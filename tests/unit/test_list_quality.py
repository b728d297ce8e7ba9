"""Lists and free clicks are found on the test beds' own pages; labels come from their own data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from builders import Story

from odokit.config import Settings
from odokit.dom import parse
from odokit.errors import OdokitError, TestBedError
from odokit.events import Element, Event, EventKind, Header, Trajectory
from odokit.navmodel import discover_model
from odokit.study.lists import frame_vertex_freedom, read_labelled_pages, summarize_list_quality
from odokit.substructure import Exact
from odokit.testbeds import TESTBED_NAMES, get_testbed
from odokit.testbeds.containers import label_lists, read_entities, show_data
from odokit.testbeds.labels import (
    Labels,
    PageLabels,
    label_clicks,
    label_pages,
    read_labels,
    write_labels,
)

SETTINGS = Settings.load(Path(__file__).parents[2])
ENTITIES = {
    "ann lee": frozenset({("person", "1")}),
    "alee": frozenset({("person", "1")}),
    "bob ray": frozenset({("person", "2")}),
    "7a": frozenset({("class", "1")}),
    "7b": frozenset({("class", "2")}),
}


def test_the_default_setting_is_right_on_every_test_bed() -> None:
    frame = summarize_list_quality(SETTINGS, [Exact()])
    assert frame["app"].to_list() == [*TESTBED_NAMES, "all"]
    for column in ("recall", "precision", "click_recall", "click_precision"):
        *apps, together = frame[column]
        assert together >= 0.95, (column, frame)
        assert min(apps) >= 0.94, (column, frame)  # a few pages more or less move one test bed


def test_enough_pages_of_every_test_bed_are_labelled() -> None:
    n_pages = {
        app: sum(bool(page.lists) for page in read_labelled_pages(SETTINGS, app))
        for app in TESTBED_NAMES
    }
    assert sum(n_pages.values()) >= 40
    assert min(n_pages.values()) >= 10


# ------------------------------------------------------------------------------ labels of pages


def labelled(html: str) -> list[tuple[str, str, str]]:
    return [(x.container, x.tag, x.kind) for x in label_lists(parse(html), ENTITIES)]


def test_rows_that_show_one_person_each_are_a_list() -> None:
    html = "<table><tr><td>Ann Lee<td>alee<tr><td>Bob Ray<td>bray</table>"
    assert labelled(html) == [("/html/body/table/tbody", "tr", "person")]


@pytest.mark.parametrize(
    "html",
    [
        "<p><b>Ann Lee</b><b>alee</b></p>",  # two texts of one person
        "<p><b>Ann Lee</b><b>7A</b></p>",  # two kinds
        "<p><b>Ann Lee</b><i>Bob Ray</i></p>",  # two tags
        "<p><b>Ann Lee</b><b>somebody</b></p>",
        "<div><p>Ann Lee</p><p><b>Bob Ray</b><i>Ann Lee</i></p></div>",  # one shows two
    ],
)
def test_what_is_no_list_of_data(html: str) -> None:
    assert labelled(html) == []


def test_a_list_within_an_item_is_not_counted_for_the_item() -> None:
    people = "<ul><li>Ann Lee</li><li>Bob Ray</li></ul>"
    html = (
        f"<div><section><h2>7A</h2>{people}</section><section><h2>7B</h2>{people}</section></div>"
    )
    assert labelled(html) == [
        ("/html/body/div", "section", "class"),
        ("/html/body/div/section[1]/ul", "li", "person"),
        ("/html/body/div/section[2]/ul", "li", "person"),
    ]


def test_elements_that_show_data_are_numbered() -> None:
    page = parse("<p><b>Ann  LEE</b><i>nobody</i></p>")
    assert [page.tags[i] for i in show_data(page, ENTITIES)] == ["b"]


# ------------------------------------------------------------------------------ labels of clicks


def clicked(name: str, xpath: str, snapshot: str = "page", role: str = "button") -> Event:
    element = Element(tag="button", xpath=xpath, role=role, name=name)
    return Event(
        kind=EventKind.CLICK, idx=0, t_ms=0, url="http://x/", element=element, snapshot=snapshot
    )


def walk(*events: Event) -> Trajectory:
    numbered = tuple(e.model_copy(update={"idx": i}) for i, e in enumerate(events))
    header = Header(trajectory_id="t", task="t", app="x", start_url="http://x/")
    return Trajectory(header, numbered)


PAGE = "<table><tr><td>Ann Lee<td><button>X</button><tr><td>Bob Ray<td><button>X</button></table>"


def label(*walks: Trajectory) -> dict[int, str]:
    return dict(label_clicks(walks, lambda _: PAGE, ENTITIES))


def test_a_click_is_free_by_its_name_or_by_the_entity_of_its_row() -> None:
    row = "/html/body/table/tbody/tr[{}]/td[2]/button"
    first = walk(clicked("Save", "/a"), clicked("7A", "/b"), clicked("X", row.format(1)))
    second = walk(clicked("Save", "/c"), clicked("7B", "/b"), clicked("X", row.format(2)))
    assert label(first, second) == {0: "fixed", 1: "free", 2: "free"}
    assert label(first, first) == {0: "fixed", 1: "fixed", 2: "fixed"}


def test_demonstrations_together_tell_more_than_each_alone() -> None:
    def story(trajectory_id: str, code: str, row: int) -> Story:
        told = Story(trajectory_id, values={"code": code}, snapshot="page").at("/people")
        told.click("X", xpath=f"/html/body/table/tbody/tr[{row}]/td[2]/button")
        return told.click("Save", xpath="/html/body/form/button")

    stories = story("a", "first", 1), story("b", "second", 2)
    model = discover_model([s.trajectory() for s in stories], get_snapshot=lambda _: PAGE)
    frame = frame_vertex_freedom(model, "a", lambda _: PAGE, Exact())
    shown = frame.select("label", "n_clicks", "is_free", "in_model").rows()
    # Nothing in the words of a task says which row, but each task picks another.
    assert shown == [
        ("click button “X”", 2, True, False),
        ("click button “Save”", 2, False, False),
    ]
    x, save = frame["why"]
    assert x.startswith("it was not the same in 2 tasks")
    assert save.startswith("it was the same in 2 tasks")


def test_clicks_that_cannot_be_put_together_are_left_out() -> None:
    one, two = walk(clicked("a", "/a")), walk(clicked("a", "/a"), clicked("b", "/b"))
    assert label(one, two) == {}
    assert label(one, walk(clicked("a", "/a", role="link"))) == {}


# ------------------------------------------------------------------------------ files


@dataclass
class FakeTestBed:
    """As much of a test bed as labelling asks for."""

    folder: Path
    name: str = "fake"
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    @property
    def tasks_path(self) -> Path:
        return self.folder / "tasks.yaml"

    def query(self, sql: str, params: object) -> list[tuple[Any, ...]]:
        return self.rows


def test_entities_that_share_a_text_stand_for_it(tmp_path: Path) -> None:
    (tmp_path / "entities.yaml").write_text("person: SELECT id, name FROM person\n")
    testbed: Any = FakeTestBed(tmp_path, rows=[(1, "Ann  Lee"), (2, "Bob"), (3, "bob"), (4, "")])
    assert read_entities(testbed) == {
        "ann lee": frozenset({("person", "1")}),
        "bob": frozenset({("person", "bob")}),
    }


def test_missing_or_malformed_files_are_refused_with_what_to_do(tmp_path: Path) -> None:
    testbed: Any = FakeTestBed(tmp_path)
    with pytest.raises(TestBedError, match=r"entities\.yaml must map each kind"):
        read_entities(testbed)
    with pytest.raises(TestBedError, match="odokit lists label fake"):
        read_labels(testbed)
    (tmp_path / "containers.yaml").write_text("snapshots: 3\n")
    with pytest.raises(TestBedError, match="snapshots"):
        read_labels(testbed)


def test_labels_are_read_as_they_were_written(tmp_path: Path) -> None:
    testbed: Any = FakeTestBed(tmp_path)
    pages = label_pages([walk(clicked("X", "/a"))], lambda _: PAGE, ENTITIES)
    labels = Labels(snapshots=pages, clicks={"demo": {3: "free"}})
    assert isinstance(pages["page"], PageLabels)
    path = write_labels(testbed, labels)
    assert path.read_text().startswith("# Made by `odokit lists label fake`")
    assert read_labels(testbed) == labels


def test_labels_of_snapshots_that_are_gone_say_what_to_do(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path)
    source = get_testbed("oscar", SETTINGS).tasks_path.with_name("containers.yaml")
    target = get_testbed("oscar", settings).tasks_path.with_name("containers.yaml")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source.read_text())
    with pytest.raises(OdokitError, match="odokit lists label oscar"):
        read_labelled_pages(settings, "oscar")
