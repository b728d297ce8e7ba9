"""A task demonstrated on the fixture site is executed with other values; the server is asked."""

from __future__ import annotations

import pytest
from conftest import Bench, Stage
from playwright.async_api import Page
from scenes import SCENES, Scene, press

from odokit.execute import Episode, Outcome

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("impatient")]

QUIET = ("/api/ping", "/api/draft")


def written(bench: Bench) -> list[tuple[str, str, object]]:
    """What the server accepted, without what the page sends by itself."""
    return [
        (w.method, w.path, w.body)
        for w in bench.site.writes
        if w.status < 400 and w.path not in QUIET
    ]


def story(episode: Episode) -> str:
    """What happened, for the message of a failed test."""
    steps = [f"{s.label} [{s.rung}] {s.value!r}: {s.result}" for s in episode.steps]
    return "\n".join([f"{episode.outcome}: {episode.reason}", *steps])


@pytest.mark.parametrize("name", SCENES)
async def test_the_scene_with_other_values(stage: Stage, name: str) -> None:
    scene, bench = SCENES[name], await stage(name)
    episode = await bench.execute(scene.task(), scene.page)
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert written(bench)[-1] == (scene.method, scene.path, scene.body), story(episode)
    assert len(written(bench)) == (4 if name == "quiz" else 1)
    assert episode.tokens_prompt == episode.tokens_completion == 0


async def test_the_quiz_is_answered_question_by_question(stage: Stage) -> None:
    bench = await stage("quiz")
    await bench.execute("Take the quiz", "quiz.html")
    assert bench.site.bodies("POST", "/api/quiz/answers") == [
        {"question": 0, "answer": "Four"},
        {"question": 1, "answer": "Lovelace"},
        {"question": 2, "answer": "Yes"},
    ]


