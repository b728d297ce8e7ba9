"""Elements recorded on the fixture site are found again after each kind of drift, or not at all."""

from __future__ import annotations

import pytest
from conftest import Stage
from playwright.async_api import Browser

from odokit.drift import KINDS, Trial, count_alike, open_bench, read_cases, try_drift, try_elsewhere
from odokit.execute.locate import locate_script

pytestmark = pytest.mark.browser

SURVIVES = ("none", "ids", "wrap", "reorder", "label case")
SCENES = ("form", "regions", "rows")


@pytest.fixture(scope="module")
async def trials(stage: Stage, browser: Browser) -> list[Trial]:
    """Every interaction of three scenes after every kind of change."""
    found: list[Trial] = []
    for name in SCENES:
        cases = read_cases((await stage(name)).folder)
        found += [t async for t in try_drift(browser, cases)]
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_no_change_leads_to_a_wrong_element(trials: list[Trial], kind: str) -> None:
    own = [t for t in trials if t.kind == kind]
    assert own, kind
    assert [(t.step_id, t.rung, t.taken) for t in own if t.is_found and not t.is_right] == []


@pytest.mark.parametrize("kind", SURVIVES)
def test_what_says_the_same_is_found(trials: list[Trial], kind: str) -> None:
    assert [t for t in trials if t.kind == kind and not t.is_right] == []


def test_what_is_gone_is_not_found(trials: list[Trial]) -> None:
    gone = [t for t in trials if t.kind == "removed"]
    assert gone and not any(t.is_found for t in gone)


def test_the_plain_path_breaks_where_names_hold(trials: list[Trial]) -> None:
    moved = [t for t in trials if t.kind == "wrap"]
    assert any(t.paper != "right" for t in moved)
    assert all(t.paper == "right" for t in trials if t.kind == "none")


async def test_on_a_page_of_another_scene_nothing_wrong_is_found(
    stage: Stage, browser: Browser
) -> None:
    cases = read_cases((await stage("form")).folder)
    assert [t async for t in try_elsewhere(browser, cases)] == []  # there is but one demonstration


async def test_a_fingerprint_with_all_its_clues_is_unique(stage: Stage, browser: Browser) -> None:
    cases = read_cases((await stage("rows")).folder)
    counts = [u.shared async for u in count_alike(browser, cases)]
    assert counts
    for shared in counts:
        assert list(shared) == sorted(shared, reverse=True)
        assert shared[-1] == 1


async def test_of_two_alike_the_one_left_is_not_taken(browser: Browser) -> None:
    html = "<main><p>Ada <button>Edit</button></p><p>Bo <button>Edit</button></p></main>"
    async with open_bench(browser) as page:
        await page.evaluate("html => { document.body.innerHTML = html; }", html)
        found = await page.evaluate(
            """async ([locate]) => {
              const find = eval(locate), [ada, bo] = document.querySelectorAll('button');
              const seen = window.__odokit.describe(ada);
              const landmarks = [{loose: 'main:', pattern: ''}];
              const spec = {...seen, isLabel: true, pattern: '', landmarks, regions: ['main:'],
                by: '', wanted: '', depth: 4, timeoutMs: 0};
              const before = await find(spec);
              ada.remove();
              const after = await find(spec);
              return [before.element === ada, before.rung, after.element === null, after.rung];
            }""",
            [locate_script()],
        )
    assert found == [True, "name+near", True, "ambiguous"]
