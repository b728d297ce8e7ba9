"""Check a test bed's tasks against the real application: oracle, answer key and database agree.

Each instance is performed by its oracle on a fresh reset, judged by the network and by the
database, and then judged again with the observation or the answer key spoilt in every way we know.
A spoilt case that still passes means that the answer key is too lax.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error

from odokit.browser import new_context
from odokit.evaluate import Verdict, evaluate
from odokit.events import Event, EventKind, Request, Response
from odokit.record import Recorder, record
from odokit.tasks import (
    Expectation,
    ExpectedWrite,
    TaskInstance,
    TaskTemplate,
    bind,
    query_parameters,
)
from odokit.testbeds.base import ResetMode, TestBed

log = logging.getLogger(__name__)

TIMEOUT_MS = 15_000
FOREIGN = Event(
    kind=EventKind.REST_CALL,
    idx=0,
    t_ms=0,
    url="http://127.0.0.1/",
    request=Request(method="POST", url="http://127.0.0.1/api/foreign/", body={"name": "x"}),
    response=Response(status=201),
)
"""A write that no answer key expects."""


@dataclass(frozen=True)
class VerifyRow:
    """What was found out about one task instance.

    Attributes:
        template: Template id.
        instance: Instance id.
        oracle_ok: Whether the oracle went through to its end.
        success: Whether the observed writes and the database meet the answer key.
        agrees: Whether network and database give the same verdict.
        n_spoilt: How many spoilt cases were judged.
        undetected: The spoilt cases that were wrongly judged a success.
        seconds: Wall time of the oracle, in seconds.
        explanation: Reasons of the verdict, or of the oracle's failure.
        left: What earlier instances had left behind when this one began.
    """

    template: str
    instance: str
    oracle_ok: bool
    success: bool
    agrees: bool
    n_spoilt: int
    undetected: tuple[str, ...]
    seconds: float
    explanation: str
    left: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether nothing at all is wrong with the instance."""
        return self.oracle_ok and self.success and self.agrees and not self.undetected


async def verify(
    testbed: TestBed,
    browser: Browser,
    *,
    instances: Collection[str] | None = None,
    reset: ResetMode = "task",
    on_result: Callable[[VerifyRow], None] | None = None,
) -> list[VerifyRow]:
    """Perform and judge task instances, one after the other, on a running test bed.

    Args:
        testbed: A test bed that is up.
        browser: Where the oracles work.
        instances: Ids of the instances to verify; all of them when None.
        reset: `task` performs each on the gold state, `run` one after the other on what the
            earlier ones left behind.
        on_result: Told each row as it is found.

    Raises:
        TaskError: The task file is malformed or names an entity that does not exist.
        TestBedError: The test bed is not up, or somebody else uses it.
    """
    tasks = testbed.tasks()
    rows: list[VerifyRow] = []
    with testbed.reserve():
        for template, instance in tasks.iter_instances():
            if instances is not None and instance.id not in instances:
                continue
            left = testbed.make_ready(reset, is_first=not rows)
            row = await _verify_one(testbed, browser, tasks.noise, template, instance)
            row = replace(row, left=left)
            log.info("%s: %s", instance.id, "good" if row.is_good else row)
            rows.append(row)
            if on_result is not None:
                on_result(row)
        testbed.reset()
    return rows


@asynccontextmanager
async def collect_writes(context: BrowserContext, testbed: TestBed) -> AsyncIterator[Recorder]:
    """Collect what happens in a context while the block runs; nothing is stored."""
    secrets = tuple(testbed.secrets.values())
    async with record(context, None, app=testbed.name, secrets=secrets) as recorder:
        yield recorder


async def _verify_one(
    testbed: TestBed,
    browser: Browser,
    noise: Sequence[ExpectedWrite],
    template: TaskTemplate,
    instance: TaskInstance,
) -> VerifyRow:
    expectation = bind(template, instance, testbed.query)
    parameters = query_parameters(template, instance, testbed.query)

    def judge(key: Expectation, seen: Sequence[Event]) -> Verdict:
        return evaluate(key, seen, noise=noise, query=testbed.query, parameters=parameters)

    idle = judge(expectation, [])
    started = time.monotonic()
    events, problem = await _perform(testbed, browser, template, instance)
    seconds = time.monotonic() - started
    verdict = judge(expectation, events)
    cases = list(spoilt_cases(expectation, events)) if verdict.network_ok else []
    # Without the database, which would notice much by itself.
    lax = [name for name, key, seen in cases if evaluate(key, seen, noise=noise).is_success]
    if idle.database_ok:
        lax.append("nothing done, yet the database agrees")
    return VerifyRow(
        template=template.id,
        instance=instance.id,
        oracle_ok=not problem,
        success=verdict.is_success,
        agrees=verdict.database_ok == verdict.network_ok,
        n_spoilt=len(cases) + 1,
        undetected=tuple(lax),
        seconds=seconds,
        explanation=f"{problem}\n{verdict.explain()}".strip(),
    )


