"""Secrets at run time: from where they come, how one is told to give them, and nothing in clear."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from typer.testing import CliRunner

from odokit.cli import app
from odokit.errors import ConfigError, GuardError, SecretNotFound
from odokit.execute.act import reveal
from odokit.secrets import (
    EnvironmentSecrets,
    KeyringSecrets,
    list_secrets,
    named_secrets,
    secret_variable,
    set_secret,
    system_secrets,
)


class MemoryKeyring(KeyringBackend):
    """A keyring that forgets."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password


@pytest.fixture
def memory() -> Iterator[MemoryKeyring]:
    """A keyring of this test's own."""
    before = keyring.get_keyring()
    keyring.set_keyring(made := MemoryKeyring())
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_keyring() -> Iterator[None]:
    """A machine without a keyring."""
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())
    yield
    keyring.set_keyring(before)


def test_given_values_come_before_the_environment() -> None:
    secrets = EnvironmentSecrets({"password": "a"}, env={"ODOKIT_SECRET_RE_ENTER": "b"})
    assert secrets.get("password") == "a"
    assert secrets.get("re-enter") == "b"
    assert secrets.get("other") is None
    assert secret_variable("re-enter password") == "ODOKIT_SECRET_RE_ENTER_PASSWORD"


def test_the_keyring_comes_last(memory: MemoryKeyring, monkeypatch: pytest.MonkeyPatch) -> None:
    set_secret("shop-key", "from the keyring")
    assert system_secrets().get("shop key") == "from the keyring", "spelt as in a variable"
    monkeypatch.setenv("ODOKIT_SECRET_SHOP_KEY", "from the environment")
    assert system_secrets().get("shop-key") == "from the environment"
    assert system_secrets({"shop-key": "given"}).get("shop-key") == "given"


def test_only_names_are_listed(memory: MemoryKeyring) -> None:
    assert list_secrets() == []
    for name in ("b", "a", "b"):
        set_secret(name, f"value of {name}")
    assert list_secrets() == ["a", "b"]
    index = [v for k, v in memory.entries.items() if not k[1].startswith("ODOKIT")]
    assert index == ['["a", "b"]']


@pytest.mark.parametrize(("name", "value"), [("", "x"), ("-", "x"), ("a", "")])
def test_a_secret_has_a_name_and_a_value(memory: MemoryKeyring, name: str, value: str) -> None:
    with pytest.raises(ConfigError, match="needs a name and a value"):
        set_secret(name, value)
    assert not memory.entries


def test_without_a_keyring_one_is_told_what_to_do(
    no_keyring: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert KeyringSecrets().get("password") is None
    with pytest.raises(ConfigError, match="set ODOKIT_SECRET_PASSWORD in the environment") as error:
        set_secret("password", "hunter2-x")
    with pytest.raises(ConfigError, match="secrets cannot be listed"):
        list_secrets()
    assert "hunter2-x" not in str(error.value) + caplog.text


def test_a_recording_is_told_of_named_secrets(memory: MemoryKeyring) -> None:
    set_secret("pin", "4711")
    assert named_secrets(["pin"]) == {"pin": "4711"}
    with pytest.raises(ConfigError, match=r"“puk” is not known here.*`odokit secret set puk`"):
        named_secrets(["pin", "puk"])


def test_placeholders_are_filled() -> None:
    secrets = EnvironmentSecrets({"a": "1", "b": "2"}, env={})
    text, used = reveal("{{secret:a}}-{{secret:b}}-{{secret:a}}\n", secrets, ["a", "b"])
    assert (text, used) == ("1-2-1\n", {"a": "1", "b": "2"})
    assert reveal("plain", secrets) == ("plain", {})
    with pytest.raises(SecretNotFound, match=r"“c”.*ODOKIT_SECRET_C"):
        reveal("{{secret:c}}", secrets, ["c"])


def test_a_secret_is_not_given_away_to_a_value_from_elsewhere() -> None:
    secrets = EnvironmentSecrets({"password": "hunter2"}, env={})
    with pytest.raises(GuardError, match="not entered here in the demonstration"):
        reveal("{{secret:password}}", secrets, ["pin"])


def test_the_command_keeps_and_lists(memory: MemoryKeyring) -> None:
    run = CliRunner()
    kept = run.invoke(app, ["secret", "set", "shop"], input="s p a c e \n")
    assert (kept.exit_code, kept.output) == (0, "kept in the keyring: shop\n")
    assert KeyringSecrets().get("shop") == "s p a c e "
    listed = run.invoke(app, ["secret", "list"])
    assert (listed.exit_code, listed.output) == (0, "shop\n")
