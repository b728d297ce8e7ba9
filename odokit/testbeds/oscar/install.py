"""Install and provision the shop in the cache folder."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from odokit.testbeds.base import write_private
from odokit.testbeds.phases import Phases, fingerprint

VERSION = "4.2.1"
PACKAGES = (
    f"django-oscar=={VERSION}",
    "sorl-thumbnail==13.4.0",
    "whoosh==2.7.4",
    "waitress==3.0.2",
)
"""Oscar and what it leaves to the project: thumbnails, a search engine, a server."""
INSIDE = Path(__file__).parent / "inside"
PROVISION_LIMIT_S = 600


@dataclass(frozen=True)
class Folders:
    """Where one shop lives.

    Attributes:
        root: Everything below belongs to it.
    """

    root: Path

    @property
    def venv(self) -> Path:
        """The shop's own Python environment."""
        return self.root / "venv"

    @property
    def shop(self) -> Path:
        """Database, search index, media and signing key."""
        return self.root / "shop"

    @property
    def database(self) -> Path:
        """The SQLite file that holds all state."""
        return self.shop / "db.sqlite3"

    @property
    def gold(self) -> Path:
        """Copy of the database to reset to."""
        return self.root / "gold.sqlite3"

    @property
    def sessions(self) -> Path:
        """Stored browser sessions."""
        return self.root / "sessions"

    @property
    def python(self) -> Path:
        """The shop's Python."""
        return self.venv / "bin" / "python"


def environment(folders: Folders) -> dict[str, str]:
    """Environment for every process of the shop."""
    own = {
        "ODOKIT_SHOP": str(folders.shop),
        "DJANGO_SETTINGS_MODULE": "shop_settings",
        "PYTHONPATH": str(INSIDE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
    }
    return {**os.environ, **own}


def is_installed(folders: Folders) -> bool:
    """Whether these packages were installed to the end."""
    return Phases(folders.root).marker("installed") == " ".join(PACKAGES)


def install(folders: Folders, lock: int) -> None:
    """Install the shop into a fresh environment of its own.

    Args:
        folders: Where to.
        lock: Descriptor that the installer inherits, so that a second one waits for it.

    Raises:
        TestBedError: The environment or a package could not be installed.
    """
    phases = Phases(folders.root, lock)
    phases.begin("installed")
    shutil.rmtree(folders.venv, ignore_errors=True)
    phases.install_packages("installed", folders.venv, PACKAGES)
    phases.finish("installed", " ".join(PACKAGES))


def is_provisioned(folders: Folders, data: str) -> bool:
    """Whether the shop with these data is in place, with its gold copy.

    Args:
        folders: Where it is.
        data: What it is filled with, as JSON.
    """
    marker = Phases(folders.root).marker("provisioned")
    return is_installed(folders) and marker == _depends_on(data)


def provision(folders: Folders, data: str, lock: int) -> None:
    """Make the shop anew; the gold copy and the marker come later.

    Args:
        folders: Where to.
        data: What to fill it with, as JSON.
        lock: Descriptor that the command inherits, so that a second one waits for it.

    Raises:
        TestBedError: Oscar refused the data.
    """
    phases = Phases(folders.root, lock)
    phases.begin("provisioned")
    for folder in (folders.shop, folders.sessions):
        shutil.rmtree(folder, ignore_errors=True)
    (folders.shop / "media").mkdir(parents=True)
    write_private(folders.shop / "secret.key", secrets.token_urlsafe(48))
    script = "import django; django.setup(); from provision import main; main()"
    phases.run(
        "provisioned",
        [str(folders.python), "-c", script],
        PROVISION_LIMIT_S,
        env=environment(folders),
        text=data,
        advice="Mend the seed file if the log complains of it.",
    )


def mark_provisioned(folders: Folders, data: str) -> None:
    """Note that provisioning and the gold copy are complete."""
    Phases(folders.root).finish("provisioned", _depends_on(data))


def _depends_on(data: str) -> str:
    return fingerprint(VERSION + data, sorted(INSIDE.glob("*.py")))
