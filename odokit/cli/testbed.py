"""`odokit testbed`: install, start, reset and verify the real applications."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer
from rich.table import Table

from odokit.cli.shell import AppName, out, plain, progress
from odokit.config import Settings

testbed_app = typer.Typer(help="Real applications to measure on.", no_args_is_help=True)


@testbed_app.command()
def up(name: AppName) -> None:
    """Install, provision and start a test bed."""
    from odokit.testbeds import get_testbed

    with progress() as advance:
        testbed = get_testbed(name, Settings.load())
        testbed.up(advance)
    typer.echo(f"{name} is at {testbed.base_url}")


@testbed_app.command()
def reset(name: AppName) -> None:
    """Bring a test bed back to its gold state."""
    from odokit.testbeds import get_testbed

    typer.echo(f"reset in {get_testbed(name, Settings.load()).reset():.2f} s")


@testbed_app.command()
def down(name: AppName) -> None:
    """Stop a test bed."""
    from odokit.testbeds import get_testbed

    get_testbed(name, Settings.load()).down()


@testbed_app.command()
def status(name: AppName) -> None:
    """Tell what a test bed is doing."""
    from odokit.testbeds import get_testbed

    state = get_testbed(name, Settings.load()).status()
    typer.echo(
        f"installed: {state.installed}\nprovisioned: {state.provisioned}\n"
        f"running: {state.running} (pid {state.pid}) at {state.url}\n"
        f"disk: {state.disk_mb:.0f} MB, memory: {state.memory_mb:.0f} MB"
    )


@testbed_app.command()
def demonstrate(
    name: AppName,
    instance: Annotated[list[str] | None, typer.Option(help="Instance ids; all if none.")] = None,
) -> None:
    """Record the demonstrations of a test bed anew, by its oracles."""
    from odokit.study.workspace import demonstrate_all

    with progress() as advance:
        paths = asyncio.run(
            demonstrate_all(Settings.load(), app=name, only=instance or (), advance=advance)
        )
    typer.echo(f"{len(paths)} recordings in {paths[0].parent if paths else 'no folder'}")


@testbed_app.command()
def verify(
    name: AppName,
    sample: Annotated[
        int | None, typer.Option(help="Instances drawn at random; all if left out.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print figures as JSON.")] = False,
) -> None:
    """Let every oracle perform its tasks and see whether the evaluator judges rightly."""
    from odokit.study.workspace import summarize_verification, verify_testbed

    with progress() as advance:
        rows = asyncio.run(
            verify_testbed(Settings.load(), app=name, sample=sample, advance=advance)
        )
    if as_json:
        typer.echo(json.dumps(summarize_verification(rows)))
    else:
        table = Table("instance", "verdict", "spoilt", "undetected", "seconds", "why", box=None)
        for row in rows:
            verdict = "good" if row.is_good else "BAD"
            undetected = ", ".join(row.undetected)
            why = "" if row.is_good else row.explanation
            cells = (
                row.instance,
                verdict,
                str(row.n_spoilt),
                undetected,
                f"{row.seconds:.1f}",
                why,
            )
            table.add_row(*map(plain, cells))
        out.print(table)
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