async def _perform(
    testbed: TestBed, browser: Browser, template: TaskTemplate, instance: TaskInstance
) -> tuple[list[Event], str]:
    """Run the oracle; the writes seen, and what went wrong."""
    state = await testbed.sign_in(browser, template.role)
    context = await new_context(
        browser, storage_state=state, allowed_origins=testbed.allowed_origins
    )
    context.set_default_timeout(TIMEOUT_MS)
    problem = ""
    try:
        async with collect_writes(context, testbed) as recorder:
            page = await context.new_page()
            try:
                await page.goto(testbed.start_url(template.role))
                await testbed.oracles[template.id](page, instance.values)
            except Error as error:
                problem = f"oracle: {error.message}"
        events = [e for e in recorder.trajectory().events if e.kind.is_write]
    finally:
        await context.close()
    return events, problem


def spoilt_cases(
    expectation: Expectation, events: Sequence[Event]
) -> Iterator[tuple[str, Expectation, list[Event]]]:
    """Every way we know to spoil a good episode or its answer key.

    Args:
        expectation: A bound answer key.
        events: Writes that meet it.

    Yields:
        What was spoilt, the answer key and the writes to judge; each must be judged a failure.
    """
    for n, write in enumerate(expectation.writes):
        for part in ("body", "answer"):
            for where, other in _spoilt_values(getattr(write, part), part):
                writes = list(expectation.writes)
                writes[n] = write.model_copy(update={part: other})
                key = expectation.model_copy(update={"writes": tuple(writes)})
                yield f"{write.path}: other {where} expected", key, list(events)
    for n in _needed(expectation, events):
        event, rest = events[n], [e for i, e in enumerate(events) if i != n]
        path = event.request.url if event.request else ""
        refused = event.model_copy(update={"response": Response(status=400)})
        yield f"{path} dropped", expectation, rest
        yield f"{path} refused", expectation, [*rest, refused]
        yield f"{path} sent twice", expectation, [*events, event]
    yield "foreign write added", expectation, [*events, FOREIGN]


def _needed(expectation: Expectation, events: Sequence[Event]) -> list[int]:
    """Positions of the writes that the answer key needs."""
    return [
        n
        for n in range(len(events))
        if evaluate(expectation, [e for i, e in enumerate(events) if i != n]).missing
    ]


def _spoilt_values(value: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Copies of a body pattern, each with one value changed."""
    if isinstance(value, dict) and any(key.startswith("$") for key in value):
        yield from _spoilt_matcher(*next(iter(value.items())), where)
    elif isinstance(value, dict):
        for key, inside in value.items():
            yield from (
                (at, {**value, key: o}) for at, o in _spoilt_values(inside, f"{where}.{key}")
            )
    elif isinstance(value, list):
        yield f"{where} with one item more", [*value, "x"]
        for n, inside in enumerate(value):
            for at, other in _spoilt_values(inside, f"{where}[{n}]"):
                yield at, [*value[:n], other, *value[n + 1 :]]
    elif isinstance(value, bool):
        yield where, not value
    elif value is not None:
        yield where, f"{value}x"


def _spoilt_matcher(name: str, argument: Any, where: str) -> Iterator[tuple[str, Any]]:
    """A body matcher that asks for something else; none is sure for `$lacks` and `$regex`."""
    if name == "$json":
        inner = _spoilt_values(json.loads(argument), where)
        yield from ((at, {name: json.dumps(other)}) for at, other in inner)
    elif name in ("$items", "$has", "$deep"):
        yield from ((at, {name: other}) for at, other in _spoilt_values(argument, where))
    elif name in ("$contains", "$starts_with"):
        yield where, {name: f"{argument}x\N{BULLET}"}
    elif name == "$length":
        yield f"length of {where}", {name: argument + 1}
    elif name in ("$any", "$absent"):
        yield f"presence of {where}", {"$absent" if name == "$any" else "$any": True}
