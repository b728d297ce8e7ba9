"""The Kolibri test bed: one server on this machine, one made-up school, three accounts."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
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
from odokit.testbeds.kolibri import install
from odokit.testbeds.kolibri.accounts import FIELD_SECRETS, LANDING, PASSWORDS
from odokit.testbeds.kolibri.oracles import ORACLES
from odokit.testbeds.kolibri.school import read_school
from odokit.testbeds.kolibri.sign_in import Session, open_session
from odokit.testbeds.server import HOST, POLL_S, Server, is_free, read_port
from odokit.testbeds.sqlite import change, copy_database, differences, run_query

DEFAULT_PORT = 8185
READY_PATH = "/api/public/info/"
START_LIMIT_S = 120.0
JOBS_LIMIT_S = 30.0
# Kolibri vacuums its database daily and clears caches hourly. Each reset to a gold copy older than
# that would start these jobs at once, in the middle of an episode.
POSTPONE_JOBS = "UPDATE jobs SET scheduled_time = '2100-01-01 00:00:00'"
OWN_DATABASES = frozenset({"job_storage.sqlite3", "sessions.sqlite3"})
OWN_TABLES = frozenset(
    {
        "logger_usersessionlog",
        "notifications_notificationslog",
        "kolibriauth_facilityuser.last_login",
        "kolibriauth_facilityuser._morango_dirty_bit",
    }
)
"""Where Kolibri writes by itself while somebody is signed in."""
BUSY_JOBS = """
    SELECT count(*) FROM job_storage.jobs
    WHERE state NOT IN ('COMPLETED', 'FAILED', 'CANCELED') AND scheduled_time <= datetime('now')
"""


class KolibriTestBed(TestBed):
    """Kolibri with a seeded school; see `TestBed` for what it offers."""

    name = "kolibri"
    roles = tuple(LANDING)
    secrets: Mapping[str, str] = FIELD_SECRETS
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        self.port = read_port(os.environ, "ODOKIT_KOLIBRI_PORT", DEFAULT_PORT)
        self.base_url = f"http://{HOST}:{self.port}"
        self.allowed_origins = (self.base_url, f"http://{HOST}:{self.port + 1}")
        folder = settings.data / "testbeds" / "kolibri"
        self.tasks_path = folder / "tasks.yaml"
        self._seed = folder / "seed.yaml"
        self._school_text = ""
        self._folders = install.Folders(settings.cache / "kolibri" / install.VERSION)
        root = self._folders.root
        self._server = Server(root / "server.pid", root / "server.log")

    def up(self, progress: Progress | None = None) -> None:
        """Install, provision and start what is not there yet, then reset to the gold copy."""
        tell = progress or (lambda message, fraction: None)
        with exclusive(self._folders.root / "lock") as lock:
            if not install.is_installed(self._folders):
                tell(f"installing Kolibri {install.VERSION}", 0.02)
                self._server.stop()
                install.install(self._folders, lock)
            if not install.is_provisioned(self._folders, self._school()):
                tell("provisioning the school", 0.5)
                self._provision(lock)
            tell("starting the server", 0.9)
            self._start()
            tell("resetting to the gold copy", 0.98)
            with self.reserve():
                self.reset()
        tell("Kolibri is ready", 1.0)

    def reset(self) -> float:
        """Restore the gold copy, server running or not; the seconds it took."""
        if not install.is_provisioned(self._folders, self._school()):
            raise TestBedError("Kolibri has no gold copy of this seed; run its `up` first.")
        started = time.monotonic()
        self._wait_for_jobs()
        for database in self._folders.databases():
            copy_database(self._folders.gold / database.name, database)
        # Kolibri keeps the device's settings there for ten minutes, from before the reset too.
        for cache in self._folders.caches():
            change(cache, "DELETE FROM Cache")
        return time.monotonic() - started

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        found: list[str] = []
        for database in self._folders.databases():
            if database.name in OWN_DATABASES:
                continue
            gold = self._folders.gold / database.name
            if not gold.exists():
                raise TestBedError("Kolibri has no gold copy to compare with; run its `up` first.")
            found += differences(gold, database, ignored=OWN_TABLES)
        return found

    def down(self) -> None:
        """Stop the server; nothing happens when it is down."""
        self._server.stop()

    def status(self) -> TestBedStatus:
        """Look at what is installed, provisioned and running."""
        process = self._server.find()
        return TestBedStatus(
            installed=install.is_installed(self._folders),
            provisioned=install.is_provisioned(self._folders, self._school()),
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
            name = "sessions.sqlite3"
            copy_database(self._folders.home / name, self._folders.gold / name)
        return session.path

    def reserve(self) -> AbstractContextManager[None]:
        """Keep the test bed for one user while a block runs."""
        return sole_user(self._folders.root / "in-use.lock")

    def start_url(self, role: str) -> str:
        """Address where a person of this role lands after signing in."""
        self._check_role(role)
        return self.base_url + LANDING[role]

    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on Kolibri's databases, read-only; the main one needs no prefix."""
        databases = self._folders.databases()
        if not databases:
            raise TestBedError("Kolibri has no database yet; run its `up` first.")
        return run_query(databases[0], databases[1:], sql, params)

    def _school(self) -> str:
        """What Kolibri is provisioned with, as JSON; read once."""
        self._school_text = self._school_text or json.dumps(read_school(self._seed))
        return self._school_text

    def _provision(self, lock: int) -> None:
        self._server.stop()
        install.provision(self._folders, self._school(), self.port, PASSWORDS, lock)
        # The first start writes rows of its own, which belong into the gold copy.
        self._start()
        partial = self._folders.gold.with_name("gold.partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        for database in self._folders.databases():
            copy_database(database, partial / database.name)
        change(partial / "job_storage.sqlite3", POSTPONE_JOBS)
        partial.replace(self._folders.gold)
        install.mark_provisioned(self._folders, self._school())

    def _start(self) -> None:
        process, port = self._server.find(), str(self.port)
        if process is not None and port not in process.cmdline():
            self._server.stop()  # it was started for another port
            process = None
        if process is None:
            self._check_ports()
            argv = [str(self._folders.kolibri), "start", "--foreground", "--port", port]
            env = install.environment(self._folders, self.port)
            process = self._server.start([*argv, "--zip-port", str(self.port + 1)], env)
        self._server.wait_ready(process, self.port, READY_PATH, START_LIMIT_S)

    def _wait_for_jobs(self) -> None:
        """Wait for background jobs, which would write into the databases just restored."""
        process = self._server.find()
        deadline = time.monotonic() + JOBS_LIMIT_S
        while process is not None and self.query(BUSY_JOBS, {})[0][0]:
            if time.monotonic() > deadline:
                raise TestBedError(
                    f"a background job of Kolibri did not end within {JOBS_LIMIT_S:.0f} s. Take "
                    "the test bed down and up again."
                )
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(timeout=POLL_S)
                return

    def _check_ports(self) -> None:
        for port in (self.port, self.port + 1):
            if not is_free(port):
                raise TestBedError(
                    f"port {port} is taken by another program, so Kolibri cannot start. Stop that "
                    "program, or set ODOKIT_KOLIBRI_PORT to another port."
                )

    def _check_role(self, role: str) -> None:
        if role not in LANDING:
            raise TestBedError(f"Kolibri has no role '{role}'; choose of {', '.join(LANDING)}.")
