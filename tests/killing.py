"""Kill a process at random moments while it ingests, compacts or records; examine what it left.

A round prepares a folder, runs some work in a process of its own, kills that process without
warning, and looks for what was promised and is not there. The work announces by a pipe what it has
done; whatever was announced before the kill must have survived it.
"""

from __future__ import annotations

import asyncio
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from playwright.async_api import Page
from store_samples import page, recording

from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.errors import OdokitError
from odokit.events import (
    Event,
    EventKind,
    Trajectory,
    read_recording,
    recover_recording,
    write_recording,
)
from odokit.record import Recorder, SnapshotFolder, record
from odokit.store import EventStore

PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["odokit.store", "odokit.record", "odokit.browser"])
N_RECORDINGS, N_VISITS = 8, 12
N_SESSIONS, ENDLESS = 2, 1_000_000
PATIENCE_MS = 10_000

Work = Callable[..., None]
Announcement = tuple[str, ...]


@dataclass
class Tally:
    """What a series of kills came to.

    Attributes:
        n_kills: Rounds in which the process was killed before its work was done.
        n_finished: Rounds in which it was faster than the kill.
        n_intact: Whole trajectories found after kills.
        n_announced: Events of the open recordings that were announced before kills.
        n_recovered: Events that were recovered from open recordings.
        problems: What was lost, a line each.
    """

    n_kills: int = 0
    n_finished: int = 0
    n_intact: int = 0
    n_announced: int = 0
    n_recovered: int = 0
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Ran:
    """A process that is over.

    Attributes:
        exit_code: 0, or minus the signal that ended it.
        said: What it announced.
        seconds: From being ready to its end.
    """

    exit_code: int | None
    said: list[Announcement]
    seconds: float


# ------------------------------------------------------------------------------------------ rounds


def kill_ingests(folder: Path, n: int, seed: int = 0) -> Tally:
    """Kill `n` ingests that take some recordings in and replace others."""
    old, new = _recordings(folder / "old", "old"), _recordings(folder / "new", "new")
    kept = dict(list(old.items())[::2])
    before = folder / "before.duckdb"
    with EventStore.open(before) as store:
        for trajectory in kept.values():
            store.ingest(trajectory, SnapshotFolder(folder / "old" / "snapshots"))
    whole = folder / "whole.duckdb"
    shutil.copy(before, whole)
    longest = _duration(ingest, folder / "new", whole)
    expected, tally = _contents(whole), Tally()
    for number, moment in enumerate(_moments(n, longest, seed)):
        path = folder / f"{number}.duckdb"
        if number % 3:  # every third begins with making the file
            shutil.copy(before, path)
        said = _kill(ingest, (folder / "new", path), moment, tally)
        stored = kept if number % 3 else {}
        _examine_ingest(path, stored, new, [name for (name,) in said], tally)
        _guarded(ingest, (None, folder / "new", path), f"ingest {number} again", tally)
        if _contents(path) != expected:
            tally.problems.append(f"{path.name}: ingested again, it differs from an unkilled one")
        path.unlink()
    return tally


def kill_compactions(folder: Path, n: int, seed: int = 0) -> Tally:
    """Kill `n` compactions of a store that holds the pages of replaced recordings."""
    before, tally = folder / "before.duckdb", Tally()
    for note in ("old", "new"):
        _recordings(folder / note, note)
        ingest(None, folder / note, before)
    expected, whole = _contents(before), folder / "whole.duckdb"
    shutil.copy(before, whole)
    longest = _duration(compact, whole)
    for number, moment in enumerate(_moments(n, longest, seed)):
        path = folder / f"{number}.duckdb"
        shutil.copy(before, path)
        _kill(compact, (path,), moment, tally)
        if _contents(path) == expected:
            tally.n_intact += N_RECORDINGS
        else:
            tally.problems.append(f"{path.name}: a killed compaction changed what it holds")
        _guarded(compact, (None, path), f"compact {number} again", tally)
        if _contents(path) != expected or path.stat().st_size != whole.stat().st_size:
            tally.problems.append(f"{path.name}: compacted again, it differs from an unkilled one")
        path.unlink()
    return tally


