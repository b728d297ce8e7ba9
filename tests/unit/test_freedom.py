"""Fixed or free: what was picked and what the task says count, not that something repeats."""

from __future__ import annotations

import pytest

from odokit.dom import parse
from odokit.substructure import (
    DynamicXpath,
    Exact,
    Pick,
    decide_free,
    find_lists,
    naming_value,
    read_pick,
)

TABLE = (
    "<table><tbody>"
    "<tr><td>Ann Lee</td><td><button>Remove</button></td></tr>"
    "<tr><td>Bob Ray</td><td><button>Remove</button></td></tr>"
    "</tbody></table>"
)
BAR = "<nav><ul><li><a>Home</a></li><li><a>Classes</a></li><li><a>Users</a></li></ul></nav>"


def pick(html: str, xpath: str, name: str, *values: str) -> Pick:
    page = parse(html)
    return read_pick(page, find_lists(page), xpath, name=name, values=values)


def remove(row: int, *values: str) -> Pick:
    xpath = f"/html/body/table/tbody/tr[{row}]/td[2]/button"
    return pick(TABLE, xpath, "Remove", *values)


def entry(number: int, name: str, *values: str) -> Pick:
    return pick(BAR, f"/html/body/nav/ul/li[{number}]/a", name, *values)


def test_a_pick_is_read_with_its_item_and_the_others() -> None:
    rows = DynamicXpath("/html/body/table/tbody", "tr", "/td[2]/button")
    assert remove(2, "Bob Ray") == Pick(
        "Remove", "Bob Ray", ("Ann Lee Remove",), ("Bob Ray",), in_navigation=False, chosen=rows
    )
    assert entry(2, "Classes").in_navigation
    assert pick(TABLE, "/html/body/p", "gone", "Bob Ray") == Pick("gone", values=("Bob Ray",))


def test_what_controls_and_lists_offer_does_not_tell_an_item() -> None:
    rows = "".join(
        f"<tr><td>{n}<select><option>Ann<option>Bob</select></td><td><b>x</b></td></tr>"
        for n in "12"
    )
    xpath = "/html/body/table/tbody/tr[1]/td[2]/b"
    assert pick(f"<table><tbody>{rows}</tbody></table>", xpath, "x").item == "1"


def test_the_only_row_left_by_a_search_tells_its_button() -> None:
    row = "<table><tbody><tr><td>Ann Lee</td><td><button>Remove</button></td></tr></tbody></table>"
    found = decide_free([pick(row, "/html/body/table/tbody/tr/td[2]/button", "Remove", "Ann Lee")])
    assert found.is_free


def test_a_button_in_the_row_the_task_names_is_free() -> None:
    found = decide_free([remove(2, "Bob Ray")])
    assert found.is_free
    assert found.confidence > 0.9
    assert found.reasons[0] == "of 2 items only its own says “Bob Ray”"


def test_a_navigation_bar_is_no_choice() -> None:
    found = decide_free([entry(2, "Classes", "Bob Ray")])
    assert not found.is_free
    assert "it lies in a navigation of the page" in found.reasons


def test_a_navigation_bar_of_what_the_task_names_is_a_choice() -> None:
    assert decide_free([entry(2, "Classes", "classes")]).is_free


@pytest.mark.parametrize(("others", "is_free"), [((), False), (("Bob Ray Remove",), False)])
def test_a_value_that_stands_everywhere_singles_nothing_out(
    others: tuple[str, ...], is_free: bool
) -> None:
    chosen = Pick("Remove", "Bob Ray" if others else "Ann", others, ("Bob Ray",))
    assert decide_free([chosen]).is_free is is_free


def test_different_picks_in_different_tasks_are_free_though_nobody_names_them() -> None:
    picks = [Pick("Remove", text, ("x",), (value,)) for text, value in (("a", "one"), ("b", "two"))]
    assert not decide_free(picks[:1]).is_free
    assert decide_free(picks).is_free


def test_the_same_pick_in_different_tasks_is_surely_fixed() -> None:
    picks = [Pick("Save", values=(value,)) for value in ("one", "two")]
    assert decide_free(picks).confidence > decide_free(picks[:1]).confidence
    assert not decide_free(picks).is_free


def test_tasks_that_share_the_naming_value_had_to_pick_the_same() -> None:
    picks = [Pick("Percentages", values=("Percentages", other)) for other in ("one", "two")]
    assert decide_free(picks).is_free


@pytest.mark.parametrize("more", ["", "much " * 50])
def test_the_row_tells_and_not_the_table_that_holds_it(more: str) -> None:
    def table(person: str) -> str:
        cells = f"<td>{person}</td><td><button>Remove</button></td>"
        return f"<div><p>{more}</p><table><tbody><tr>{cells}</tr></tbody></table></div>"

    page = parse(table("Ann Lee") + table("Bob Ray"))
    tables = find_lists(page, Exact(level=1, rules=()))
    xpath = "/html/body/div[2]/table/tbody/tr/td[2]/button"
    found = read_pick(page, tables, xpath, name="Remove", values=["Bob Ray"])
    assert (found.item, found.others) == ("Bob Ray", ())
    assert decide_free([found]).is_free


def test_a_row_that_says_nothing_leaves_it_to_the_item_that_holds_it() -> None:
    rows = "".join(
        f"<tr><td>{p}</td><td><ul><li><button>Remove</button></li></ul></td></tr>"
        for p in ("Ann Lee", "Bob Ray")
    )
    xpath = "/html/body/table/tbody/tr[2]/td[2]/ul/li/button"
    found = pick(f"<table><tbody>{rows}</tbody></table>", xpath, "Remove", "Bob Ray")
    assert (found.item, len(found.others)) == ("Bob Ray", 1)


@pytest.mark.parametrize(
    ("name", "item", "others", "found"),
    [
        ("Remove Ann", "Ann Lee", (), ("Ann", "name")),
        ("Remove", "Ann Lee, Ann", (), ("Ann Lee", "item")),
        ("Remove", "Ann Lee in 7A", ("Ann Lee in 7B",), ("7A", "item")),
        ("Remove", "Ann Lee", ("Ann Lee",), ("Ann Lee", "item")),
        ("Remove", "Bob", (), None),
    ],
)
def test_which_value_names_a_pick(
    name: str, item: str, others: tuple[str, ...], found: tuple[str, str] | None
) -> None:
    assert naming_value(Pick(name, item, others, ("Ann", "7A", "Ann Lee"))) == found


def test_values_are_matched_as_words() -> None:
    assert not decide_free([Pick("Annual report", values=("Ann",))]).is_free
    assert decide_free([Pick("Remove ANN", values=("Ann",))]).is_free


def test_a_task_without_values_is_no_evidence() -> None:
    found = decide_free([Pick("Save")])
    assert not found.is_free
    assert found.confidence < 0.8


@pytest.mark.parametrize(("person", "is_free"), [("Bob Ray", True), ("Eve Poe", False)])
def test_the_buttons_of_a_row_are_no_list_to_pick_from_but_the_row_is(
    person: str, is_free: bool
) -> None:
    buttons = "<button>Move up</button><button>Archive</button>"
    rows = "".join(f"<li><a>{p}</a>{buttons}</li>" for p in ("Ann Lee", "Bob Ray", "Cid Fox"))
    found = pick(f"<ul>{rows}</ul>", "/html/body/ul/li[2]/button[2]", "Archive", person)
    assert decide_free([found]).is_free is is_free
    if is_free:
        assert found.chosen == DynamicXpath("/html/body/ul", "li", "/button[2]")
