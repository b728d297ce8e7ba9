"""Run tasks on a test bed: demonstrate them by their oracles, execute them by an agent, judge them.

The only place where test bed, recorder, agent and evaluator meet.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from playwright.async_api import Browser, Page
from playwright.async_api import Error as PlaywrightError

from odokit.agents import Agent
from odokit.browser import new_context
from odokit.errors import OdokitError, RecordError
from odokit.evaluate import Verdict, evaluate
from odokit.events import Trajectory, read_recording
from odokit.execute import Episode, Outcome
from odokit.paraphrases import Style, template_text
from odokit.record import Recorder, record
from odokit.tasks import TaskInstance, TaskTemplate, bind, query_parameters
from odokit.testbeds import ResetMode, TestBed

logger = logging.getLogger(__name__)

Advance = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """A judged execution of one task instance.

    Attributes:
        template_id: Task template.
        instance_id: Task instance.
        role: Account that performed it.
        episode: What the agent did.
        verdict: What the evaluator says; None when there was nothing to judge.
        trajectory: What was recorded meanwhile.
        outcome: `success` only when the evaluator says so.
        reason: Why not, if not.
        left: What earlier tasks of the run had left behind when this one began.
    """

    template_id: str
    instance_id: str
    role: str
    episode: Episode
    verdict: Verdict
    trajectory: Trajectory
    outcome: Outcome
    reason: str
    left: tuple[str, ...] = ()


def recordings_folder(testbed: TestBed) -> Path:
    """Where the demonstrations of a test bed's tasks are kept, beside its task file."""
    return testbed.tasks_path.parent / "demonstrations"


def read_recordings(folder: Path) -> list[Trajectory]:
    """Read every recording of a folder, in name order.

    Raises:
        RecordError: There is none, or one is malformed.
    """
    paths = sorted(folder.glob("*.jsonl.zst")) + sorted(folder.glob("*.jsonl"))
    if not paths:
        raise RecordError(f"{folder} holds no recordings; record demonstrations first.")
    return [read_recording(path) for path in paths]


async def demonstrate(
    testbed: TestBed,
    browser: Browser,
    *,
    folder: Path | None = None,
    only: Sequence[str] = (),
    advance: Advance = lambda _: None,
) -> list[Path]:
    """Record the demonstrations of a test bed's task file by letting its oracles perform them.

    Args:
        testbed: A test bed that is up.
        browser: An open browser.
        folder: Where to keep them; the test bed's own folder when None.
        only: Instance ids; all instances meant for demonstration when empty.
        advance: Told each instance when it is done.

    Returns:
        The recording files.
    """
    folder = folder or recordings_folder(testbed)
    paths = []
    chosen = [
        x
        for x in testbed.tasks().iter_instances(None if only else "demonstrate")
        if not only or x[1].id in only
    ]
    with testbed.reserve():
        for template, instance in chosen:
            testbed.reset()
            await _demonstrate_one(testbed, browser, folder, template, instance)
            paths.append(folder / f"{instance.id}.jsonl.zst")
            advance(instance.id)
    return paths


async def _demonstrate_one(
    testbed: TestBed,
    browser: Browser,
    folder: Path,
    template: TaskTemplate,
    instance: TaskInstance,
) -> None:
    worded = {k: v for k, v in instance.values.items() if k in template.parameters}
    async with (
        _opened(testbed, browser, template) as page,
        record(
            page.context,
            folder,
            task=template.instance_text(instance),
            values=worded,
            app=testbed.name,
            start_url=testbed.start_url(template.role),
            trajectory_id=instance.id,
            secrets=tuple(testbed.secrets.values()),
        ),
    ):
        await page.goto(testbed.start_url(template.role))
        await testbed.oracles[template.id](page, instance.values)


