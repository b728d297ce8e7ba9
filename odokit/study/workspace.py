"""The steps of the workbench as plain functions over the settings: what notebooks and CLI call."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import polars as pl

from odokit.annotate import describe_model
from odokit.browser import open_browser
from odokit.config import Settings
from odokit.coverage import Proposal, propose_recordings
from odokit.decide import Decider, Decision, make_decider
from odokit.errors import NavModelError
from odokit.events import EventKind
from odokit.llm.client import ChatClient
from odokit.llm.ledger import Ledger
from odokit.navmodel import NavModel, discover_model
from odokit.navmodel.persist import load_model, save_model
from odokit.paraphrases import read_paraphrases
from odokit.plan import Plan, make_plan
from odokit.store import DescriptionRow, EventStore
from odokit.study.episodes import demonstrate, read_recordings, recordings_folder
from odokit.substructure import DEFAULT_LEVEL
from odokit.testbeds import TESTBED_NAMES, ResetMode, get_testbed
from odokit.testbeds.verify import VerifyRow, verify
from odokit.urls import read_patterns

Progress = Callable[[str, float], None]


def no_progress(what: str, part: float) -> None:
    """Ignore progress."""


def open_workspace(settings: Settings, *, read_only: bool = True) -> EventStore:
    """Open the workspace's store; many may read it, one may write it."""
    return EventStore.open(settings.store, read_only=read_only)


def build_model(
    settings: Settings,
    *,
    app: str = "kolibri",
    identity: str = "fingerprint",
    level: int = DEFAULT_LEVEL,
) -> NavModel:
    """Ingest an application's recorded demonstrations and build and save its model.

    Args:
        settings: The project.
        app: Test bed whose demonstrations to use.
        identity: `fingerprint` or `paper`.
        level: Weisfeiler-Lehman level of list discovery.

    Raises:
        StoreError: A recording could not be ingested.
        NavModelError: There is nothing to build from.
        ConfigError: A URL pattern of the settings is malformed.
    """
    folder = recordings_folder(get_testbed(app, settings))
    with open_workspace(settings, read_only=False) as store:
        store.ingest_folder(folder, replace=True)
        trajectories = [t for t in store.trajectories() if t.header.app == app]
        model = discover_model(
            trajectories,
            get_snapshot=store.get_snapshot,
            identity=identity,
            level=level,
            patterns=read_patterns(settings.url_patterns, [app]),
        )
        save_model(store, model)
        store.save_descriptions(
            [
                DescriptionRow(model.model_id, d.subject, d.text, d.source)
                for d in describe_model(model)
            ]
        )
    return model


def read_model(settings: Settings, model_id: str | None = None) -> NavModel:
    """The saved model of an id, or the latest.

    Raises:
        NavModelError: There is none; build one first.
    """
    if not settings.store.exists():
        raise NavModelError(
            f"there is no workspace at {settings.store}; `odokit model build` makes one."
        )
    with open_workspace(settings) as store:
        return load_model(store, model_id)


def read_proposals(settings: Settings, model: NavModel, app: str) -> tuple[Proposal, ...]:
    """What to demonstrate next of a test bed's tasks, the most helpful first.

    Raises:
        TaskError: Its task file or paraphrases are missing or malformed.
    """
    testbed = get_testbed(app, settings)
    tasks = testbed.tasks()
    wordings = read_paraphrases(testbed.tasks_path.parent / "paraphrases.yaml", tasks)
    return propose_recordings(model, tasks, wordings)


def read_episodes(settings: Settings, run_id: str) -> pl.DataFrame:
    """The judged episodes of a run, as `v_episode`."""
    with open_workspace(settings) as store:
        return store.frame("v_episode", run_id=run_id)


@asynccontextmanager
async def open_deciders(
    settings: Settings, policy: str, ledger: Ledger
) -> AsyncIterator[Callable[[], Decider]]:
    """Make fresh deciders of a policy that share a model connection and a ledger.

    Yields:
        Gives the deciders of one episode.

    Raises:
        LLMNotConfigured: The policy needs a model and there is no key.
    """
    if policy == "offline":
        yield lambda: make_decider(policy)
        return
    async with ChatClient.from_settings(replace(settings, policy=policy), ledger) as client:
        yield lambda: make_decider(policy, client)


