"""Record a browser context: page events from capture.js, writes and navigations from Playwright.

`record(...)` is the whole interface: an async context manager that watches a context while a person
(or an oracle, or the executor) works in it, and on exit leaves a recording file and its snapshots.
Each event is flushed to a `.partial` file as it happens, so a killed session can be recovered.
"""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.async_api import BrowserContext

from odokit import __version__
from odokit.config import DEFAULT_SECRET_RULES
from odokit.errors import RecordError
from odokit.events import Header, Trajectory, dump_header, write_recording
from odokit.record.assemble import Assembler
from odokit.record.health import health_lines
from odokit.record.recorder import Recorder
from odokit.record.redact import Redactor
from odokit.record.snapshots import SnapshotFolder


@asynccontextmanager
async def record(
    context: BrowserContext,
    folder: Path | None,
    *,
    task: str = "",
    values: dict[str, str] | None = None,
    app: str = "",
    start_url: str = "",
    trajectory_id: str | None = None,
    secrets: Collection[str] | Mapping[str, str] = (),
    secret_rules: Collection[str] = DEFAULT_SECRET_RULES,
    attended: bool = False,
) -> AsyncIterator[Recorder]:
    """Record what happens in a browser context until the block ends.

    Args:
        context: A Playwright (async) browser context; its present and future pages are watched.
        folder: Receives `<id>.jsonl.zst` and `snapshots/`; None keeps the recording in memory.
        task: What is being demonstrated, in words.
        values: Known parameter values of the task, by name.
        app: Name of the application.
        start_url: Where the work begins.
        trajectory_id: Id to record under; a random one when None.
        secrets: Values that must never be stored, wherever they occur; a mapping has the name of
            each, by which it can be given at run time.
        secret_rules: What else is redacted by its looks, of `config.SECRET_RULES`.
        attended: Whether a person sits at the browser and answers its dialogs. Otherwise the
            program must (`page.on("dialog", ...)`), or Playwright dismisses them.

    Raises:
        RecordError: Nothing at all was recorded although `folder` was given; the message tells
            what the health report says.
        ConfigError: A rule is unknown.
    """
    redactor = Redactor(secrets, secret_rules)
    header = Header(
        trajectory_id=trajectory_id or uuid.uuid4().hex[:12],
        task=redactor.text(task),
        values={k: redactor.text(v) for k, v in (values or {}).items()},
        app=app,
        start_url=redactor.url(start_url),
        **_origin(),
    )
    if folder is None:
        made = Recorder(Assembler(header, redactor=redactor), attended=attended)
        async with _attached(made, context) as recorder:
            yield recorder
        return
    folder.mkdir(parents=True, exist_ok=True)
    journal_path = folder / f"{header.trajectory_id}.jsonl.partial"
    with journal_path.open("wb", buffering=0) as journal:
        journal.write(dump_header(header))
        snapshots = SnapshotFolder(folder / "snapshots")
        book = Assembler(header, snapshots=snapshots, journal=journal, redactor=redactor)
        made = Recorder(book, attended=attended)
        async with _attached(made, context) as recorder:
            yield recorder
    _save(folder, recorder.trajectory(), journal_path)


def _origin() -> dict[str, str]:
    return {
        "started_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "recorder": f"odokit {__version__}",
    }


def _save(folder: Path, trajectory: Trajectory, journal: Path) -> None:
    """Write a recording in place of its journal."""
    if not any(e.kind.is_interaction for e in trajectory.events):
        journal.unlink()
        assert trajectory.health is not None
        raise RecordError(
            f"recording {trajectory.id} holds no click or entry, so nothing was saved. Check that "
            "the page was open in the recorded context. Its health report: "
            f"{'; '.join(health_lines(trajectory.health))}."
        )
    write_recording(folder / f"{trajectory.id}.jsonl.zst", trajectory)
    journal.unlink()


@asynccontextmanager
async def _attached(recorder: Recorder, context: BrowserContext) -> AsyncIterator[Recorder]:
    await recorder.attach(context)
    try:
        yield recorder
    finally:
        await recorder.drain()
        await recorder.detach()
