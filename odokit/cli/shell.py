"""What the sub-commands share: where they print, progress bars, safe text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from odokit.errors import ConfigError

AppOption = Annotated[str, typer.Option("--app", help="Test bed, such as kolibri.")]

out = Console()
err = Console(stderr=True)


@contextmanager
def progress() -> Iterator[Callable[[str, float], None]]:
    """A progress bar; the function given takes what is being done and the fraction done."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=err) as bar:
        task = bar.add_task("starting", total=1.0)

        def advance(what: str, part: float) -> None:
            bar.update(task, description=plain(what), completed=part)

        yield advance


def read_parameters(given: list[str]) -> dict[str, Any]:
    """Read `name=value` items."""
    parameters: dict[str, Any] = {}
    for item in given:
        name, found, value = item.partition("=")
        if not found or not name:
            raise ConfigError(f"'{item}' is not name=value.")
        parameters[name.strip()] = value
    return parameters


def plain(text: str) -> str:
    """Text from pages and files, safe to print: no markup, no control characters."""
    clean = "".join(c if c.isprintable() or c == " " else " " for c in text)
    return clean.replace("[", "\\[")
