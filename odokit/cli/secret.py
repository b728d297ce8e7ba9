"""`odokit secret`: keep secrets in the machine's keyring, for the executor to type."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from odokit.cli.shell import plain

secret_app = typer.Typer(
    help="Secrets that the executor types; recordings hold placeholders of these names.",
    no_args_is_help=True,
)


@secret_app.command("set")
def set_(
    name: Annotated[str, typer.Argument(help="Its name, as in {{secret:NAME}}.")],
) -> None:
    """Keep a secret in the keyring; asks for it, or reads a line from a pipe."""
    from odokit.secrets import set_secret

    if sys.stdin.isatty():
        value = typer.prompt(f"value of {plain(name)}", hide_input=True, confirmation_prompt=True)
    else:
        value = sys.stdin.readline().rstrip("\r\n")
    set_secret(name, value)
    typer.echo(f"kept in the keyring: {name}")


@secret_app.command("list")
def list_() -> None:
    """List the names of the secrets in the keyring."""
    from odokit.secrets import list_secrets

    for name in list_secrets():
        typer.echo(name)
