"""Settings come from defaults, odokit.toml and the environment, later winning."""

from __future__ import annotations

from pathlib import Path

import pytest

from odokit.config import Settings, find_root
from odokit.errors import ConfigError


def test_defaults_lie_under_the_root_and_the_cache_does_not(tmp_path: Path) -> None:
    settings = Settings.load(tmp_path, env={})
    assert settings.root == tmp_path
    assert settings.store == tmp_path / "data/processed/odokit.duckdb"
    assert settings.reports == tmp_path / "reports"
    assert settings.data == tmp_path / "data"
    assert not settings.cache.is_relative_to(tmp_path)
    assert settings.browser is None
    assert settings.policy == "offline"


def test_the_environment_wins_over_the_file_and_the_file_over_the_defaults(tmp_path: Path) -> None:
    toml = 'policy = "cascade"\nllm_model = "from-file"\nreports = "elsewhere"\n'
    (tmp_path / "odokit.toml").write_text(toml)
    settings = Settings.load(tmp_path, env={"ODOKIT_LLM_MODEL": "from-env", "UNRELATED": "x"})
    assert settings.llm_model == "from-env"
    assert settings.policy == "cascade"
    assert settings.reports == tmp_path / "elsewhere"


def test_url_patterns_are_tables_of_the_file(tmp_path: Path) -> None:
    assert Settings.load(tmp_path, env={}).url_patterns == ()
    (tmp_path / "odokit.toml").write_text('[[url_patterns]]\nbefore = "/a"\nsegment = ".+"\n')
    assert Settings.load(tmp_path, env={}).url_patterns == ({"before": "/a", "segment": ".+"},)


def test_an_empty_variable_counts_as_unset(tmp_path: Path) -> None:
    assert Settings.load(tmp_path, env={"ODOKIT_POLICY": ""}).policy == "offline"


def test_absolute_and_home_paths_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    env = {"ODOKIT_STORE": str(tmp_path / "a.duckdb"), "ODOKIT_CACHE": "~/cache"}
    settings = Settings.load(tmp_path / "project", env)
    assert settings.store == tmp_path / "a.duckdb"
    assert settings.cache == tmp_path / "home" / "cache"


def test_the_openai_address_is_taken_unless_odokit_has_its_own(tmp_path: Path) -> None:
    env = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
    assert Settings.load(tmp_path, env).llm_base_url == "http://127.0.0.1:1/v1"
    env["ODOKIT_LLM_BASE_URL"] = "http://127.0.0.1:2/v1"
    assert Settings.load(tmp_path, env).llm_base_url == "http://127.0.0.1:2/v1"


@pytest.mark.parametrize(
    ("toml", "parts"),
    [
        ("policy = \nroot = 1", ["odokit.toml", "not valid TOML", "line 1"]),
        ('polcy = "offline"', ["odokit.toml", "polcy", "Known are", "policy"]),
        ("policy = 3", ["policy", "text", "3"]),
        ('url_patterns = "x"', ["url_patterns, table 1", "[[url_patterns]]"]),
        ("[[url_patterns]]\nbefore = 3", ["url_patterns, table 1", "3"]),
        ('policy = "clever"', ["clever", "offline, cascade, paper"]),
    ],
)
def test_a_bad_setting_is_named_with_its_cure(tmp_path: Path, toml: str, parts: list[str]) -> None:
    (tmp_path / "odokit.toml").write_text(toml)
    with pytest.raises(ConfigError) as caught:
        Settings.load(tmp_path, env={})
    assert all(part in str(caught.value) for part in parts), str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_root_is_found_from_a_folder_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odokit.toml").write_text("")
    below = tmp_path / "notebooks" / "deep"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert find_root({}) == tmp_path
    assert find_root({"ODOKIT_ROOT": "/elsewhere"}) == Path("/elsewhere")


def test_rules_of_redaction_can_be_chosen(tmp_path: Path) -> None:
    assert Settings.load(tmp_path, env={}).redaction == ("token", "card")
    (tmp_path / "odokit.toml").write_text('redaction_rules = "card, email"')
    assert Settings.load(tmp_path, env={}).redaction == ("card", "email")
    assert Settings.load(tmp_path, env={"ODOKIT_REDACTION_RULES": " , "}).redaction == ()
    with pytest.raises(ConfigError, match="redaction_rules names cards; there are token, card"):
        Settings.load(tmp_path, env={"ODOKIT_REDACTION_RULES": "cards"})


def test_a_secret_in_the_environment_is_no_setting(tmp_path: Path) -> None:
    secret = {"ODOKIT_SECRET_RULES": "hunter2", "ODOKIT_SECRET_PASSWORD": "hunter3"}
    assert "hunter" not in repr(Settings.load(tmp_path, env=secret))
