"""Install and provision the shop in the cache folder."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from odokit.testbeds.base import write_private
from odokit.testbeds.oscar.shop_data import shop_data
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
GENERATOR = (Path(__file__).parents[1] / "generate.py", Path(__file__).parent / "shop_data.py")
"""What makes the shop's data of the seed."""
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


def is_provisioned(folders: Folders, seed: Path) -> bool:
    """Whether the shop of this seed is in place, with its gold copy."""
    marker = Phases(folders.root).marker("provisioned")
    return is_installed(folders) and marker == _depends_on(seed)


def provision(folders: Folders, seed: Path, passwords: Mapping[str, str], lock: int) -> None:
    """Make the shop anew from a seed; the gold copy and the marker come later.

    Raises:
        TestBedError: The seed is malformed or Oscar refused it.
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
        text=json.dumps(shop_data(seed, passwords)),
        advice=f"Mend {seed} if the log complains of it.",
    )


def mark_provisioned(folders: Folders, seed: Path) -> None:
    """Note that provisioning and the gold copy are complete."""
    Phases(folders.root).finish("provisioned", _depends_on(seed))


def _depends_on(seed: Path) -> str:
    return fingerprint(VERSION, (seed, *GENERATOR, *sorted(INSIDE.glob("*.py"))))
