"""The django-oscar test bed: one server on this machine, one made-up shop, two accounts."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds.base import (
    Oracle,
    Progress,
    TestBed,
    TestBedStatus,
    exclusive,
    size_mb,
    sole_user,
)
from odokit.testbeds.oscar import install
from odokit.testbeds.oscar.accounts import LANDING, PASSWORDS
from odokit.testbeds.oscar.oracles import ORACLES
from odokit.testbeds.oscar.shop_data import shop_data
from odokit.testbeds.oscar.sign_in import open_session
from odokit.testbeds.server import HOST, Server, is_free, read_port
from odokit.testbeds.sqlite import copy_database, differences, run_query

DEFAULT_PORT = 8191
READY_PATH = "/accounts/login/"
START_LIMIT_S = 60.0
N_THREADS = 8  # a browser opens six connections
BY_LOOKING = frozenset(
    {"analytics_productrecord", "analytics_userproductview", "analytics_userrecord"}
    | {"analytics_usersearch"}
)
"""Tables that change when a page is looked at."""


class OscarTestBed(TestBed):
    """django-oscar with a seeded shop; see `TestBed` for what it offers."""

    name = "oscar"
    roles = tuple(LANDING)
    secrets: Mapping[str, str] = {}
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        self.port = read_port(os.environ, "ODOKIT_OSCAR_PORT", DEFAULT_PORT)
        self.base_url = f"http://{HOST}:{self.port}"
        self.allowed_origins = (self.base_url,)
        folder = settings.data / "testbeds" / "oscar"
        self.tasks_path = folder / "tasks.yaml"
        self._seed = folder / "seed.yaml"
        self._folders = install.Folders(settings.cache / "oscar" / install.VERSION)
        root = self._folders.root
        self._server = Server(root / "server.pid", root / "server.log")

    def up(self, progress: Progress | None = None) -> None:
        """Install, provision and start what is not there yet, then reset to the gold copy."""
        tell = progress or (lambda message, fraction: None)
        with exclusive(self._folders.root / "lock") as lock:
            if not install.is_installed(self._folders):
                tell(f"installing django-oscar {install.VERSION}", 0.02)
                self._server.stop()
                install.install(self._folders, lock)
            if not install.is_provisioned(self._folders, self._data):
                tell("provisioning the shop", 0.6)
                self._provision(lock)
            tell("starting the server", 0.9)
            self._start()
            tell("resetting to the gold copy", 0.98)
            with self.reserve():
                self.reset()
        tell("django-oscar is ready", 1.0)

    def reset(self) -> float:
        """Restore the gold copy, server running or not; the seconds it took."""
        self._check_provisioned()
        started = time.monotonic()
        copy_database(self._folders.gold, self._folders.database)
        return time.monotonic() - started

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        self._check_provisioned()
        return differences(self._folders.gold, self._folders.database, ignored=BY_LOOKING)

    def down(self) -> None:
        """Stop the server; nothing happens when it is down."""
        self._server.stop()

    def status(self) -> TestBedStatus:
        """Look at what is installed, provisioned and running."""
        process = self._server.find()
        return TestBedStatus(
            installed=install.is_installed(self._folders),
            provisioned=install.is_provisioned(self._folders, self._data),
            running=process is not None,
            url=self.base_url,
            pid=process.pid if process else None,
            disk_mb=size_mb(self._folders.root),
            memory_mb=self._server.memory_mb(),
        )

    async def sign_in(self, browser: Browser, role: str) -> Path:
        """Get the stored browser session of a role, signing in through the page the first time.

        The session is in a cookie that the shop signed, so that no reset ends it.
        """
        self._check_role(role)
        path = self._folders.sessions / f"{role}-{self.port}.json"
        if not path.exists():
            await open_session(browser, path, self.allowed_origins, role)
        return path

    def reserve(self) -> AbstractContextManager[None]:
        """Keep the test bed for one user while a block runs."""
        return sole_user(self._folders.root / "in-use.lock")

    def start_url(self, role: str) -> str:
        """Address where a person of this role begins."""
        self._check_role(role)
        return self.base_url + LANDING[role]

    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on the shop's database, read-only."""
        if not self._folders.database.exists():
            raise TestBedError("the shop has no database yet; run its `up` first.")
        return run_query(self._folders.database, (), sql, params)

    @cached_property
    def _data(self) -> str:
        """What the shop is filled with; read once, a later change of the seed is not seen."""
        return json.dumps(shop_data(self._seed, PASSWORDS))

    def _provision(self, lock: int) -> None:
        self._server.stop()
        install.provision(self._folders, self._data, lock)
        copy_database(self._folders.database, self._folders.gold)
        install.mark_provisioned(self._folders, self._data)

    def _start(self) -> None:
        process, listen = self._server.find(), f"--listen={HOST}:{self.port}"
        if process is not None and listen not in process.cmdline():
            self._server.stop()  # it was started for another port
            process = None
        if process is None:
            self._check_port()
            argv = [str(self._folders.python), "-m", "waitress", listen, f"--threads={N_THREADS}"]
            env = install.environment(self._folders)
            process = self._server.start([*argv, "shop_wsgi:application"], env)
        self._server.wait_ready(process, self.port, READY_PATH, START_LIMIT_S)

    def _check_provisioned(self) -> None:
        if not install.is_provisioned(self._folders, self._data):
            raise TestBedError("the shop has no gold copy of this seed; run its `up` first.")

    def _check_port(self) -> None:
        if not is_free(self.port):
            raise TestBedError(
                f"port {self.port} is taken by another program, so the shop cannot start. Stop "
                "that program, or set ODOKIT_OSCAR_PORT to another port."
            )

    def _check_role(self, role: str) -> None:
        if role not in LANDING:
            raise TestBedError(f"the shop has no role '{role}'; choose of {', '.join(LANDING)}.")
