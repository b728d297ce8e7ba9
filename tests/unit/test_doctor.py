"""Every fault the doctor looks for is seen, named, and given a cure."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import subprocess
import sys
from collections import namedtuple
from importlib import metadata
from pathlib import Path

import duckdb
import pytest
from packaging.requirements import Requirement

from odokit import doctor
from odokit.config import Settings
from odokit.doctor import Check, examine
from odokit.errors import BrowserError


def the(checks: list[Check], name: str) -> Check:
    """The check of a name, and only one."""
    (found,) = [check for check in checks if check.name == name]
    return found


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare a test that is not about it the start of a browser."""

    def find_none(settings: Settings) -> None:
        raise BrowserError("no Chromium found")

    monkeypatch.setattr(doctor, "find_chromium", find_none)


@pytest.mark.browser
def test_a_whole_set_up_passes_every_check(settings: Settings) -> None:
    checks = examine(settings, env={})
    assert [check for check in checks if not check.is_ok] == []
    assert all(check.detail and not check.cure for check in checks)
    names = [check.name for check in checks]
    assert names[:4] == ["Python", "packages", "browser found", "browser launches"]
    assert len(names) == len(set(names))


@pytest.mark.browser
async def test_it_works_where_an_event_loop_runs(settings: Settings) -> None:
    assert the(examine(settings, env={}), "browser launches").is_ok


@pytest.mark.usefixtures("no_browser")
def test_a_missing_browser_is_told_and_not_launched(settings: Settings) -> None:
    checks = examine(settings, env={})
    found = the(checks, "browser found")
    assert (found.is_ok, found.detail) == (False, "no Chromium found")
    assert "make browser" in found.cure
    assert "browser launches" not in [check.name for check in checks]


@pytest.mark.browser
def test_a_browser_that_hangs_is_given_up(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(settings: Settings) -> str:
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()
        return ""

    monkeypatch.setattr(doctor, "_title_of_a_page", hang)
    launched = the(examine(settings, env={}), "browser launches")
    assert not launched.is_ok
    assert "not within 60 s" in launched.detail


@pytest.mark.usefixtures("no_browser")
def test_an_old_python_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "MIN_PYTHON", (sys.version_info[0], sys.version_info[1] + 1))
    check = the(examine(settings, env={}), "Python")
    assert not check.is_ok
    assert sys.executable in check.detail
    assert f"{sys.version_info[0]}.{sys.version_info[1] + 1}" in check.cure


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize(
    ("requirement", "fault"),
    [
        ("orjson>=999", f"{metadata.version('orjson')} is installed, >=999 is needed"),
        ("no-such-package-as-this>=1", "not installed"),
    ],
)
def test_a_package_that_is_missing_or_too_old_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, requirement: str, fault: str
) -> None:
    wanted = [requirement, "rich>=15.0", 'pytest>=999; extra == "dev"']
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: wanted)
    checks = examine(settings, env={})
    faulty = [check for check in checks if check.name.startswith("package")]
    assert [(c.name, c.detail) for c in faulty] == [
        (f"package {Requirement(requirement).name}", fault)
    ]
    assert "make venv" in faulty[0].cure


@pytest.mark.usefixtures("no_browser")
def test_a_package_that_does_not_import_is_named(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.metadata, "requires", lambda name: ["orjson>=3"])
    monkeypatch.setitem(sys.modules, "orjson", None)
    check = the(examine(settings, env={}), "package orjson")
    assert "does not import" in check.detail


@pytest.mark.usefixtures("no_browser")
def test_a_store_that_is_absent_sound_or_broken(settings: Settings) -> None:
    assert "does not exist yet" in the(examine(settings, env={}), "store").detail
    settings.store.parent.mkdir(parents=True)
    duckdb.connect(str(settings.store)).close()
    assert the(examine(settings, env={}), "store").detail.startswith(str(settings.store))
    settings.store.write_bytes(b"this is no database" * 1000)
    broken = the(examine(settings, env={}), "store")
    assert not broken.is_ok
    assert str(settings.store) in broken.cure


@pytest.mark.usefixtures("no_browser")
def test_a_store_that_is_in_use(settings: Settings) -> None:
    settings.store.parent.mkdir(parents=True)
    with duckdb.connect(str(settings.store)):
        assert "in use by this very process" in the(examine(settings, env={}), "store").detail
    holder = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", holder, settings.store],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        locked = the(examine(settings, env={}), "store")
        process.communicate()
    assert not locked.is_ok
    assert "lock" in locked.detail
    assert "Close the notebook" in locked.cure


@pytest.mark.usefixtures("no_browser")
def test_a_cache_that_cannot_be_written(settings: Settings, tmp_path: Path) -> None:
    assert the(examine(settings, env={}), "cache folder").is_ok
    assert not settings.cache.exists(), "looking makes no folder"
    (tmp_path / "file").write_text("")
    settings = dataclasses.replace(settings, cache=tmp_path / "file")
    check = the(examine(settings, env={}), "cache folder")
    assert not check.is_ok
    assert "ODOKIT_CACHE" in check.cure


@pytest.mark.usefixtures("no_browser")
def test_a_full_disk_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")(2**40, 2**40 - 10**8, 10**8)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    check = the(examine(settings, env={}), "disk space")
    assert (check.is_ok, check.detail) == (False, "0.1 GB free")
    assert "Free 2.1 GB" in check.cure


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize(
    ("policy", "key", "is_ok"),
    [("offline", "", True), ("paper", "", False), ("cascade", "sk-secret", True)],
)
def test_the_language_model_matters_only_to_policies_that_ask_it(
    settings: Settings, policy: str, key: str, is_ok: bool
) -> None:
    settings = dataclasses.replace(
        settings, policy=policy, llm_base_url="http://user:secret@127.0.0.1:9/v1"
    )
    check = the(examine(settings, env={"OPENAI_API_KEY": key}), "language model")
    assert check.is_ok is is_ok
    assert bool(check.cure) is not is_ok
    assert "secret" not in check.detail + check.cure


@pytest.mark.usefixtures("no_browser")
def test_missing_ranks_and_kernel_are_told(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "RANKS", "bpe_openai/data/gone.gz")
    monkeypatch.setattr(doctor, "find_kernel_specs", lambda: {"julia": "/j"})
    checks = examine(settings, env={})
    assert "gone.gz is missing" in the(checks, "token ranks").detail
    assert "julia" in the(checks, "Jupyter kernel").detail
    assert "ipykernel install" in the(checks, "Jupyter kernel").cure
