"""`odokit store` and `odokit model`: look after the workspace."""

from __future__ import annotations

from typing import Annotated

import typer

from odokit.cli.shell import AppOption
from odokit.config import Settings

store_app = typer.Typer(help="The workspace's DuckDB file.", no_args_is_help=True)
model_app = typer.Typer(help="The behaviour model.", no_args_is_help=True)


@store_app.command()
def stats() -> None:
    """Count what the workspace holds."""
    from odokit.store import EventStore

    with EventStore.open(Settings.load().store, read_only=True) as store:
        for key, value in store.stats().items():
            typer.echo(f"{key}: {value}")


@store_app.command()
def check() -> None:
    """Check the workspace's invariants."""
    from odokit.store import EventStore

    with EventStore.open(Settings.load().store, read_only=True) as store:
        problems = store.check()
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    typer.echo("the store is sound")


@model_app.command()
def build(
    name: AppOption = "kolibri",
    identity: Annotated[str, typer.Option(help="fingerprint or paper")] = "fingerprint",
) -> None:
    """Ingest an application's demonstrations and build its model."""
    from odokit.study.workspace import build_model

    model = build_model(Settings.load(), app=name, identity=identity)
    typer.echo(
        f"model {model.model_id}: {len(model.vertices)} vertices, {len(model.edges)} edges, "
        f"{len(model.walks)} trajectories"
    )
