"""`odokit lists`: how well lists are found, measured on the pages of the test beds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from odokit.cli.shell import out, progress
from odokit.config import Settings

lists_app = typer.Typer(help="Measure list discovery on labelled pages.", no_args_is_help=True)

_COLUMNS = "setting app pages lists found recall precision clicks free recall precision".split()


@lists_app.command()
def quality(
    setting: Annotated[
        list[str] | None,
        typer.Option(
            help="A setting, such as 'exact level=1' or 'paper eps=0.5'; exact, paper and hdbscan "
            "with their defaults if none."
        ),
    ] = None,
) -> None:
    """Print precision and recall of lists and of free clicks for some settings."""
    from odokit.study.lists import summarize_list_quality
    from odokit.substructure import SETTINGS, read_setting

    tried = [read_setting(text) for text in setting or SETTINGS]
    frame = summarize_list_quality(Settings.load(), tried)
    table = Table(*_COLUMNS, box=None, pad_edge=False)
    for row in frame.iter_rows():
        table.add_row(*map(str, row))
    out.print(table)


@lists_app.command()
def label(
    name: Annotated[str, typer.Argument(help="Test bed, such as kolibri.")],
    recordings: Annotated[
        Path | None,
        typer.Option(help="Folder of further demonstrations, filled with those missing."),
    ] = None,
) -> None:
    """Label a test bed's shipped demonstrations anew: its lists of data and its free clicks."""
    from odokit.study.lists import label_testbed

    with progress() as advance:
        path = asyncio.run(
            label_testbed(Settings.load(), name, recordings=recordings, advance=advance)
        )
    typer.echo(f"labels: {path}")