def kill_recordings(folder: Path, url: str, n: int, seed: int = 0) -> Tally:
    """Kill `n` processes that record sessions in a browser, one after the other, on a form."""
    longest = _duration(record_sessions, folder / "whole", url, N_SESSIONS)
    tally = Tally()
    for number, moment in enumerate(_moments(n, longest, seed)):
        kept = folder / str(number)
        said = _kill(record_sessions, (kept, url, ENDLESS), moment, tally)
        _examine_recordings(kept, said, tally)
    return tally


# -------------------------------------------------------------------- work, in a process of its own


def ingest(pipe: Connection | None, folder: Path, path: Path) -> None:
    """Take a folder in, announcing each recording that is stored."""
    _say(pipe, "ready")
    with EventStore.open(path) as store:
        store.ingest_folder(
            folder, replace=True, advance=lambda name, _: _say(pipe, name.split(".")[0])
        )


def compact(pipe: Connection | None, path: Path) -> None:
    """Compact a store."""
    _say(pipe, "ready")
    EventStore.compact(path)


def record_sessions(pipe: Connection, folder: Path, url: str, n: int) -> None:
    """Record sessions, announcing each event that is recorded and each session that is over."""
    asyncio.run(_record_sessions(pipe, folder, url, n))


async def _record_sessions(pipe: Connection, folder: Path, url: str, n: int) -> None:
    async with open_browser(Settings.load(folder)) as browser:
        for name in map(str, range(n)):
            context = await new_context(browser)
            opened = await context.new_page()
            async with record(context, folder, trajectory_id=name) as recorder:
                if name == "0":
                    _say(pipe, "ready")
                await opened.goto(url)
                async for done in _act(opened, recorder, name):
                    _say(pipe, name, done)
            _say(pipe, name, "over")
            await context.close()


async def _act(opened: Page, recorder: Recorder, name: str) -> Any:
    """Fill in a form and yield the values whose events are recorded."""
    for number, label in enumerate(["Full name", "About", "E-mail", "Full name", "About"]):
        value = f"{name} {number}"
        await opened.get_by_label(label).fill(value)
        await opened.keyboard.press("Tab")

        def is_it(event: Event, value: str = value) -> bool:
            return event.kind is EventKind.DATA_ENTRY and event.value == value

        if await recorder.wait_for(is_it, since=0, timeout_ms=PATIENCE_MS) is not None:
            yield value


# ------------------------------------------------------------------------------------- examinations


def _examine_ingest(
    path: Path,
    old: dict[str, Trajectory],
    new: dict[str, Trajectory],
    announced: list[str],
    tally: Tally,
) -> None:
    """Every trajectory is the old or the new one, whole; what was announced is the new one."""
    if not path.exists():
        tally.problems += [f"{path.name}: {name} is lost with its file" for name in announced]
        return
    try:
        with EventStore.open(path, read_only=False) as store:
            tally.problems += [f"{path.name}: {line}" for line in store.check()]
            found = {trajectory.id: trajectory for trajectory in store.trajectories()}
    except OdokitError as error:
        tally.problems.append(f"{path.name} does not open: {error}")
        return
    for name in old | new:
        allowed = [new[name]] if name in announced else [new[name], old.get(name)]
        if found.get(name) in allowed:
            tally.n_intact += name in found
        else:
            tally.problems.append(f"{path.name}: {name} is not what was ingested")


