"""Examine whether this machine has what odokit needs, and say what mends it.

Pure data: the command line prints the checks. Nothing is installed or changed.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit

import duckdb
from jupyter_client.kernelspec import find_kernel_specs
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from odokit.browser import find_chromium, open_browser
from odokit.config import Settings
from odokit.errors import BrowserError

LAUNCH_LIMIT_S = 60.0
MIN_PYTHON = (3, 11)
MIN_FREE_BYTES = 2 * 1024**3  # Kolibri's installation takes 0.4 GB, a study's snapshots the rest
INSTALL = "Run `make venv`, or `pip install -c constraints.txt -e .`."
RANKS = "bpe_openai/data/o200k_base.tiktoken.gz"


@dataclass(frozen=True)
class Check:
    """One thing looked at.

    Attributes:
        name: What was looked at.
        is_ok: Whether odokit can work with what was found.
        detail: What was found.
        cure: The command or step that mends it; empty when all is well.
    """

    name: str
    is_ok: bool
    detail: str
    cure: str = ""


def examine(settings: Settings, env: Mapping[str, str] | None = None) -> list[Check]:
    """Examine the machine and the workspace.

    Takes about 5 s, most of it for importing every dependency and starting the browser.

    Args:
        settings: The workspace to examine.
        env: Environment to read; the process's own when None.

    Returns:
        The checks in the order a user should mend them.
    """
    env = os.environ if env is None else env
    return [
        _check_python(),
        *_check_packages(),
        *_check_browser(settings),
        _check_kernel(),
        _check_token_ranks(),
        _check_store(settings.store),
        _check_cache(settings.cache),
        _check_disk(settings.cache),
        _check_llm(settings, env),
    ]


def _check_python() -> Check:
    found = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, MIN_PYTHON))
    is_ok = sys.version_info[:2] >= MIN_PYTHON
    detail = f"{found} at {sys.executable}"
    return Check("Python", is_ok, detail, "" if is_ok else f"Install Python {wanted} or later.")


def _check_packages() -> Iterator[Check]:
    """One check for each package that is not as pyproject.toml wants it, or one for all."""
    try:
        lines = metadata.requires("odokit") or []
    except metadata.PackageNotFoundError:
        yield Check("packages", False, "odokit itself is not installed", INSTALL)
        return
    core = [r for r in map(Requirement, lines) if r.marker is None or r.marker.evaluate()]
    modules = _modules_by_distribution()
    faults = [(r, fault) for r in core if (fault := _package_fault(r, modules))]
    for requirement, fault in faults:
        yield Check(f"package {requirement.name}", False, fault, INSTALL)
    if not faults:
        yield Check("packages", True, f"all {len(core)} are importable and recent enough")


def _modules_by_distribution() -> dict[str, list[str]]:
    """Top-level modules of each installed distribution, the public and shortest first."""
    modules: dict[str, list[str]] = {}
    for module, distributions in metadata.packages_distributions().items():
        for name in distributions:
            modules.setdefault(canonicalize_name(name), []).append(module)
    return {
        name: sorted(found, key=lambda m: (m.startswith("_"), len(m)))
        for name, found in modules.items()
    }


def _package_fault(requirement: Requirement, modules: Mapping[str, list[str]]) -> str | None:
    """What is wrong with an installed package; None when nothing is."""
    name = requirement.name
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"
    if not requirement.specifier.contains(version, prereleases=True):
        return f"{version} is installed, {requirement.specifier} is needed"
    module = next(iter(modules.get(canonicalize_name(name), ())), name)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a package's deprecations are not the user's fault
            importlib.import_module(module)
    except (ImportError, OSError) as error:
        return f"{version} is installed, but does not import: {error}"
    return None


def _check_browser(settings: Settings) -> Iterator[Check]:
    try:
        choice = find_chromium(settings)
    except BrowserError as error:
        yield Check("browser found", False, str(error), "Run `make browser`.")
        return
    detail = f"{choice.version} at {choice.path} (from {choice.source})"
    yield Check("browser found", True, detail)
    cure = "Start it by hand to see why, or install another with `make browser`."
    try:
        # A thread, because a notebook's own thread already runs an event loop.
        with ThreadPoolExecutor(1) as executor:
            title = executor.submit(asyncio.run, _title_of_a_page(settings)).result()
    except BrowserError as error:
        yield Check("browser launches", False, str(error), cure)
    except TimeoutError:
        yield Check("browser launches", False, f"not within {LAUNCH_LIMIT_S:.0f} s", cure)
    else:
        is_ok = title == "odokit"
        detail = "a page was loaded and read" if is_ok else f"a page's title reads {title!r}"
        yield Check("browser launches", is_ok, detail, "" if is_ok else cure)


async def _title_of_a_page(settings: Settings) -> str:
    async with asyncio.timeout(LAUNCH_LIMIT_S), open_browser(settings) as browser:
        page = await browser.new_page()
        await page.set_content("<title>odokit</title>")
        return await page.title()


def _check_kernel() -> Check:
    kernels = find_kernel_specs()
    is_ok = "python3" in kernels
    detail = f"python3 at {kernels['python3']}" if is_ok else f"no python3 among {sorted(kernels)}"
    cure = "" if is_ok else "Run `python -m ipykernel install --sys-prefix --name python3`."
    return Check("Jupyter kernel", is_ok, detail, cure)


def _check_token_ranks() -> Check:
    name = "token ranks"
    try:
        path = Path(str(metadata.distribution("bpe-openai").locate_file(RANKS)))
    except metadata.PackageNotFoundError:
        return Check(name, False, "the package bpe-openai, which carries them, is missing", INSTALL)
    if not path.is_file():
        cure = "Run `pip install --force-reinstall bpe-openai`."
        return Check(name, False, f"{path} is missing", cure)
    return Check(name, True, "o200k_base is on disk, so tokens are counted without a network")


def _check_store(path: Path) -> Check:
    name = "store"
    if not path.exists():
        return Check(name, True, f"{path} does not exist yet; it is created when first needed")
    try:
        with duckdb.connect(str(path), read_only=True):
            return Check(name, True, f"{path}, {path.stat().st_size / 1e6:.1f} MB")
    except duckdb.IOException as error:
        cause = str(error).splitlines()[0]
        if "lock" in cause.lower():
            return Check(name, False, cause, "Close the notebook or process that has it open.")
        return Check(name, False, cause, f"Restore {path}, or move it away and ingest again.")
    except duckdb.ConnectionException:
        return Check(name, True, f"{path} is in use by this very process")
    except duckdb.Error as error:
        cause = str(error).splitlines()[0]
        return Check(name, False, cause, f"Move {path} away and ingest the recordings again.")


def _check_cache(path: Path) -> Check:
    cure = "Make it writable, or set ODOKIT_CACHE to a folder that is."
    try:
        with tempfile.TemporaryDirectory(dir=_existing(path)):
            return Check("cache folder", True, f"{path} is writable")
    except OSError as error:
        return Check("cache folder", False, f"{path} is not writable: {error.strerror}", cure)


def _check_disk(path: Path) -> Check:
    free = shutil.disk_usage(_existing(path)).free
    is_ok = free >= MIN_FREE_BYTES
    cure = f"Free {MIN_FREE_BYTES / 1e9:.1f} GB, or set ODOKIT_CACHE to a larger disk."
    return Check("disk space", is_ok, f"{free / 1e9:.1f} GB free", "" if is_ok else cure)


def _existing(path: Path) -> Path:
    """The path, or the nearest folder above that exists."""
    return next(p for p in (path, *path.parents) if os.access(p, os.F_OK))


def _check_llm(settings: Settings, env: Mapping[str, str]) -> Check:
    name = "language model"
    if env.get("OPENAI_API_KEY"):
        # The host alone: an address may carry a user name and a password.
        host = urlsplit(settings.llm_base_url or "").hostname or "the client's own endpoint"
        return Check(name, True, f"a key is set; {settings.llm_model} at {host}")
    if settings.policy == "offline":
        return Check(name, True, "no key is set; the policy offline needs none")
    cure = "Set OPENAI_API_KEY (and OPENAI_BASE_URL), or ODOKIT_POLICY=offline."
    return Check(name, False, f"no key is set, and the policy {settings.policy} needs one", cure)
