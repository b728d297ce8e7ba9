"""`odokit testbed APP VERB`: install, start, reset and verify the real applications."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from odokit.cli.shell import out, plain, progress
from odokit.config import Settings
from odokit.testbeds import TESTBED_NAMES, ResetMode, get_testbed

if TYPE_CHECKING:
    from odokit.testbeds.verify import VerifyRow

testbed_app = typer.Typer(help="Real applications to measure on.", no_args_is_help=True)
_verbs = typer.Typer(no_args_is_help=True)
for _name in TESTBED_NAMES:
    testbed_app.add_typer(_verbs, name=_name, help=f"Install, start, reset and verify {_name}.")


@_verbs.command()
def up(context: typer.Context) -> None:
    """Install, provision and start a test bed."""
    with progress() as advance:
        testbed = get_testbed(_app(context), Settings.load())
        testbed.up(advance)
    typer.echo(f"{testbed.name} is at {testbed.base_url}")


@_verbs.command()
def reset(context: typer.Context) -> None:
    """Bring a test bed back to its gold state."""
    typer.echo(f"reset in {get_testbed(_app(context), Settings.load()).reset():.2f} s")


@_verbs.command()
def down(context: typer.Context) -> None:
    """Stop a test bed."""
    get_testbed(_app(context), Settings.load()).down()


@_verbs.command()
def status(context: typer.Context) -> None:
    """Tell what a test bed is doing."""
    state = get_testbed(_app(context), Settings.load()).status()
    typer.echo(
        f"installed: {state.installed}\nprovisioned: {state.provisioned}\n"
        f"running: {state.running} (pid {state.pid}) at {state.url}\n"
        f"disk: {state.disk_mb:.0f} MB, memory: {state.memory_mb:.0f} MB"
    )


@_verbs.command()
def demonstrate(
    context: typer.Context,
    instance: Annotated[list[str] | None, typer.Option(help="Instance ids; all if none.")] = None,
) -> None:
    """Record the demonstrations of a test bed anew, by its oracles."""
    from odokit.study.workspace import demonstrate_all

    with progress() as advance:
        paths = asyncio.run(
            demonstrate_all(
                Settings.load(), app=_app(context), only=instance or (), advance=advance
            )
        )
    typer.echo(f"{len(paths)} recordings in {paths[0].parent if paths else 'no folder'}")


@_verbs.command()
def verify(
    context: typer.Context,
    sample: Annotated[
        int | None, typer.Option(help="Instances drawn at random; all if left out.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    reset: Annotated[
        ResetMode, typer.Option(help="Back to the gold state before each task, or once a run.")
    ] = "task",
    as_json: Annotated[bool, typer.Option("--json", help="Print figures as JSON.")] = False,
) -> None:
    """Let every oracle perform its tasks and see whether the evaluator judges rightly."""
    from odokit.study.workspace import summarize_verification, verify_testbed

    with progress() as advance:
        rows = asyncio.run(
            verify_testbed(
                Settings.load(),
                app=_app(context),
                sample=sample,
                seed=seed,
                reset=reset,
                advance=advance,
            )
        )
    figures = summarize_verification(rows)
    if as_json:
        typer.echo(json.dumps(figures))
    else:
        _print_verification(rows, figures)
    if not all(row.is_good for row in rows):
        raise typer.Exit(1)


@testbed_app.command()
def kinds() -> None:
    """Count the event kinds in the shipped demonstrations of every test bed."""
    from odokit.study.workspace import count_event_kinds

    counts = count_event_kinds(Settings.load())
    table = Table(*counts.columns, box=None)
    for row in counts.iter_rows():
        table.add_row(*map(str, row))
    out.print(table)


def _app(context: typer.Context) -> str:
    """The test bed whose verb is being run."""
    assert context.parent is not None
    return str(context.parent.info_name)


def _print_verification(rows: Sequence[VerifyRow], figures: dict[str, int]) -> None:
    table = Table("instance", "verdict", "spoilt", "undetected", "seconds", "why", box=None)
    for row in rows:
        cells = (
            row.instance,
            "good" if row.is_good else "BAD",
            str(row.n_spoilt),
            ", ".join(row.undetected),
            f"{row.seconds:.1f}",
            "" if row.is_good else row.explanation,
        )
        table.add_row(*map(plain, cells))
    out.print(table)
    totals = ", ".join(f"{what.replace('_', ' ')}: {n}" for what, n in figures.items())
    out.print(totals, soft_wrap=True)