async def execute(
    testbed: TestBed,
    browser: Browser,
    agent: Agent,
    instances: Sequence[tuple[TaskTemplate, TaskInstance]],
    *,
    reset: ResetMode = "task",
    style: Style | None = None,
) -> AsyncIterator[Result]:
    """Execute task instances one after the other and judge them.

    Args:
        testbed: A test bed that is up.
        browser: An open browser.
        agent: Who executes them.
        instances: What to execute.
        reset: `task` starts each from the gold state, `run` only the first; generated instances
            touch no common entity, so they can follow one another in one state.
        style: Manner in which tasks are worded anew; as in the task file when None.

    Yields:
        A result an instance, as soon as it is judged.

    Raises:
        TaskError: A style is asked for, and the test bed's paraphrases are missing or malformed.
    """
    with testbed.reserve():
        for number, (template, instance) in enumerate(instances):
            left = testbed.make_ready(reset, is_first=number == 0)
            task = task_text(testbed, template, instance, style)
            result = await _execute_one(testbed, browser, agent, task, template, instance)
            result = replace(result, left=left)
            logger.info("%s: %s %s", instance.id, result.outcome, result.reason)
            yield result


def task_text(
    testbed: TestBed, template: TaskTemplate, instance: TaskInstance, style: Style | None
) -> str:
    """An instance's task in words; with a style, its instances take the wordings in turn."""
    if style is None:
        return template.instance_text(instance)
    number = template.instances.index(instance)
    wording = template_text(template, testbed.paraphrases(), style=style, n=number)
    return template.instance_text(instance, wording=wording)


async def _execute_one(
    testbed: TestBed,
    browser: Browser,
    agent: Agent,
    task: str,
    template: TaskTemplate,
    instance: TaskInstance,
) -> Result:
    expectation = bind(template, instance, testbed.query)
    parameters = query_parameters(template, instance, testbed.query)
    async with _opened(testbed, browser, template) as page:
        async with record(
            page.context,
            None,
            task=task,
            app=testbed.name,
            start_url=testbed.start_url(template.role),
            trajectory_id=instance.id,
            secrets=tuple(testbed.secrets.values()),
        ) as recorder:
            episode = await _run_agent(
                agent, task, page, recorder, testbed.start_url(template.role)
            )
        trajectory = recorder.trajectory()
    verdict = evaluate(
        expectation,
        trajectory.events,
        noise=testbed.tasks().noise,
        query=testbed.query,
        parameters=parameters,
    )
    outcome, reason = judge(episode, verdict)
    return Result(
        template.id, instance.id, template.role, episode, verdict, trajectory, outcome, reason
    )


def judge(episode: Episode, verdict: Verdict) -> tuple[Outcome, str]:
    """Put the agent's own view under the evaluator's: success is only what the evaluator calls so.

    An episode that achieved the task is a success however the agent ended; one that claims success
    against the evaluator is a failure.
    """
    if verdict.is_success:
        return Outcome.SUCCESS, episode.reason
    if episode.outcome is Outcome.SUCCESS:
        return Outcome.FAILURE, f"the agent thought it was done; {verdict.explain()}"
    return episode.outcome, episode.reason


async def _run_agent(
    agent: Agent, task: str, page: Page, recorder: Recorder, start_url: str
) -> Episode:
    began = time.monotonic()
    try:
        await page.goto(start_url)
        return await agent.run(task, page, recorder)
    except (PlaywrightError, OdokitError) as error:
        seconds = round(time.monotonic() - began, 3)
        return Episode(task, Outcome.ERROR, str(error).splitlines()[0], seconds=seconds)


@asynccontextmanager
async def _opened(
    testbed: TestBed, browser: Browser, template: TaskTemplate
) -> AsyncIterator[Page]:
    """A fresh page in a context signed in as the template's role, walled in to the test bed."""
    state = await testbed.sign_in(browser, template.role)
    context = await new_context(
        browser, storage_state=state, allowed_origins=testbed.allowed_origins
    )
    try:
        yield await context.new_page()
    finally:
        await context.close()