def _examine_recordings(folder: Path, said: list[Announcement], tally: Tally) -> None:
    """Whole recordings are whole, and an open one has all that was announced."""
    over = {name for name, what in said if what == "over"}
    begun = {path.name.split(".")[0] for path in folder.glob("*.jsonl.*")}
    for name in sorted(begun | {name for name, _ in said}):
        journal = folder / f"{name}.jsonl.partial"
        saved = folder / f"{name}.jsonl.zst"
        values = [what for session, what in said if session == name and what != "over"]
        try:
            if saved.exists():
                trajectory = read_recording(saved)
                tally.n_intact += 1
            elif journal.exists() and journal.stat().st_size:
                trajectory = recover_recording(journal)
                tally.n_announced += len(values)
                tally.n_recovered += len(trajectory.events)
                write_recording(saved, trajectory)
            elif values or name in over:
                tally.problems.append(f"{folder.name}: session {name} is lost")
                continue
            else:
                continue
        except OdokitError as error:
            tally.problems.append(f"{folder.name}: {error}")
            continue
        lost = set(values) - {event.value for event in trajectory.events}
        tally.problems += [f"{folder.name}: entry {value} is lost" for value in sorted(lost)]
        if name in over and not saved.exists():
            tally.problems.append(f"{folder.name}: session {name} was over but is not whole")
    if next(folder.glob("*.jsonl.zst"), None) is not None:
        with EventStore.open(folder / "workspace.duckdb") as store:
            store.ingest_folder(folder)  # every page that an event names is there
            tally.problems += [f"{folder.name}: {line}" for line in store.check()]


def _contents(path: Path) -> list[Any]:
    """What a store holds: trajectories and the pages they name; each page fits its hash."""
    with EventStore.open(path) as store:
        trajectories = store.trajectories()
        named = {e.snapshot for t in trajectories for e in t.events if e.snapshot is not None}
        return [trajectories, {key: store.get_snapshot(key) for key in named}, store.check()]


# ------------------------------------------------------------------------------------------ helpers


def _recordings(folder: Path, note: str) -> dict[str, Trajectory]:
    """Write recordings that visit the same pages, each visit a little different."""
    snapshots, made = SnapshotFolder(folder / "snapshots"), {}
    for number in range(N_RECORDINGS):
        visits = [
            (f"/p{n % 4}", snapshots.put(page(f"{note} {n % 4}", f"{number} {n}")))
            for n in range(N_VISITS)
        ]
        trajectory = recording(f"t{number}", visits)
        write_recording(folder / f"t{number}.jsonl.zst", trajectory)
        made[trajectory.id] = trajectory
    return made


def _moments(n: int, longest: float, seed: int) -> Iterator[float]:
    rng = random.Random(seed)
    for _ in range(n):
        yield rng.uniform(0, longest)


def _duration(work: Work, *arguments: object) -> float:
    """Seconds that some work takes from being ready, when nobody kills it."""
    ran = _run(work, arguments, None)
    assert ran.exit_code == 0, f"{work.__name__} ended with {ran.exit_code}"
    return ran.seconds


def _kill(
    work: Work, arguments: tuple[object, ...], moment: float, tally: Tally
) -> list[Announcement]:
    """Run some work, kill it after some seconds, and return what it had announced."""
    ran = _run(work, arguments, moment)
    if ran.exit_code == 0:
        tally.n_finished += 1
    elif ran.exit_code == -signal.SIGKILL:
        tally.n_kills += 1
    else:
        tally.problems.append(f"{work.__name__}{arguments} ended by itself with {ran.exit_code}")
    return ran.said


def _run(work: Work, arguments: tuple[object, ...], moment: float | None) -> Ran:
    here, there = PROCESSES.Pipe(duplex=False)
    process = PROCESSES.Process(target=work, args=(there, *arguments))
    process.start()
    there.close()
    said: list[Announcement] = []
    with here, suppress(EOFError, OSError):
        here.recv()  # it is ready
        began = time.monotonic()
        process.join(moment)
        process.kill()
        while True:
            said.append(here.recv())
    process.join()
    return Ran(process.exitcode, said, time.monotonic() - began)


def _say(pipe: Connection | None, *words: str) -> None:
    if pipe is not None:
        pipe.send(words)


def _guarded(work: Work, arguments: tuple[object, ...], what: str, tally: Tally) -> None:
    try:
        work(*arguments)
    except OdokitError as error:
        tally.problems.append(f"{what}: {error}")
