"""Execute tasks on a test bed and keep what happened: one run, one row an episode.

The store is opened only for the moment of writing, so that notebooks may read it meanwhile and a
killed run keeps every episode that was judged.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from odokit.agents import OdoBot
from odokit.browser import open_browser
from odokit.config import Settings
from odokit.decide import Decider
from odokit.errors import TaskError
from odokit.execute import Outcome
from odokit.llm.ledger import Ledger, LLMCall
from odokit.navmodel import NavModel
from odokit.paraphrases import Style
from odokit.run import new_run_id, note_facts
from odokit.secrets import system_secrets
from odokit.store import DecisionRow, EpisodeRow, LLMCallRow, RunRow, StepRow
from odokit.study.episodes import Result, execute
from odokit.study.workspace import (
    Progress,
    no_progress,
    open_deciders,
    open_workspace,
    read_model,
)
from odokit.tasks import TaskFile, TaskInstance, TaskTemplate
from odokit.testbeds import ResetMode, TestBed, get_testbed


@dataclass(frozen=True)
class _Origin:
    """What every episode of a run shares."""

    run_id: str
    agent: str
    policy: str
    model_id: str


async def execute_tasks(
    settings: Settings,
    *,
    app: str = "kolibri",
    policy: str = "offline",
    instances: Sequence[str] = (),
    n_tasks: int | None = None,
    reset: ResetMode = "task",
    style: Style | None = None,
    run_id: str = "",
    advance: Progress = no_progress,
) -> str:
    """Execute task instances on a test bed, judge them, and store every episode.

    Args:
        settings: The project.
        app: Test bed.
        policy: Who may decide.
        instances: Instance ids; all meant for execution when empty.
        n_tasks: Most instances to execute, one of each template first, and of as many roles as may
            be; all when None.
        reset: `task` starts each from the gold state, `run` only the first.
        style: Manner in which tasks are worded anew; as in the task file when None.
        run_id: Id of the run; made from the time when empty.
        advance: Told what is being done and the fraction done, from 0 to 1.

    Returns:
        The run's id; `v_episode` and its kin hold the rest.

    Raises:
        TaskError: An instance id is unknown.
        TestBedError: The test bed could not be brought up.
        LLMNotConfigured: The policy needs a model and there is none.
    """
    testbed = get_testbed(app, settings)
    chosen = _chosen(testbed.tasks(), instances, n_tasks)
    model = read_model(settings)
    ledger = Ledger()
    testbed.up(lambda what, part: advance(what, part * 0.2))
    origin = _Origin(run_id or new_run_id("execute"), OdoBot.name, policy, model.model_id)
    began = time.monotonic()
    async with (
        open_deciders(settings, policy, ledger) as new_decider,
        open_browser(settings) as browser,
    ):
        _save_run(settings, run := _run_row(origin))
        agent = _make_agent(testbed, model, new_decider, ledger, settings.uploads)
        results: list[Result] = []
        n_calls = 0
        async for result in execute(testbed, browser, agent, chosen, reset=reset, style=style):
            _save_episode(settings, origin, result, ledger.rows[n_calls:])
            n_calls = len(ledger.rows)
            results.append(result)
            advance(result.instance_id, 0.2 + 0.8 * len(results) / len(chosen))
        browser_name = f"chromium {browser.version}"
    run = replace(run, seconds=round(time.monotonic() - began, 1), status="done")
    _save_run(settings, run)
    note_facts(settings, origin.run_id, browser=browser_name, **_facts(origin, results))
    return origin.run_id


def _make_agent(
    testbed: TestBed,
    model: NavModel,
    new_decider: Callable[[], Decider],
    ledger: Ledger,
    uploads: Path | None,
) -> OdoBot:
    return OdoBot(
        model,
        new_decider,
        ledger=ledger,
        allowed_origins=testbed.allowed_origins,
        secrets=system_secrets(testbed.secrets),
        uploads=uploads,
    )


def _chosen(
    tasks: TaskFile, instances: Sequence[str], n_tasks: int | None
) -> list[tuple[TaskTemplate, TaskInstance]]:
    if n_tasks is not None and n_tasks < 1:
        raise TaskError(f"n_tasks is {n_tasks}; at least one task must be executed.")
    if instances:
        return [tasks.find(instance) for instance in instances]
    every = _in_rounds(tasks)
    n_first = sum(any(i.use == "execute" for i in t.instances) for t in tasks.templates)
    if n_tasks is None or n_tasks >= n_first:
        return every[:n_tasks]
    # Templates of one role stand together, so a few are taken from all over the file.
    return [every[k * n_first // n_tasks] for k in range(n_tasks)]


def _in_rounds(tasks: TaskFile) -> list[tuple[TaskTemplate, TaskInstance]]:
    """Instances to execute, one of each template before a second of any."""
    by_template = [
        [(template, instance) for instance in template.instances if instance.use == "execute"]
        for template in tasks.templates
    ]
    rounds = itertools.zip_longest(*by_template)
    return [pair for pairs in rounds for pair in pairs if pair is not None]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _run_row(origin: _Origin) -> RunRow:
    return RunRow(
        run_id=origin.run_id,
        notebook="execute",
        started_at=_now(),
        seconds=None,
        status="running",
        agent=origin.agent,
        policy=origin.policy,
        model_id=origin.model_id,
    )


def _facts(origin: _Origin, results: Sequence[Result]) -> dict[str, object]:
    """The counts that `run.json` carries."""
    n = {o: sum(r.outcome is o for r in results) for o in Outcome}
    return {
        "model_id": origin.model_id,
        "policy": origin.policy,
        "n_tasks": len(results),
        "n_success": n[Outcome.SUCCESS],
        "n_abstained": n[Outcome.ABSTAINED],
        "n_failure": n[Outcome.FAILURE],
        "n_error": n[Outcome.ERROR],
        "tokens_prompt": sum(r.episode.tokens_prompt for r in results),
        "tokens_completion": sum(r.episode.tokens_completion for r in results),
    }


def _save_run(settings: Settings, run: RunRow) -> None:
    with open_workspace(settings, read_only=False) as store:
        store.save_run(run)


def _save_episode(
    settings: Settings, origin: _Origin, result: Result, calls: Sequence[LLMCall]
) -> None:
    keys = {"run_id": origin.run_id, "episode_id": result.instance_id}
    episode = result.episode
    steps = [
        StepRow(
            **keys,
            number=s.number,
            label=s.label,
            vertex=s.vertex,
            rung=s.rung,
            confidence=s.confidence,
            value=s.value,
            seconds=s.seconds,
            result=s.result,
            repair=s.repair,
        )
        for s in episode.steps
    ]
    decisions = [
        DecisionRow(
            **keys,
            number=number,
            decision_id=d.decision_id,
            point=d.point,
            subject=d.subject,
            answer=d.answer,
            means=d.means,
            confidence=d.confidence,
            tokens=d.tokens,
            reason=d.reason,
        )
        for number, d in enumerate(episode.decisions)
    ]
    rows = [
        LLMCallRow(
            **keys,
            number=number,
            call_id=c.call_id,
            at=c.at,
            purpose=c.purpose,
            decision_ids=c.decision_ids,
            model=c.model,
            prompt_hash=c.prompt_hash,
            tokens_prompt=c.tokens_prompt,
            tokens_cached=c.tokens_cached,
            tokens_completion=c.tokens_completion,
            tokens_reasoning=c.tokens_reasoning,
            is_counted=c.is_counted,
            seconds=c.seconds,
            usd=c.usd,
            outcome=c.outcome,
        )
        for number, c in enumerate(calls)
    ]
    with open_workspace(settings, read_only=False) as store:
        store.save_episode(_episode_row(origin, result), steps, decisions, rows)


def _episode_row(origin: _Origin, result: Result) -> EpisodeRow:
    episode, verdict = result.episode, result.verdict
    return EpisodeRow(
        run_id=origin.run_id,
        episode_id=result.instance_id,
        template_id=result.template_id,
        instance_id=result.instance_id,
        role=result.role,
        agent=origin.agent,
        policy=origin.policy,
        model_id=origin.model_id,
        task=episode.task,
        trajectory_id=episode.trajectory_id,
        outcome=result.outcome,
        reason=result.reason,
        is_success=result.outcome is Outcome.SUCCESS,
        network_ok=verdict.network_ok,
        database_ok=verdict.database_ok,
        verdict=verdict.explain(),
        n_replans=episode.n_replans,
        tokens_prompt=episode.tokens_prompt,
        tokens_completion=episode.tokens_completion,
        seconds=episode.seconds,
        started_at=result.trajectory.header.started_at,
        blocked=tuple(episode.blocked),
    )
