"""Install and provision Kolibri in the cache folder; each phase is trusted only when it finished.

A marker file is written last in each phase and holds what the phase depended on. A phase whose
marker is missing or out of date is done again from nothing.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from odokit.errors import TestBedError

VERSION = "0.19.5"
INSIDE = Path(__file__).parent / "inside"
INSTALL_LIMIT_S = 1200
PROVISION_LIMIT_S = 600


@dataclass(frozen=True)
class Folders:
    """Where one Kolibri lives.

    Attributes:
        root: Everything below belongs to it.
    """

    root: Path

    @property
    def venv(self) -> Path:
        """Kolibri's own Python environment."""
        return self.root / "venv"

    @property
    def home(self) -> Path:
        """Kolibri's data folder."""
        return self.root / "home"

    @property
    def gold(self) -> Path:
        """Copies of the databases to reset to."""
        return self.root / "gold"

    @property
    def sessions(self) -> Path:
        """Stored browser sessions."""
        return self.root / "sessions"

    @property
    def kolibri(self) -> Path:
        """Kolibri's command."""
        return self.venv / "bin" / "kolibri"

    def caches(self) -> list[Path]:
        """The SQLite files in which Kolibri's processes share what they computed."""
        return sorted(self.home.glob("process_cache/*/cache.db"))

    def databases(self) -> list[Path]:
        """The SQLite files that hold Kolibri's state, the main one first."""
        found = sorted(self.home.glob("*.sqlite3"))
        return sorted(found, key=lambda path: path.name != "db.sqlite3")


def environment(folders: Folders, port: int) -> dict[str, str]:
    """Environment for every Kolibri process: loopback only, no telemetry, no discovery."""
    own = {
        "KOLIBRI_HOME": str(folders.home),
        "KOLIBRI_LISTEN_ADDRESS": "127.0.0.1",
        "KOLIBRI_HTTP_PORT": str(port),
        "KOLIBRI_ZIP_CONTENT_PORT": str(port + 1),
        "KOLIBRI_ZEROCONF_ENABLED": "False",
        "KOLIBRI_DISABLE_PING": "True",
        "KOLIBRI_NO_FILE_BASED_LOGGING": "True",
        "KOLIBRI_DISABLE_REQUEST_LOGGING": "True",
        "DJANGO_SETTINGS_MODULE": "long_sessions",
        "PYTHONPATH": str(INSIDE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return {**os.environ, **own}


def is_installed(folders: Folders) -> bool:
    """Whether this version was installed to the end."""
    return _marker(folders, "installed") == VERSION


def install(folders: Folders, lock: int) -> None:
    """Install Kolibri into a fresh environment of its own.

    Args:
        folders: Where to.
        lock: Descriptor that the installer inherits, so that a second one waits for it.

    Raises:
        TestBedError: The environment or the package could not be installed.
    """
    _forget(folders, "installed")
    shutil.rmtree(folders.venv, ignore_errors=True)
    folders.root.mkdir(parents=True, exist_ok=True)
    log_file = folders.root / "install.log"
    pip = [str(folders.venv / "bin" / "python"), "-m", "pip", "install"]
    pip += ["--disable-pip-version-check", "--no-input", f"kolibri=={VERSION}"]
    for argv in ([sys.executable, "-m", "venv", str(folders.venv)], pip):
        _run(argv, log_file, INSTALL_LIMIT_S, lock=lock, advice="Check the network and try again.")
    _mark(folders, "installed", VERSION)


def is_provisioned(folders: Folders, school: str) -> bool:
    """Whether this school is in place, with its gold copy."""
    return is_installed(folders) and _marker(folders, "provisioned") == fingerprint(school)


def provision(
    folders: Folders, school: str, port: int, passwords: Mapping[str, str], lock: int
) -> None:
    """Make Kolibri's databases anew for a school; the gold copy and the marker come later.

    Args:
        folders: Where to.
        school: What to provision, as JSON.
        port: Where the server will listen.
        passwords: Passwords by role.
        lock: Descriptor that the provisioner inherits.

    Raises:
        TestBedError: Kolibri refused the school.
    """
    _forget(folders, "provisioned")
    for folder in (folders.home, folders.gold, folders.sessions):
        shutil.rmtree(folder, ignore_errors=True)
    script = "from provision import main; main()"
    _run(
        [str(folders.kolibri), "manage", "shell", "--", "-c", script],
        folders.root / "provision.log",
        PROVISION_LIMIT_S,
        lock=lock,
        env=environment(folders, port),
        text=json.dumps({**json.loads(school), "passwords": dict(passwords)}),
        advice="Mend the seed file if the log complains of it.",
    )


def mark_provisioned(folders: Folders, school: str) -> None:
    """Note that provisioning and the gold copy are complete."""
    _mark(folders, "provisioned", fingerprint(school))


def fingerprint(school: str) -> str:
    """Hash of all that a provisioned school depends on."""
    digest = hashlib.sha256(f"{VERSION} {school}".encode())
    for path in sorted(INSIDE.glob("*.py")):
        try:
            digest.update(path.read_bytes())
        except OSError as error:
            raise TestBedError(f"{path} cannot be read: {error.strerror}.") from error
    return digest.hexdigest()


def _run(
    argv: Sequence[str],
    log_file: Path,
    limit_s: float,
    *,
    lock: int,
    advice: str,
    env: Mapping[str, str] | None = None,
    text: str = "",
) -> None:
    what = " ".join(argv[:4])
    try:
        with log_file.open("a", encoding="utf-8") as log:
            done = subprocess.run(
                argv,
                input=text,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=env,
                pass_fds=(lock,),
                timeout=limit_s,
                text=True,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TestBedError(f"`{what}` failed: {error}. Read {log_file}. {advice}") from error
    if done.returncode:
        last = log_file.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
        raise TestBedError(
            f"`{what}` ended with code {done.returncode}: {' '.join(last)} "
            f"Read {log_file}. {advice}"
        )


def _marker(folders: Folders, phase: str) -> str | None:
    path = folders.root / f"{phase}.marker"
    return path.read_text(encoding="utf-8") if path.exists() else None


def _mark(folders: Folders, phase: str, content: str) -> None:
    partial = folders.root / f"{phase}.partial"
    partial.write_text(content, encoding="utf-8")
    partial.replace(folders.root / f"{phase}.marker")


def _forget(folders: Folders, phase: str) -> None:
    (folders.root / f"{phase}.marker").unlink(missing_ok=True)
