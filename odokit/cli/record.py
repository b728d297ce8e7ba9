"""`odokit record`, `odokit extension`: demonstrate by hand, here or in a browser of one's own."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.live import Live
from rich.table import Table

from odokit.cli.shell import err, out, plain, read_parameters
from odokit.config import Settings
from odokit.errors import ConfigError
from odokit.events import Event, EventKind

if TYPE_CHECKING:
    from odokit.record import Recorder
    from odokit.study.manual import Window

extension_app = typer.Typer(help="The recorder as a browser extension.", no_args_is_help=True)


def record(
    url: Annotated[str | None, typer.Argument(help="Where to begin.")] = None,
    task: Annotated[
        str, typer.Option(help="What you will demonstrate, in words; values in quotation marks.")
    ] = "",
    name: Annotated[str, typer.Option("--app", help="What the application is called.")] = "",
    values: Annotated[
        list[str] | None, typer.Option(help="name=value of the task, repeatable.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Where to keep the recording; data/raw.")
    ] = None,
    profile: Annotated[
        Path | None,
        typer.Option(help="Browser profile to use and keep, so that a sign-in lasts."),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(help="Name of a secret (ODOKIT_SECRET_NAME) never to be stored, repeatable."),
    ] = None,
    recover: Annotated[
        Path | None, typer.Option(help="Journal (.partial) of a killed session to rescue.")
    ] = None,
) -> None:
    """Record a demonstration in a browser window; close the window, or press Ctrl-C, to end it."""
    from odokit.record import health_lines
    from odokit.secrets import named_secrets
    from odokit.study.manual import open_recorded_window, recover_journal

    if recover is not None:
        typer.echo(f"recording: {recover_journal(recover)}")
        return
    if url is None:
        raise ConfigError('say where to begin: `odokit record URL --task "..."`.')
    settings = Settings.load()
    window = asyncio.run(
        _record(
            open_recorded_window(
                settings,
                url,
                folder or settings.data / "raw",
                task=task,
                app=name,
                values=read_parameters(values or []),
                secrets=named_secrets(secret or []),
                profile=profile,
            )
        )
    )
    health = window.recorder.trajectory().health
    for line in health_lines(health) if health is not None else ():
        colour = "[yellow]" if line.startswith("gap") else ""
        out.print(f"{colour}{plain(line)}", highlight=False)
    typer.echo(f"recording: {window.path}")


@extension_app.command()
def build(
    folder: Annotated[Path, typer.Argument(help="Receives the unpacked extension.")],
    browser: Annotated[str, typer.Option(help="chromium (Chrome, Edge) or firefox.")] = "chromium",
) -> None:
    """Write the extension as a folder that a browser can load."""
    from odokit.record.extension import build_extension

    build_extension(folder, browser, secret_rules=Settings.load().redaction)
    page, how = {
        "chromium": ("chrome://extensions", "switch developer mode on, then `Load unpacked`"),
        "firefox": ("about:debugging#/runtime/this-firefox", "`Load Temporary Add-on`"),
    }[browser]
    typer.echo(f"extension: {folder}")
    typer.echo(f"Open {page}, {how}: {folder.resolve() / 'manifest.json'}")


async def _record(opening: AbstractAsyncContextManager[Window]) -> Window:
    async with opening as window:
        with _interrupt_ends(window):
            err.print("Do the task in the window. Close it, or press Ctrl-C here, to end.")
            with _live(window.recorder):
                await window.closed()
    return window


@contextmanager
def _interrupt_ends(window: Window) -> Iterator[None]:
    """Let the first Ctrl-C end the demonstration; a second one is the usual interrupt."""
    loop = asyncio.get_running_loop()
    usual = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(window.end))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _live(recorder: Recorder) -> Live:
    return Live(
        get_renderable=lambda: show_progress(recorder.events, recorder.gaps),
        console=err,
        refresh_per_second=4,
        transient=True,
    )


def show_progress(events: Sequence[Event], gaps: Sequence[object]) -> Table:
    """What was recorded so far: each kind with its number, gaps, and the last thing done."""
    counts = Counter(event.kind for event in events)
    table = Table(box=None, show_header=False)
    for kind in EventKind:
        if counts[kind]:
            table.add_row(kind.replace("_", " "), str(counts[kind]))
    if gaps:
        table.add_row("[yellow]not recorded[/]", f"[yellow]{len(gaps)}[/]")
    acts = [event.element for event in events if event.element is not None]
    if acts:
        table.add_row("last", plain(f"{acts[-1].role} {acts[-1].name}".strip()))
    return table
