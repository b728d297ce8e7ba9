"""Install and provision Vendure in the cache folder: npm packages, then a filled shop."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from odokit.errors import TestBedError
from odokit.testbeds.base import write_private
from odokit.testbeds.phases import Phases, fingerprint
from odokit.testbeds.vendure.accounts import IDENTIFIERS, PASSWORDS

VERSION = "3.7.3"
INSIDE = Path(__file__).parent / "inside"
PACKAGES = ("package.json", "package-lock.json")
"""What npm installs: Vendure, and the exact version of everything it needs."""
NODE_MAJOR = 20
INSTALL_LIMIT_S = 1800
PROVISION_LIMIT_S = 600
NODE_LIMIT_S = 20
GET_NODE = (
    f"install Node.js {NODE_MAJOR} or later with npm (https://nodejs.org, or your system's "
    "packages `nodejs` and `npm`)"
)


@dataclass(frozen=True)
class Folders:
    """Where one Vendure lives.

    Attributes:
        root: Everything below belongs to it.
    """

    root: Path

    @property
    def modules(self) -> Path:
        """The folder npm installs into."""
        return self.root / "app"

    @property
    def home(self) -> Path:
        """Database, uploaded files and signing key."""
        return self.root / "home"

    @property
    def database(self) -> Path:
        """The SQLite file with all of the shop's state."""
        return self.home / "shop.sqlite"

    @property
    def key(self) -> Path:
        """What the shop signs its cookies with, so that sessions outlive a restart."""
        return self.home / "secret.key"

    @property
    def gold(self) -> Path:
        """Copy of the database to reset to."""
        return self.root / "gold" / "shop.sqlite"

    @property
    def sessions(self) -> Path:
        """Stored browser sessions."""
        return self.root / "sessions"


def find_node() -> str:
    """Find Node.js.

    Returns:
        Path of the `node` command.

    Raises:
        TestBedError: Node.js or npm is missing or too old; the message says what to install.
    """
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        missing = "node" if node is None else "npm"
        raise TestBedError(
            f"Vendure runs on Node.js, but the command `{missing}` was not found. To use this test "
            f"bed, {GET_NODE}; the other test beds do without."
        )
    try:
        asked = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=NODE_LIMIT_S, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise TestBedError(
            f"`{node} --version` failed: {error}. To mend it, {GET_NODE}."
        ) from error
    found = re.match(r"v(\d+)\.", asked.stdout)
    if found is None or int(found[1]) < NODE_MAJOR:
        raise TestBedError(f"{node} is Node.js {asked.stdout.strip()}, too old; {GET_NODE}.")
    return node


def environment(folders: Folders, port: int) -> dict[str, str]:
    """Environment for every process of the shop: loopback only, no telemetry."""
    own = {
        "ODOKIT_SHOP_MODULES": str(folders.modules),
        "ODOKIT_SHOP_DATABASE": str(folders.database),
        "ODOKIT_SHOP_ASSETS": str(folders.home / "assets"),
        "ODOKIT_SHOP_PORT": str(port),
        "ODOKIT_SHOP_ADMIN": IDENTIFIERS["admin"],
        "ODOKIT_SHOP_ADMIN_PASSWORD": PASSWORDS["admin"],
        "ODOKIT_SHOP_COOKIE_SECRET": folders.key.read_text(encoding="utf-8"),
        "VENDURE_DISABLE_TELEMETRY": "true",
        "NODE_ENV": "production",
        "TZ": "UTC",
    }
    return {**os.environ, **own}


def is_installed(folders: Folders) -> bool:
    """Whether this version was installed to the end."""
    return Phases(folders.root).marker("installed") == _packages()


def install(folders: Folders, lock: int) -> None:
    """Install Vendure's packages into a fresh folder.

    Args:
        folders: Where to.
        lock: Descriptor that npm inherits, so that a second installer waits for it.

    Raises:
        TestBedError: Node.js is missing, or npm could not install the packages.
    """
    find_node()
    phases = Phases(folders.root, lock)
    phases.begin("installed")
    shutil.rmtree(folders.modules, ignore_errors=True)
    folders.modules.mkdir(parents=True)
    for name in PACKAGES:
        shutil.copyfile(INSIDE / name, folders.modules / name)
    npm = ["npm", "ci", "--no-audit", "--no-fund", "--no-update-notifier"]
    phases.run(
        "installed",
        [*npm, "--prefix", str(folders.modules)],
        INSTALL_LIMIT_S,
        advice="better-sqlite3 may need a C++ compiler, make and Python; or check the network.",
    )
    phases.finish("installed", _packages())


def is_provisioned(folders: Folders, data: str) -> bool:
    """Whether the shop with these data is in place, with its gold copy.

    Args:
        folders: Where it is.
        data: What it is filled with, as JSON.
    """
    marker = Phases(folders.root).marker("provisioned")
    return is_installed(folders) and marker == _depends_on(data)


def provision(folders: Folders, data: str, port: int, lock: int) -> None:
    """Make the shop's database anew; the gold copy and the marker come later.

    Args:
        folders: Where the shop lives.
        data: What to fill it with, as JSON.
        port: Where the shop listens while it is filled.
        lock: Descriptor that the shop inherits, so that a second installer waits for it.

    Raises:
        TestBedError: The shop refused the data.
    """
    phases = Phases(folders.root, lock)
    phases.begin("provisioned")
    for folder in (folders.home, folders.gold.parent, folders.sessions):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    write_private(folders.key, secrets.token_urlsafe(48))
    phases.run(
        "provisioned",
        [find_node(), str(INSIDE / "provision.cjs")],
        PROVISION_LIMIT_S,
        env=environment(folders, port),
        text=data,
        advice="Mend the seed file if the log complains of it.",
    )


def mark_provisioned(folders: Folders, data: str) -> None:
    """Note that provisioning and the gold copy are complete."""
    Phases(folders.root).finish("provisioned", _depends_on(data))


def _packages() -> str:
    return fingerprint(VERSION, [INSIDE / name for name in PACKAGES])


def _depends_on(data: str) -> str:
    return fingerprint(f"{VERSION} {data}", sorted(INSIDE.glob("*.cjs")))
