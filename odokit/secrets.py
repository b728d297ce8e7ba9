"""Where the values of secrets come from at run time: the environment, or the machine's keyring.

Plans, recordings and stores hold placeholders such as `{{secret:password}}`. The secret of that
name is the environment variable `ODOKIT_SECRET_PASSWORD`, else what `odokit secret set password`
put into the keyring. A value is read when it is typed, and is written nowhere.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import keyring
from keyring.errors import KeyringError

from odokit.errors import ConfigError

logger = logging.getLogger(__name__)

SERVICE = "odokit"
_INDEX = "odokit: names of secrets"
"""Keyrings cannot be listed, so the names (not the values) are an entry of their own."""


class Secrets(Protocol):
    """Where the value of a secret placeholder comes from at run time."""

    def get(self, name: str) -> str | None:
        """The secret's value, None when it is not known."""


class EnvironmentSecrets:
    """Secrets from given values first, then from `ODOKIT_SECRET_<NAME>` in the environment."""

    def __init__(
        self, given: Mapping[str, str] | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self._given = dict(given or {})
        self._env = os.environ if env is None else env

    def get(self, name: str) -> str | None:
        """The secret's value, None when it is not known."""
        return self._given.get(name) or self._env.get(secret_variable(name))


class KeyringSecrets:
    """Secrets that `odokit secret set` put into the machine's keyring."""

    def get(self, name: str) -> str | None:
        """The secret's value, None when it is not known or the keyring cannot be asked."""
        try:
            return keyring.get_password(SERVICE, secret_variable(name))
        except KeyringError as error:
            logger.info("the keyring cannot be asked for a secret: %s", type(error).__name__)
            return None


class _FirstOf:
    def __init__(self, sources: Sequence[Secrets]) -> None:
        self._sources = sources

    def get(self, name: str) -> str | None:
        found = (source.get(name) for source in self._sources)
        return next((value for value in found if value is not None), None)


def system_secrets(given: Mapping[str, str] | None = None) -> Secrets:
    """The secrets of this machine: given values, then the environment, then the keyring."""
    return _FirstOf([EnvironmentSecrets(given), KeyringSecrets()])


def secret_variable(name: str) -> str:
    """The environment variable that holds a secret of this name."""
    return "ODOKIT_SECRET_" + re.sub(r"\W+", "_", name).upper()


def how_to_give(name: str) -> str:
    """Say how a secret can be given."""
    return (
        f"Set {secret_variable(name)} in the environment, or keep it in the keyring: "
        f"`odokit secret set {name}`."
    )


def named_secrets(names: Iterable[str], source: Secrets | None = None) -> dict[str, str]:
    """The values of secrets by name, so that a recording knows what to leave out.

    Args:
        names: Their names.
        source: Where to look; the machine's secrets when None.

    Raises:
        ConfigError: One is not known; the message says how to give it.
    """
    source = source or system_secrets()
    values = {name: source.get(name) for name in names}
    for name, value in values.items():
        if value is None:
            raise ConfigError(f"the secret “{name}” is not known here. {how_to_give(name)}")
    return {name: value for name, value in values.items() if value is not None}


def set_secret(name: str, value: str) -> None:
    """Keep a secret in the machine's keyring, under a name.

    Raises:
        ConfigError: The name or the value is empty, or there is no usable keyring.
    """
    if not re.search(r"\w", name) or not value:
        raise ConfigError(f"a secret needs a name and a value; got “{name}” and none.")
    try:
        keyring.set_password(SERVICE, secret_variable(name), value)
        names = sorted({*_read_names(), name})
        keyring.set_password(SERVICE, _INDEX, json.dumps(names))
    except KeyringError as error:
        raise _no_keyring(f"“{name}” was not kept", name, error) from error


def list_secrets() -> list[str]:
    """Names of the secrets in the keyring; never their values.

    Raises:
        ConfigError: There is no usable keyring.
    """
    try:
        return _read_names()
    except KeyringError as error:
        raise _no_keyring("secrets cannot be listed", "NAME", error) from error


def _read_names() -> list[str]:
    names: list[str] = json.loads(keyring.get_password(SERVICE, _INDEX) or "[]")
    return names


def _no_keyring(what: str, name: str, error: KeyringError) -> ConfigError:
    return ConfigError(
        f"{what}: this machine has no keyring that can be used ({type(error).__name__}). Without a "
        "desktop there often is none: unlock or install one (Secret Service, KWallet, macOS "
        f"Keychain, Windows Credential Locker), or set {secret_variable(name)} in the environment."
    )
