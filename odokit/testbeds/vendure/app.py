"""The Vendure test bed: one server on this machine, one made-up outfitter, two accounts."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cached_property
from pathlib import Path
from typing import Any

import psutil
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
from odokit.testbeds.server import HOST, POLL_S, Server, is_free, read_port
from odokit.testbeds.sqlite import copy_database, differences, run_query
from odokit.testbeds.vendure import install
from odokit.testbeds.vendure.accounts import LANDING
from odokit.testbeds.vendure.oracles import ORACLES
from odokit.testbeds.vendure.shop_data import shop_data
from odokit.testbeds.vendure.sign_in import Session, open_session

DEFAULT_PORT = 8193
READY_PATH = "/health"
START_LIMIT_S = 120.0
JOBS_LIMIT_S = 30.0
BUSY_JOBS = "SELECT count(*) FROM job_record WHERE isSettled = 0"
BY_ITSELF = frozenset({"job_record", "session"})
"""Tables that the shop changes without being told to."""


class VendureTestBed(TestBed):
    """Vendure with a seeded outfitter's shop; see `TestBed` for what it offers.

    It runs on Node.js; where that is missing, `up` says what to install.
    """

    name = "vendure"
    roles = tuple(LANDING)
    secrets: Mapping[str, str] = {}
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        self.port = read_port(os.environ, "ODOKIT_VENDURE_PORT", DEFAULT_PORT)
        self.base_url = f"http://{HOST}:{self.port}"
        self.allowed_origins = (self.base_url,)
        folder = settings.data / "testbeds" / "vendure"
        self.tasks_path = folder / "tasks.yaml"
        self._seed = folder / "seed.yaml"
        self._folders = install.Folders(settings.cache / "vendure" / install.VERSION)
        root = self._folders.root
        self._server = Server(root / "server.pid", root / "server.log")

    def up(self, progress: Progress | None = None) -> None:
        """Install, provision and start what is not there yet, then reset to the gold copy."""
        tell = progress or (lambda message, fraction: None)
        node = install.find_node()
        with exclusive(self._folders.root / "lock") as lock:
            if not install.is_installed(self._folders):
                tell(f"installing Vendure {install.VERSION}", 0.02)
                self._server.stop()
                install.install(self._folders, lock)
            if not install.is_provisioned(self._folders, self._data):
                tell("provisioning the shop", 0.7)
                self._provision(node, lock)
            tell("starting the server", 0.9)
            self._start(node)
            tell("resetting to the gold copy", 0.98)
            with self.reserve():
                self.reset()
        tell("Vendure is ready", 1.0)

    def reset(self) -> float:
        """Restore the gold copy, server running or not; the seconds it took."""
        self._check_provisioned()
        started = time.monotonic()
        self._wait_for_jobs()
        copy_database(self._folders.gold, self._folders.database)
        return time.monotonic() - started

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        self._check_provisioned()
        return differences(self._folders.gold, self._folders.database, ignored=BY_ITSELF)

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
        """Get the stored browser session of a role, signing in through the page the first time."""
        self._check_role(role)
        session = Session(self._folders.sessions / f"{role}-{self.port}.json")
        if not session.is_alive(self.query):
            await open_session(browser, session, self.allowed_origins, role)
            # In the gold copy too, or the next reset would sign the role out.
            session.keep(self._folders.database, self._folders.gold)
        return session.path

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
        return json.dumps(shop_data(self._seed))

    def _provision(self, node: str, lock: int) -> None:
        self._server.stop()
        self._check_port()
        install.provision(self._folders, self._data, self.port, lock)
        # The new collections' and products' jobs still have to be done.
        self._start(node)
        self._wait_for_jobs()
        copy_database(self._folders.database, self._folders.gold)
        install.mark_provisioned(self._folders, self._data)

    def _start(self, node: str) -> None:
        process, env = self._server.find(), install.environment(self._folders, self.port)
        script, port = str(install.INSIDE / "shop.cjs"), str(self.port)
        if process is not None and port not in process.cmdline():
            self._server.stop()  # it was started for another port
            process = None
        if process is None:
            self._check_port()
            process = self._server.start([node, script, port], env)
        self._server.wait_ready(process, self.port, READY_PATH, START_LIMIT_S)

    def _wait_for_jobs(self) -> None:
        """Wait for background jobs, which would write into the database just restored."""
        process = self._server.find()
        deadline = time.monotonic() + JOBS_LIMIT_S
        while process is not None and self.query(BUSY_JOBS, {})[0][0]:
            if time.monotonic() > deadline:
                raise TestBedError(
                    f"a background job of Vendure did not end within {JOBS_LIMIT_S:.0f} s. Take "
                    "the test bed down and up again."
                )
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(timeout=POLL_S)
                return

    def _check_provisioned(self) -> None:
        if not install.is_provisioned(self._folders, self._data):
            raise TestBedError("the shop has no gold copy of this seed; run its `up` first.")

    def _check_port(self) -> None:
        if not is_free(self.port):
            raise TestBedError(
                f"port {self.port} is taken by another program, so the shop cannot start. Stop "
                "that program, or set ODOKIT_VENDURE_PORT to another port."
            )

    def _check_role(self, role: str) -> None:
        if role not in LANDING:
            raise TestBedError(f"the shop has no role '{role}'; choose of {', '.join(LANDING)}.")
