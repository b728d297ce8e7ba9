"""Run notebooks through papermill into one report folder, with provenance.

A run is `reports/<run_id>/`: the executed copies, their HTML, and `run.json`. Unknown or ill-typed
parameters are refused before anything is written; the originals are never touched.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import papermill
from papermill.exceptions import PapermillExecutionError
from traitlets.config import Config

from odokit import __version__
from odokit.config import Settings
from odokit.errors import StudyError
from odokit.report import export_notebook

logger = logging.getLogger(__name__)

PACKAGES = (
    "duckdb",
    "igraph",
    "jupyterlab",
    "openai",
    "papermill",
    "playwright",
    "plotly",
    "polars",
)
CELL_TIMEOUT_S = 1_800
# Sockets in the file system: no other user can listen in, and the kernel need not warn.
# What a kernel logs about its own start and stop would tear the progress bar.
_KERNEL_CONFIG = Config(
    {
        "KernelManager": {"transport": "ipc"},
        "NotebookClient": {"extra_arguments": ["--IPKernelApp.log_level=CRITICAL"]},
    }
)
TYPES: Mapping[str, type] = {"str": str, "int": int, "float": float, "bool": bool}

Advance = Callable[[str, float], None]


@dataclass
class RunRecord:
    """What `run.json` holds: enough to repeat a run and to compare it.

    Attributes:
        run_id: Name of the run's folder.
        status: `running`, `ok` or `failed`.
        started_at: Aware UTC time, ISO 8601.
        seconds: Wall time.
        notebooks: Names in order.
        parameters: Parameters given, by notebook.
        commit: Git commit of the project, empty outside a checkout.
        is_dirty: Whether the checkout had changes.
        odokit: Version of this package.
        python: Python version.
        packages: Versions of the packages that matter.
        browser: Browser and version, once one was opened.
        model_id: Behaviour model used.
        policy: Policy of the deciders.
        inputs: Content hash of each notebook and recording read.
        n_tasks: Task instances executed.
        n_success: Judged successes.
        n_abstained: Abstentions.
        n_failure: Failures of the agent.
        n_error: Failures of site or harness.
        tokens_prompt: Prompt tokens.
        tokens_completion: Completion tokens.
        error: What went wrong, if anything.
    """

    run_id: str
    status: str = "running"
    started_at: str = ""
    seconds: float = 0.0
    notebooks: list[str] = field(default_factory=list)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    commit: str = ""
    is_dirty: bool = False
    odokit: str = __version__
    python: str = platform.python_version()
    packages: dict[str, str] = field(default_factory=dict)
    browser: str = ""
    model_id: str = ""
    policy: str = ""
    inputs: dict[str, str] = field(default_factory=dict)
    n_tasks: int = 0
    n_success: int = 0
    n_abstained: int = 0
    n_failure: int = 0
    n_error: int = 0
    tokens_prompt: int = 0
    tokens_completion: int = 0
    error: str = ""

    def write(self, folder: Path) -> None:
        """Write `run.json` whole or not at all."""
        partial = folder / "run.json.partial"
        partial.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        partial.replace(folder / "run.json")

    def update(self, **values: Any) -> None:
        """Set several fields."""
        for name, value in values.items():
            setattr(self, name, value)


def new_run_id(label: str, now: datetime | None = None) -> str:
    """A run id that sorts by time: `20261130-134501-label`."""
    now = now or datetime.now(UTC)
    return f"{now:%Y%m%d-%H%M%S}-{label}"


def notebook_paths(settings: Settings) -> list[Path]:
    """All notebooks of the project in their order."""
    return sorted((settings.root / "notebooks").glob("[0-9]*.ipynb"))


def find_notebook(settings: Settings, name: str) -> Path:
    """The notebook of a name such as `03_navmodel` or `navmodel`.

    Raises:
        StudyError: There is none, or several fit.
    """
    wanted = name.removesuffix(".ipynb")
    paths = notebook_paths(settings)
    found = [p for p in paths if wanted in (p.stem, p.stem.split("_", 1)[1], p.stem.split("_")[0])]
    if len(found) != 1:
        known = ", ".join(p.stem for p in paths) or "none"
        raise StudyError(f"there is no notebook '{name}' in {settings.root}; there are {known}.")
    return found[0]


def check_parameters(path: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check parameters against a notebook's parameters cell, and give text values their type.

    Raises:
        StudyError: A parameter is unknown or does not fit its declared type.
    """
    declared = papermill.inspect_notebook(str(path))
    checked: dict[str, Any] = {}
    for name, value in given.items():
        if name not in declared:
            raise StudyError(
                f"{path.name} has no parameter '{name}'. It has "
                f"{', '.join(sorted(declared)) or 'none'}; nothing was run."
            )
        kind = declared[name]["inferred_type_name"].split("|")[0].strip()
        checked[name] = _typed(path, name, value, kind)
    return checked


