"""`odokit store`: look after the workspace."""

from __future__ import annotations

import typer
from rich.table import Table

from odokit.cli.shell import out, progress
from odokit.config import Settings

store_app = typer.Typer(help="The workspace's DuckDB file.", no_args_is_help=True)


@store_app.command()
def stats() -> None:
    """Count what the workspace holds and how much room it takes."""
    from odokit.store import EventStore

    with EventStore.open(Settings.load().store, read_only=True) as store:
        counts, sizes = store.stats(), store.table_sizes()
    table = Table("table", "rows", "MB", box=None)
    for name, size in sizes.items():
        table.add_row(name, f"{counts[name]:,}", f"{size / 1e6:.1f}")
    out.print(table)
    typer.echo(f"file: {counts['file_bytes'] / 1e6:.1f} MB")
    pages, stored = counts["event_page_bytes"], counts["snapshot_stored_bytes"]
    if stored:
        typer.echo(
            f"pages: {pages / 1e6:.1f} MB as the events show them, "
            f"{counts['snapshot_bytes'] / 1e6:.1f} MB of them different, "
            f"{stored / 1e6:.1f} MB stored (1/{pages / stored:.0f})"
        )


@store_app.command()
def check() -> None:
    """Check the workspace's invariants and every page snapshot against its hash."""
    from odokit.store import EventStore

    with EventStore.open(Settings.load().store, read_only=True) as store, progress() as advance:
        problems = store.check(advance=advance)
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    typer.echo("the store is sound")


@store_app.command()
def compact() -> None:
    """Write the workspace's file anew, smaller; it stays whole whenever this is interrupted."""
    from odokit.store import EventStore

    with progress() as advance:
        report = EventStore.compact(Settings.load().store, advance=advance)
    typer.echo(
        f"{report.bytes_before / 1e6:.1f} MB became {report.bytes_after / 1e6:.1f} MB; "
        f"{report.n_dropped} snapshots that no event refers to were dropped"
    )
