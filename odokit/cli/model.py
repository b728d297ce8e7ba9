"""`odokit model`: build behaviour models, compare them, and see what they rest on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from odokit.cli.shell import AppOption, out, plain
from odokit.config import Settings

model_app = typer.Typer(help="The behaviour model.", no_args_is_help=True)

Limit = Annotated[int, typer.Option(min=1, help="Most lines of a list.")]


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


@model_app.command()
def diff(
    first: Annotated[str, typer.Argument(help="Id of a saved model.")],
    second: Annotated[str, typer.Argument(help="Id of another.")],
    limit: Limit = 40,
) -> None:
    """Say what changed from one saved model to another."""
    from odokit.navmodel import diff_models
    from odokit.study.workspace import read_model

    settings = Settings.load()
    found = diff_models(read_model(settings, first), read_model(settings, second))
    totals = Table("", "added", "removed", "changed", "same", box=None)
    for counted in found.counts().rows():
        totals.add_row(*map(str, counted))
    out.print(totals)
    changed = found.vertices.filter(found.vertices["change"] != "same")
    table = Table("change", "kind", "vertex", "first", "second", box=None)
    for row in changed.head(limit).iter_rows(named=True):
        counts = (str(row["n_first"]), str(row["n_second"]))
        table.add_row(row["change"], row["kind"], plain(row["label"]), *counts)
    out.print(table)
    if changed.height > limit:
        out.print(f"[dim]{changed.height - limit} more; --limit shows them[/]")


@model_app.command()
def compare(
    name: AppOption = "kolibri",
    recordings: Annotated[
        Path | None, typer.Option(help="Folder of further demonstrations of its tasks.")
    ] = None,
) -> None:
    """Compare the rules of identity, fingerprint and paper, on shipped demonstrations."""
    from odokit.study.identities import compare_identities

    comparison, judged, repeats = compare_identities(Settings.load(), name, more=recordings)
    table = Table(
        "rule", "vertices", "steps merged", "own vertices", "own, no page changes", box=None
    )
    for one in comparison.groupings:
        numbers = (one.n_vertices, one.n_merged, one.n_own, one.n_own_acts)
        table.add_row(one.identity, *map(str, numbers))
    out.print(table)
    for row in repeats.filter(repeats["n_pairs"] > 0).iter_rows(named=True):
        share = row["n_known"] / row["n_pairs"]
        out.print(
            f"{row['identity']}: of {row['n_pairs']} pairs of one act in two demonstrations of a "
            f"template {share:.1%} are one vertex"
        )
    verdict = {True: "[green]right[/]", False: "[red]wrong[/]"}
    table = Table("what the oracles say", "", "fingerprint", "paper", box=None)
    for row in judged.iter_rows(named=True):
        right = (verdict[row["fingerprint"]], verdict[row["paper"]])
        table.add_row(plain(row["what"]), f"are {row['are']}", *right)
    out.print(table)


@model_app.command()
def coverage(name: AppOption = "kolibri", limit: Limit = 10) -> None:
    """Say what of the latest model rests on one demonstration, and what to record next."""
    from odokit.coverage import frame_evidence
    from odokit.study.workspace import read_model, read_proposals

    settings = Settings.load()
    model = read_model(settings)
    evidence = frame_evidence(model)
    table = Table("", "rest on one demonstration", "of", box=None)
    for what, plural in (("write", "writes"), ("widget", "widgets"), ("branch", "branches")):
        all_of_it = evidence.filter(what=what)
        table.add_row(plural, str(all_of_it.filter(n_demonstrations=1).height), str(len(all_of_it)))
    out.print(table)
    proposals = read_proposals(settings, model, name)[:limit]
    widest = max((len(proposal.template_id) for proposal in proposals), default=0)
    table = Table(box=None, expand=True)
    table.add_column("record next", no_wrap=True, min_width=widest)
    for title in ("makes possible", "confirms", "parts"):
        table.add_column(title, no_wrap=True, min_width=len(title))
    table.add_column("task", no_wrap=True, ratio=1)
    for proposal in proposals:
        helped = map(str, (proposal.n_missing, proposal.n_single, proposal.n_gained))
        table.add_row(proposal.template_id, *helped, plain(proposal.text))
    out.print(table)