def _typed(path: Path, name: str, value: Any, kind: str) -> Any:
    wanted = TYPES.get(kind)
    if wanted is None or type(value) is wanted:
        return value
    text = str(value).strip()
    if wanted is bool and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if wanted in (int, float) and not isinstance(value, bool):
        try:
            number = wanted(text)
            if math.isfinite(number):
                return number
        except ValueError:
            pass  # told below, with the name of the notebook
    if wanted is str:
        return text
    raise StudyError(
        f"{path.name}, parameter '{name}': {value!r} is not of type {kind}; nothing was run."
    )


def run_notebooks(
    settings: Settings,
    names: Sequence[str],
    parameters: Mapping[str, Any] | None = None,
    *,
    label: str = "run",
    run_id: str | None = None,
    advance: Advance = lambda _, __: None,
) -> Path:
    """Execute notebooks in order into a new report folder.

    A parameter goes to every notebook that declares it; one that none declares is refused. Each
    notebook that declares `run_id` is told it.

    Args:
        settings: The project.
        names: Notebooks, in order of execution.
        parameters: Values by parameter name.
        label: Last part of the run id.
        run_id: Name of the folder; made from time and label when None.
        advance: Told each notebook's name and the fraction done, from 0 to 1.

    Returns:
        The report folder.

    Raises:
        StudyError: A parameter is refused (nothing is written), or a notebook failed; then its
            executed copy up to the error and `run.json` are kept.
    """
    paths = [find_notebook(settings, name) for name in names]
    given = _distribute(paths, dict(parameters or {}))
    run_id = run_id or new_run_id(label)
    folder = settings.reports / run_id
    record = _new_record(settings, run_id, paths, given)
    folder.mkdir(parents=True, exist_ok=True)
    record.write(folder)
    began = time.monotonic()
    try:
        for i, path in enumerate(paths):
            advance(path.stem, i / len(paths))
            _execute(settings, path, folder, given[path.stem], run_id)
        record.status = "ok"
    except StudyError as error:
        record.update(status="failed", error=str(error))
        raise
    finally:
        facts = folder / "facts.json"
        if facts.exists():
            record.update(**json.loads(facts.read_text(encoding="utf-8")))
            facts.unlink()
        record.seconds = round(time.monotonic() - began, 1)
        record.write(folder)
    advance("done", 1.0)
    return folder


def note_facts(settings: Settings, run_id: str, **facts: Any) -> None:
    """Add facts found inside a notebook (counts, model, browser) to the run's `run.json`.

    Does nothing when the notebook is stepped through by hand, without a run folder.
    """
    folder = settings.reports / run_id
    if not run_id or not folder.exists():
        return
    path = folder / "facts.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps({**known, **facts}), encoding="utf-8")


def _distribute(paths: Sequence[Path], given: dict[str, Any]) -> dict[str, dict[str, Any]]:
    declared = {path.stem: papermill.inspect_notebook(str(path)) for path in paths}
    unknown = [name for name in given if not any(name in d for d in declared.values())]
    if unknown:
        known = sorted({name for d in declared.values() for name in d})
        raise StudyError(
            f"no notebook of this run has a parameter '{unknown[0]}'. Known are "
            f"{', '.join(known)}; nothing was run."
        )
    return {
        path.stem: check_parameters(
            path, {n: v for n, v in given.items() if n in declared[path.stem]}
        )
        for path in paths
    }


def _execute(
    settings: Settings, path: Path, folder: Path, parameters: dict[str, Any], run_id: str
) -> None:
    if "run_id" in papermill.inspect_notebook(str(path)):
        parameters = {**parameters, "run_id": run_id}
    copy = folder / path.name
    # The kernel finds the project by this, wherever the caller's working folder is.
    os.environ["ODOKIT_ROOT"] = str(settings.root)
    # Figures stay data in the copies; the export draws them.
    os.environ["PLOTLY_RENDERER"] = "plotly_mimetype"
    try:
        papermill.execute_notebook(
            str(path),
            str(copy),
            parameters=parameters,
            cwd=str(settings.root),
            kernel_name=None,
            progress_bar=False,
            execution_timeout=CELL_TIMEOUT_S,
            request_save_on_cell_execute=False,
            config=_KERNEL_CONFIG,
        )
    except PapermillExecutionError as error:
        raise StudyError(
            f"{path.name} failed in cell {error.exec_count}: {error.ename}: {error.evalue} "
            f"The copy up to there is {copy}."
        ) from error
    finally:
        if copy.exists():
            export_notebook(copy)


def _new_record(
    settings: Settings, run_id: str, paths: Sequence[Path], given: Mapping[str, dict[str, Any]]
) -> RunRecord:
    commit = _git(settings.root, "rev-parse", "HEAD")
    return RunRecord(
        run_id=run_id,
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        notebooks=[p.stem for p in paths],
        parameters=dict(given),
        commit=commit,
        is_dirty=bool(_git(settings.root, "status", "--porcelain")) if commit else False,
        packages={name: metadata.version(name) for name in PACKAGES},
        inputs=_hashes(settings.root, paths),
    )


def _hashes(root: Path, paths: Iterable[Path]) -> dict[str, str]:
    recordings = (root / "data" / "testbeds").glob("*/demonstrations/*.jsonl.zst")
    return {
        str(path.relative_to(root)): hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
        for path in [*paths, *sorted(recordings)]
    }


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