async def plan_task(
    settings: Settings, task: str, *, url: str = "", policy: str = "offline"
) -> tuple[Plan, list[Decision]]:
    """Plan a task over the latest model.

    Args:
        settings: The project.
        task: The task in words.
        url: Where the browser is; the start of the first demonstration when empty.
        policy: Who may decide.

    Returns:
        The plan and the decisions it took.
    """
    model = read_model(settings)
    start = url or next(iter(model.timelines.values())).trajectory.header.start_url
    async with open_deciders(settings, policy, Ledger()) as new_decider:
        decider = new_decider()
        return await make_plan(task, start, model, decider), decider.log.rows


async def demonstrate_all(
    settings: Settings,
    *,
    app: str = "kolibri",
    only: Sequence[str] = (),
    folder: Path | None = None,
    advance: Progress = no_progress,
) -> list[Path]:
    """Bring a test bed up and record its demonstrations by its oracles.

    Args:
        settings: The project.
        app: Test bed.
        only: Instance ids; all meant for demonstration when empty.
        folder: Receives them; the test bed's own folder when None.
        advance: Told what is being done and the fraction done.
    """
    testbed = get_testbed(app, settings)
    testbed.up(lambda what, part: advance(what, part / 2))
    n_all = len(only) or len(list(testbed.tasks().iter_instances("demonstrate")))
    n_done = 0

    def done(instance_id: str) -> None:
        nonlocal n_done
        n_done += 1
        advance(instance_id, 0.5 + 0.5 * n_done / n_all)

    async with open_browser(settings) as browser:
        return await demonstrate(testbed, browser, only=only, folder=folder, advance=done)


async def verify_testbed(
    settings: Settings,
    *,
    app: str = "kolibri",
    sample: int | None = None,
    seed: int = 0,
    reset: ResetMode = "task",
    advance: Progress = no_progress,
) -> list[VerifyRow]:
    """Let a test bed's oracles perform its tasks and judge them, right and spoilt.

    Args:
        settings: The project.
        app: Test bed.
        sample: Number of instances drawn at random; all when None.
        seed: Of the draw.
        reset: Back to the gold state before each `task`, or once a `run`.
        advance: Told each instance and the fraction done.
    """
    testbed = get_testbed(app, settings)
    testbed.up(lambda what, part: advance(what, part / 2))
    ids = [instance.id for _, instance in testbed.tasks().iter_instances()]
    chosen = ids if sample is None else random.Random(seed).sample(ids, min(sample, len(ids)))
    n_done = 0

    def done(row: VerifyRow) -> None:
        nonlocal n_done
        n_done += 1
        advance(row.instance, 0.5 + 0.5 * n_done / len(chosen))

    async with open_browser(settings) as browser:
        return await verify(testbed, browser, instances=chosen, reset=reset, on_result=done)


def count_event_kinds(settings: Settings) -> pl.DataFrame:
    """Count the events of each kind in the shipped demonstrations.

    Returns:
        One row a kind: kind, then a column of counts for each test bed that has demonstrations.
    """
    counts = pl.DataFrame({"kind": [str(kind) for kind in EventKind]})
    for name in TESTBED_NAMES:
        folder = recordings_folder(get_testbed(name, settings))
        if not folder.exists():
            continue
        found = Counter(str(e.kind) for t in read_recordings(folder) for e in t.events)
        counts = counts.with_columns(
            pl.Series(name, [found[kind] for kind in counts["kind"]], dtype=pl.Int64)
        )
    return counts


def summarize_verification(rows: Sequence[VerifyRow]) -> dict[str, int]:
    """Count what a verification found: how many oracles passed, what disagreed, what slipped by."""
    return {
        "templates": len({row.template for row in rows}),
        "instances": len(rows),
        "oracle_success": sum(row.oracle_ok and row.success for row in rows),
        "disagreements": sum(not row.agrees for row in rows),
        "mutations": sum(row.n_spoilt for row in rows),
        "mutations_undetected": sum(len(row.undetected) for row in rows),
    }
