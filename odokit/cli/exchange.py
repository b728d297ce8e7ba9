"""`odokit import` and `odokit export`: recordings from and for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from odokit.cli.shell import out, plain

import_app = typer.Typer(help="Take recordings of other tools over.", no_args_is_help=True)


@import_app.command()
def logui(
    logs: Annotated[list[Path], typer.Argument(help="Flight logs, or dumps of their index.")],
    folder: Annotated[Path, typer.Option("--out", help="Where to write the recordings.")],
    name: Annotated[str, typer.Option("--app", help="What the application is called.")] = "",
    task: Annotated[str, typer.Option(help="What was demonstrated, in words.")] = "",
) -> None:
    """Turn LogUI flight logs into recordings that `odokit ingest` takes."""
    from odokit.record.logui import import_flights

    for made in import_flights(logs, folder, app=name, task=task):
        typer.echo(f"{made.path}: {made.n_events} events, {made.n_snapshots} pages")
        for gap in made.gaps:
            out.print(f"  [yellow]not taken over:[/] {plain(gap)}", highlight=False)
