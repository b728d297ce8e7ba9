"""Install and provision Kolibri in the cache folder; each phase is trusted only when it finished.

A marker file is written last in each phase and holds what the phase depended on. A phase whose
marker is missing or out of date is done again from nothing.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from odokit.testbeds.phases import Phases, fingerprint

VERSION = "0.19.5"
INSIDE = Path(__file__).parent / "inside"
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
    return Phases(folders.root).marker("installed") == VERSION


def install(folders: Folders, lock: int) -> None:
    """Install Kolibri into a fresh environment of its own.

    Args:
        folders: Where to.
        lock: Descriptor that the installer inherits, so that a second one waits for it.

    Raises:
        TestBedError: The environment or the package could not be installed.
    """
    phases = Phases(folders.root, lock)
    phases.begin("installed")
    shutil.rmtree(folders.venv, ignore_errors=True)
    phases.install_packages("install", folders.venv, [f"kolibri=={VERSION}"])
    phases.finish("installed", VERSION)


def is_provisioned(folders: Folders, school: str) -> bool:
    """Whether this school is in place, with its gold copy."""
    marker = Phases(folders.root).marker("provisioned")
    return is_installed(folders) and marker == _depends_on(school)


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
    phases = Phases(folders.root, lock)
    phases.begin("provisioned")
    for folder in (folders.home, folders.gold, folders.sessions):
        shutil.rmtree(folder, ignore_errors=True)
    script = "from provision import main; main()"
    phases.run(
        "provision",
        [str(folders.kolibri), "manage", "shell", "--", "-c", script],
        PROVISION_LIMIT_S,
        env=environment(folders, port),
        text=json.dumps({**json.loads(school), "passwords": dict(passwords)}),
        advice="Mend the seed file if the log complains of it.",
    )


def mark_provisioned(folders: Folders, school: str) -> None:
    """Note that provisioning and the gold copy are complete."""
    Phases(folders.root).finish("provisioned", _depends_on(school))


def _depends_on(school: str) -> str:
    """Hash of all that a provisioned school depends on."""
    return fingerprint(f"{VERSION} {school}", sorted(INSIDE.glob("*.py")))
