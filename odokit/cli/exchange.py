"""`odokit import` and `odokit export`: recordings from and for other tools."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from odokit.cli.shell import out, plain
from odokit.config import Settings

if TYPE_CHECKING:
    from odokit.navmodel import NavModel
    from odokit.store import EventStore

import_app = typer.Typer(help="Take recordings of other tools over.", no_args_is_help=True)


@import_app.command()
def extension(
    exports: Annotated[list[Path], typer.Argument(help="Files that the extension exported.")],
    folder: Annotated[Path, typer.Option("--out", help="Where to write the recordings.")],
) -> None:
    """Turn exports of the browser extension into recordings that `odokit ingest` takes."""
    from odokit.record.extension import import_export

    for path in exports:
        typer.echo(str(import_export(path, folder)))


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


export_app = typer.Typer(help="Write recordings for other tools.", no_args_is_help=True)

Ids = Annotated[
    list[str] | None, typer.Option("--trajectory", help="Trajectory ids; all if left out.")
]
Labels = Annotated[
    str, typer.Option("--model", help="Model that labels the activities; none if left out.")
]


@export_app.command()
def jsonl(
    folder: Annotated[Path, typer.Argument(help="Where to write recordings and snapshots.")],
    trajectory: Ids = None,
) -> None:
    """Write plain recordings (see docs/formats.md) with their snapshots."""
    from odokit.export import write_jsonl

    with _store() as store:
        paths = write_jsonl(folder, store.trajectories(trajectory), store.get_snapshot)
    typer.echo(f"{len(paths)} recordings in {folder}")


@export_app.command()
def ocel(
    file: Annotated[Path, typer.Argument(help="The OCEL 2.0 JSON file to write.")],
    trajectory: Ids = None,
    model: Labels = "",
) -> None:
    """Write an object-centric event log."""
    from odokit.export import write_ocel

    _write_log(write_ocel, file, trajectory, model)


@export_app.command()
def xes(
    file: Annotated[Path, typer.Argument(help="The XES file to write.")],
    trajectory: Ids = None,
    model: Labels = "",
) -> None:
    """Write an event log for process-mining tools."""
    from odokit.export import write_xes

    _write_log(write_xes, file, trajectory, model)


@export_app.command()
def playwright(
    trajectory: Annotated[str, typer.Argument(help="Trajectory id.")],
    file: Annotated[Path, typer.Argument(help="The Python script to write.")],
) -> None:
    """Write a Playwright test that does a demonstration again and checks its writes."""
    from odokit.export import write_playwright

    with _store() as store:
        (found,) = store.trajectories([trajectory])
        write_playwright(file, found, store.get_snapshot)
    typer.echo(f"script: {file}")


def _store() -> EventStore:
    from odokit.store import EventStore

    return EventStore.open(Settings.load().store, read_only=True)


def _labels(
    store: EventStore, model_id: str, ids: Sequence[str] | None
) -> tuple[NavModel | None, Sequence[str] | None]:
    """The model that labels activities, and the trajectories to write: by default all of its."""
    from odokit.navmodel.persist import load_model

    if not model_id:
        return None, ids
    model = load_model(store, model_id)
    return model, ids or sorted(model.walks)


def _write_log(write: Callable[..., int], file: Path, trajectory: Ids, model: Labels) -> None:
    with _store() as store:
        labels, ids = _labels(store, model, trajectory)
        n = write(file, store.trajectories(ids), labels)
    typer.echo(f"{n} events in {file}")
