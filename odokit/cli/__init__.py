"""The `odokit` command: one thin sub-command for each thing people do."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from odokit import __version__, log
from odokit.cli.exchange import export_app, import_app
from odokit.cli.lists import lists_app
from odokit.cli.model import model_app
from odokit.cli.record import extension_app, record
from odokit.cli.secret import secret_app
from odokit.cli.shell import AppOption, err, out, plain, progress, read_parameters
from odokit.cli.testbed import testbed_app
from odokit.cli.workspace import store_app
from odokit.config import POLICIES, Settings
from odokit.errors import ConfigError, OdokitError
from odokit.paraphrases import Style
from odokit.testbeds import ResetMode

app = typer.Typer(
    help="Demonstrate web tasks, model the application, execute new tasks for few tokens.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.add_typer(testbed_app, name="testbed")
app.add_typer(store_app, name="store")
app.add_typer(model_app, name="model")
app.add_typer(lists_app, name="lists")
app.add_typer(extension_app, name="extension")
app.add_typer(import_app, name="import")
app.add_typer(export_app, name="export")
app.add_typer(secret_app, name="secret")
app.command()(record)

Policy = Annotated[str, typer.Option(help=f"Who may decide: {', '.join(POLICIES)}.")]


def main() -> None:
    """Run the command; a deliberate error becomes one paragraph and exit status 1."""
    try:
        app()
    except OdokitError as error:
        err.print(f"[bold red]odokit:[/] {plain(str(error))}", highlight=False, soft_wrap=True)
        sys.exit(1)


@app.callback()
def _root(
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Log what happens.")] = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    log.configure("INFO" if verbose else "WARNING")
    if version:
        out.print(f"odokit {__version__}")
        raise typer.Exit


@app.command()
def doctor() -> None:
    """Examine the set-up; say what is missing and the command that mends it."""
    from odokit.doctor import examine

    checks = examine(Settings.load())
    table = Table(box=None, show_header=False)
    for check in checks:
        table.add_row("[green]ok[/]" if check.is_ok else "[red]no[/]", check.name, check.detail)
        if not check.is_ok:
            table.add_row("", "", f"[yellow]{plain(check.cure)}[/]")
    out.print(table)
    if not all(check.is_ok for check in checks):
        raise typer.Exit(1)


@app.command()
def demo(
    policy: Policy = "offline",
    n_tasks: Annotated[int, typer.Option(min=1, help="Task instances to execute.")] = 10,
    name: AppOption = "kolibri",
) -> None:
    """Do the main job once: test bed, model, ten new tasks in a browser, report."""
    from odokit.run import notebook_paths, run_notebooks
    from odokit.testbeds import get_testbed

    settings = Settings.load()
    with progress() as advance:
        get_testbed(name, settings).up(lambda what, part: advance(what, part * 0.3))
        folder = run_notebooks(
            settings,
            [path.stem for path in notebook_paths(settings)],
            {"app": name, "policy": policy, "n_tasks": n_tasks},
            label="demo",
            advance=lambda what, part: advance(f"notebook {what}", 0.3 + 0.7 * part),
        )
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    out.print(
        f"{record['n_success']} of {record['n_tasks']} new tasks succeeded with "
        f"{record['tokens_prompt'] + record['tokens_completion']} LLM tokens "
        f"({record['n_abstained']} abstained, {record['n_failure']} failed, "
        f"{record['n_error']} errors)."
    )
    # Plain print: rich would wrap a long path.
    typer.echo(f"report: {folder / 'report.html'}")


@app.command()
def run(
    notebooks: Annotated[list[str] | None, typer.Argument(help="Names; all when empty.")] = None,
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", help="name=value, repeatable.")
    ] = None,
    label: Annotated[str, typer.Option(help="Last part of the run's name.")] = "run",
) -> None:
    """Execute notebooks through papermill into a report folder."""
    from odokit.run import notebook_paths, run_notebooks

    settings = Settings.load()
    names = notebooks or [path.stem for path in notebook_paths(settings)]
    with progress() as advance:
        folder = run_notebooks(
            settings, names, read_parameters(parameter or []), label=label, advance=advance
        )
    typer.echo(f"run: {folder}")


@app.command()
def ingest(
    source: Annotated[
        Path, typer.Argument(help="Folder of recordings, or a file that the extension exported.")
    ],
) -> None:
    """Load recordings into the workspace."""
    from odokit.record.extension import import_export, unpack_exports
    from odokit.store import EventStore

    settings, folder = Settings.load(), source
    if source.is_file():
        folder = import_export(source, settings.data / "raw").parent
    else:
        unpack_exports(folder)
    with EventStore.open(settings.store) as store, progress() as advance:
        report = store.ingest_folder(folder, advance=advance)
    typer.echo(
        f"{report.n_new} new and {report.n_known} known trajectories, {report.n_events} events, "
        f"{report.n_snapshots} snapshots in {report.seconds:.1f} s"
    )


@app.command()
def plan(
    task: Annotated[str, typer.Argument(help="The task in words.")],
    url: Annotated[str, typer.Option(help="Where the browser is; the demonstration's start.")] = "",
    policy: Policy = "offline",
) -> None:
    """Plan a task over the model, without a browser."""
    from odokit.study.workspace import plan_task

    settings = Settings.load()
    made, decisions = asyncio.run(plan_task(settings, task, url=url, policy=policy))
    table = Table("", "step", "value", box=None)
    for instruction in made.instructions:
        question = instruction.question
        value = question.bound if question and question.bound else instruction.target.wanted or ""
        table.add_row(str(instruction.number + 1), plain(instruction.label), plain(value))
    out.print(table)
    for decision in decisions:
        out.print(
            f"[dim]{decision.point}: {plain(decision.answer)} "
            f"({decision.means}, {decision.confidence:.2f})[/]"
        )


@app.command()
def execute(
    name: AppOption = "kolibri",
    instance: Annotated[
        list[str] | None, typer.Option(help="Task instance ids; all to be executed when left out.")
    ] = None,
    n_tasks: Annotated[
        int | None, typer.Option(min=1, help="Most to execute, one of each template first.")
    ] = None,
    policy: Policy = "offline",
    style: Annotated[
        Style | None, typer.Option(help="Manner in which the tasks are worded anew.")
    ] = None,
    reset: Annotated[
        ResetMode, typer.Option(help="Back to the gold state before each task, or once a run.")
    ] = "task",
) -> None:
    """Execute task instances on a test bed and judge them."""
    from odokit.study.runs import execute_tasks
    from odokit.study.workspace import read_episodes

    settings = Settings.load()
    with progress() as advance:
        run_id = asyncio.run(
            execute_tasks(
                settings,
                app=name,
                policy=policy,
                instances=instance or (),
                n_tasks=n_tasks,
                style=style,
                reset=reset,
                advance=advance,
            )
        )
    table = Table("task", "outcome", "tokens", "seconds", "reason", box=None)
    for row in read_episodes(settings, run_id).iter_rows(named=True):
        table.add_row(
            row["instance_id"],
            row["outcome"],
            str(row["tokens"]),
            f"{row['seconds']:.1f}",
            plain(row["reason"]),
        )
    out.print(table)


@app.command()
def schema(
    what: Annotated[str, typer.Argument(help="recording, or markdown for it as tables")] = (
        "recording"
    ),
) -> None:
    """Print the JSON schema of the recording format, or the tables of docs/formats.md."""
    if what == "recording":
        from odokit.events import recording_schema

        typer.echo(json.dumps(recording_schema(), indent=1))
    elif what == "markdown":
        from odokit.export import document_recording

        typer.echo(document_recording())
    else:
        raise ConfigError(f"there is no schema '{what}'; there are 'recording' and 'markdown'.")
