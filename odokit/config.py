"""Settings of a workspace: where things live and which browser and model to use.

Nothing happens on import; a caller asks for `Settings.load()`. Values come, later winning, from the
defaults below, from `odokit.toml` in the project root, and from `ODOKIT_*` environment variables.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import platformdirs

from odokit.errors import ConfigError

POLICIES = ("offline", "cascade", "paper")
SECRET_RULES = ("token", "card", "email")
"""Rules that tell a secret by its looks; passwords are always redacted."""
DEFAULT_SECRET_RULES = ("token", "card")


@dataclass(frozen=True)
class Settings:
    """The settings every entry point shares.

    Attributes:
        root: Project root; every relative path below is resolved against it.
        store: The workspace's DuckDB file.
        reports: Folder that receives one sub-folder a run.
        data: Folder of raw recordings, task files and test-bed seeds.
        cache: Folder for test-bed installations, outside the work tree.
        browser: Path of a Chromium to use before any other, or None.
        uploads: The one folder from which tasks may upload files; None: they may upload none.
        policy: Which deciders may answer: `offline`, `cascade` or `paper`.
        llm_model: Model name sent to the endpoint.
        llm_base_url: OpenAI-compatible endpoint, or None for the client's own default.
        redaction_rules: Rules that redact by looks, separated by commas; of `SECRET_RULES`.
        url_patterns: What varies in an application's addresses: the tables `[[url_patterns]]` of
            `odokit.toml`, read by `urls.read_patterns`.
    """

    root: Path
    store: Path
    reports: Path
    data: Path
    cache: Path
    browser: Path | None = None
    uploads: Path | None = None
    policy: str = "offline"
    llm_model: str = "gpt-5.4-mini"
    llm_base_url: str | None = None
    url_patterns: tuple[Mapping[str, str], ...] = ()
    redaction_rules: str = ",".join(DEFAULT_SECRET_RULES)

    @property
    def redaction(self) -> tuple[str, ...]:
        """The rules of `redaction_rules`, one by one."""
        return tuple(rule.strip() for rule in self.redaction_rules.split(",") if rule.strip())

    @classmethod
    def load(cls, root: Path | None = None, env: Mapping[str, str] | None = None) -> Settings:
        """Load the settings of the project that holds the working folder.

        Args:
            root: Project root; found by walking up from the working folder when None.
            env: Environment to read; the process's own when None.

        Raises:
            ConfigError: `odokit.toml` is not TOML, or a setting is unknown or has a bad value.
        """
        env = os.environ if env is None else env
        root = (root or find_root(env)).resolve()
        values: dict[str, object] = {
            "store": "data/processed/odokit.duckdb",
            "reports": "reports",
            "data": "data",
            "cache": platformdirs.user_cache_dir("odokit"),
        }
        values.update(_read_toml(root / "odokit.toml"))
        values.update(_read_env(env))
        if env.get("OPENAI_BASE_URL"):
            values.setdefault("llm_base_url", env["OPENAI_BASE_URL"])
        return cls(root=root, **_typed(root, values))  # type: ignore[arg-type]


def find_root(env: Mapping[str, str]) -> Path:
    """Find the project root: `ODOKIT_ROOT`, else the nearest folder up with our marker files."""
    if env.get("ODOKIT_ROOT"):
        return Path(env["ODOKIT_ROOT"])
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "odokit.toml").exists() or (folder / "odokit" / "config.py").exists():
            return folder
    return here


def _names() -> set[str]:
    return {f.name for f in fields(Settings)} - {"root"}


def _read_toml(path: Path) -> dict[str, object]:
    if not path.exists():
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}. Mend the line it names.") from error
    unknown = sorted(set(values) - _names())
    if unknown:
        raise ConfigError(
            f"{path}: unknown setting {', '.join(unknown)}. "
            f"Known are {', '.join(sorted(_names()))}."
        )
    return values


def _read_env(env: Mapping[str, str]) -> dict[str, object]:
    prefix = "ODOKIT_"
    known = {prefix + name.upper(): name for name in _names()}
    return {known[key]: value for key, value in env.items() if key in known and value}


def _typed(root: Path, values: dict[str, object]) -> dict[str, object]:
    typed: dict[str, object] = {}
    for name, value in values.items():
        if name == "url_patterns":
            typed[name] = _tables(name, value)
            continue
        if not isinstance(value, str):
            raise ConfigError(f"setting {name} must be text, got {value!r}.")
        is_path = name in {"store", "reports", "data", "cache", "browser", "uploads"}
        typed[name] = root / Path(value).expanduser() if is_path else value
    policy = typed.get("policy", "offline")
    if policy not in POLICIES:
        raise ConfigError(f"policy {policy!r} is unknown; choose one of {', '.join(POLICIES)}.")
    rules = {rule.strip() for rule in str(typed.get("redaction_rules", "")).split(",")} - {""}
    if rules - set(SECRET_RULES):
        raise ConfigError(
            f"redaction_rules names {', '.join(sorted(rules - set(SECRET_RULES)))}; "
            f"there are {', '.join(SECRET_RULES)}."
        )
    return typed


def _tables(name: str, value: object) -> tuple[dict[str, str], ...]:
    """The tables of a setting that is a list of tables of texts."""
    tables = value if isinstance(value, list) else [None]
    for number, table in enumerate(tables, start=1):
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise ConfigError(
                f"setting {name}, table {number}: write [[{name}]] and below it lines like "
                f'field = "text"; got {table or value!r}.'
            )
    return tuple(tables)
