"""Bring an application into the cache folder in phases, each trusted only when it came to its end.

A phase writes its marker file last; the marker holds what the phase depended on. A phase whose
marker is missing or out of date is done again from nothing.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odokit.errors import TestBedError

INSTALL_LIMIT_S = 1200


@dataclass(frozen=True)
class Phases:
    """The phases of one application.

    Attributes:
        root: The application's folder; markers and logs lie in it.
        lock: Descriptor that every command inherits, so that a second installer waits for a first
            one that was killed; None when nothing will be run.
    """

    root: Path
    lock: int | None = None

    def marker(self, phase: str) -> str | None:
        """What the phase depended on when it last came to its end, or None."""
        path = self.root / f"{phase}.marker"
        return path.read_text(encoding="utf-8") if path.exists() else None

    def finish(self, phase: str, content: str) -> None:
        """Note that a phase came to its end.

        Args:
            phase: Its name.
            content: What it depended on, such as a version or a hash.
        """
        partial = self.root / f"{phase}.partial"
        partial.write_text(content, encoding="utf-8")
        partial.replace(self.root / f"{phase}.marker")

    def begin(self, phase: str) -> None:
        """Distrust a phase until it has come to its end again."""
        self.root.mkdir(parents=True, exist_ok=True)
        (self.root / f"{phase}.marker").unlink(missing_ok=True)

    def run(
        self,
        phase: str,
        argv: Sequence[str],
        limit_s: float,
        *,
        advice: str,
        env: Mapping[str, str] | None = None,
        text: str = "",
    ) -> None:
        """Run one command of a phase; its output is added to the phase's log.

        Args:
            phase: Names the log, `<phase>.log`.
            argv: The command.
            limit_s: When to give up, in seconds.
            advice: What a person should do when it fails.
            env: Environment; our own when None.
            text: Standard input.

        Raises:
            TestBedError: It failed or took too long; the message names the log.
        """
        log_file, what = self.root / f"{phase}.log", " ".join(argv[:4])
        try:
            with log_file.open("a", encoding="utf-8") as log:
                done = subprocess.run(
                    argv,
                    input=text,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env=env,
                    pass_fds=() if self.lock is None else (self.lock,),
                    timeout=limit_s,
                    text=True,
                    check=False,
                )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise TestBedError(f"`{what}` failed: {error}. Read {log_file}. {advice}") from error
        if done.returncode:
            lines = log_file.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise TestBedError(
                f"`{what}` ended with code {done.returncode}: {' '.join(lines[-1:])} "
                f"Read {log_file}. {advice}"
            )

    def install_packages(self, phase: str, venv: Path, packages: Iterable[str]) -> None:
        """Install Python packages into a fresh environment of their own.

        Args:
            phase: Names the log.
            venv: Folder of an environment that does not exist yet.
            packages: Requirements, such as `kolibri==0.19.5`.

        Raises:
            TestBedError: The environment or a package could not be installed.
        """
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install"]
        pip += ["--disable-pip-version-check", "--no-input", *packages]
        for argv in ([sys.executable, "-m", "venv", str(venv)], pip):
            self.run(phase, argv, INSTALL_LIMIT_S, advice="Check the network and try again.")


def fingerprint(version: str, paths: Iterable[Path]) -> str:
    """Hash of a version and of files that a phase depends on.

    Raises:
        TestBedError: A file cannot be read.
    """
    digest = hashlib.sha256(version.encode())
    for path in paths:
        try:
            digest.update(path.read_bytes())
        except OSError as error:
            raise TestBedError(f"{path} cannot be read: {error.strerror}.") from error
    return digest.hexdigest()