async def test_a_checkbox_turns_with_the_task(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Allow guests").click()
        await press(page, "Save settings")

    await bench.demonstrate("checkboxes.html", act, task="Turn on guests", values={"s": "on"})
    episode = await bench.execute("Turn off guests", "checkboxes.html")
    assert written(bench)[-1][2] == {
        "guests": False,
        "names": True,
        "digest": False,
        "night": False,
    }
    assert episode.steps[0].result == "kept", story(episode)


async def test_a_secret_is_typed_at_run_time(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Full name").fill("Ada")
        await page.get_by_label("Password").fill("hunter22")
        await press(page, "Save member")

    await bench.demonstrate("form.html", act, task="Register Ada", values={"name": "Ada"})
    episode = await bench.execute("Register Bo", "form.html")
    assert episode.outcome is Outcome.ABSTAINED and "ODOKIT_SECRET_PASSWORD" in episode.reason
    assert written(bench) == [] and not episode.steps
    episode = await bench.execute("Register Bo", "form.html", secrets={"password": "s3same!"})
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert bench.site.bodies("POST", "/api/members")[0]["pw"] == "s3same!"
    assert "s3same!" not in repr(episode)


async def test_from_another_page_it_begins_where_the_demonstration_began(stage: Stage) -> None:
    scene, bench = SCENES["upper"], await stage("upper")
    episode = await bench.execute(scene.task(), "regions.html")
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert written(bench) == [(scene.method, scene.path, scene.body)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("late", {"person": "Alan Kay"}),
        ("late", {"person": "Eda Byron"}),
        ("hash", {"person": "Grace Jones", "nick": "G"}),
        ("picks", {"person": "Annabel"}),
        ("rows", {"lesson": "Percentages"}),
        ("rows", {"lesson": "Decimal"}),
        ("radios", {"size": "Medium", "colour": "Red", "speed": "Slow"}),
        ("select", {"city": "Turin", "country": "Norway"}),
        ("select", {"city": "Rome", "country": "Italy"}),
    ],
)
async def test_what_is_not_there_is_not_replaced(
    stage: Stage, name: str, values: dict[str, str]
) -> None:
    scene, bench = SCENES[name], await stage(name)
    episode = await bench.execute(scene.task(values), scene.page)
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert bench.site.writes == []
    assert episode.reason


async def test_of_two_that_look_the_same_none_is_clicked(stage: Stage) -> None:
    scene, bench = SCENES["form"], await stage("form")
    episode = await bench.execute(scene.task(), scene.page, drift="twin")
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert bench.site.writes == []


async def test_another_kind_of_task_is_not_tried(stage: Stage) -> None:
    bench = await stage("rows")
    episode = await bench.execute('Duplicate the lesson "Decimals"', "rows.html")
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert bench.site.writes == [] and episode.steps == ()


async def test_a_failing_site_is_an_error(stage: Stage) -> None:
    scene, bench = SCENES["upper"], await stage("upper")
    episode = await bench.execute(scene.task(), scene.page, drift="fail")
    assert episode.outcome is Outcome.ERROR, story(episode)
    assert "503" in episode.reason


async def test_an_expired_login_is_an_error(stage: Stage) -> None:
    scene, bench = SCENES["upper"], await stage("upper")
    episode = await bench.execute(scene.task(), scene.page, drift="expired")
    assert episode.outcome is Outcome.ERROR, story(episode)
    assert "Sign in again" in episode.reason


async def test_what_is_gone_is_not_replaced(stage: Stage) -> None:
    scene, bench = SCENES["form"], await stage("form")
    episode = await bench.execute(scene.task(), scene.page, drift="gone")
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert bench.site.writes == []


async def test_the_guard_stops_what_was_not_demonstrated(stage: Stage) -> None:
    scene, bench = SCENES["upper"], await stage("upper")
    episode = await bench.execute(scene.task(), scene.page, drift="extra")
    assert episode.outcome is Outcome.SUCCESS, story(episode)
    assert episode.blocked == ("DELETE /api/everything",)
    assert written(bench) == [(scene.method, scene.path, scene.body)]


async def test_a_write_with_other_values_is_a_failure(stage: Stage) -> None:
    scene, bench = SCENES["form"], await stage("form")
    episode = await bench.execute(scene.task(), scene.page, drift="corrupt")
    assert episode.outcome is Outcome.FAILURE, story(episode)
    assert "'Bo L', not 'Bo Li'" in episode.reason


async def test_a_refused_mutation_is_a_failure(bench: Bench) -> None:
    async def act(page: Page) -> None:
        await page.get_by_label("Course name").fill("Algebra")
        await press(page, "Rename course")

    await bench.demonstrate("graphql.html", act, task="Call it Algebra", values={"n": "Algebra"})
    bench.site.refuse_graphql = True
    try:
        episode = await bench.execute("Call it Geometry", "graphql.html")
    finally:
        bench.site.refuse_graphql = False
    assert episode.outcome is Outcome.FAILURE, story(episode)


async def test_the_browser_stays_where_it_may_be(stage: Stage) -> None:
    scene, bench = SCENES["upper"], await stage("upper")
    async with bench.opened() as page:
        await page.goto("about:blank")
        episode = await bench.run(scene.task(), page)
    assert episode.outcome is Outcome.ABSTAINED, story(episode)
    assert "outside" in episode.reason and bench.site.writes == []


ALL = "ids,wrap,reorder,latency"
SURVIVES = [
    ("form", "ids,wrap"),
    ("picks", "ids,reorder"),
    ("picks", "latency,wrap"),
    ("rows", ALL),
    ("rows", "reorder"),
    ("regions", ALL),
    ("regions", "move"),
    ("regions", "move,wrap"),
    ("dialog", ALL),
    ("push", ALL),
    ("shadow", "wrap"),
    ("late", "reorder"),
    ("radios", "ids,wrap"),
    ("checkboxes", "ids,wrap"),
    ("select", "ids,wrap,reorder"),
]
MAY_ABSTAIN = [
    ("form", "move"),
    ("form", "label"),
    ("picks", "move,reorder"),
    ("push", "label"),
    ("checkboxes", "move"),
    ("tiny", "wrap"),
]


@pytest.mark.parametrize(("name", "drift"), SURVIVES + MAY_ABSTAIN)
async def test_drift_leads_to_the_right_write_or_to_none(
    stage: Stage, name: str, drift: str
) -> None:
    scene, bench = SCENES[name], await stage(name)
    episode = await bench.execute(scene.task(), scene.page, drift=drift)
    if episode.outcome is Outcome.SUCCESS:
        assert written(bench) == [(scene.method, scene.path, scene.body)], story(episode)
    else:
        assert episode.outcome is Outcome.ABSTAINED, story(episode)
        assert written(bench) == [], story(episode)
        assert (name, drift) in MAY_ABSTAIN, story(episode)


def test_every_scene_is_told_apart_by_its_values() -> None:
    def has_other(scene: Scene) -> bool:
        return not scene.demonstrated or scene.task() != scene.task(scene.demonstrated)

    same = [name for name, scene in SCENES.items() if not has_other(scene)]
    assert same == ["checkboxes"]
