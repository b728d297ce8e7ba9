"""The Kolibri test bed: one server on this machine, one made-up school, three accounts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds.base import Oracle
from odokit.testbeds.kolibri import install
from odokit.testbeds.kolibri.accounts import FIELD_SECRETS, LANDING, PASSWORDS
from odokit.testbeds.kolibri.oracles import ORACLES
from odokit.testbeds.kolibri.school import read_school
from odokit.testbeds.kolibri.sign_in import is_alive, sign_in
from odokit.testbeds.served import Command, ServedTestBed
from odokit.testbeds.sqlite import change, copy_database, differences, run_query

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


class KolibriTestBed(ServedTestBed):
    """Kolibri with a seeded school; see `TestBed` for what it offers."""

    name = "kolibri"
    title = "Kolibri"
    version = install.VERSION
    default_port = 8185
    n_ports = 2  # pages, and the content shown inside them
    ready_path = "/api/public/info/"
    start_limit_s = 120.0
    landing: Mapping[str, str] = LANDING
    secrets: Mapping[str, str] = FIELD_SECRETS
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._folders = install.Folders(self._root)

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        self._check_provisioned()
        found: list[str] = []
        for database in self._folders.databases():
            if database.name not in OWN_DATABASES:
                gold = self._folders.gold / database.name
                found += differences(gold, database, ignored=OWN_TABLES)
        return found

    async def sign_in(self, browser: Browser, role: str) -> Path:
        """Get the stored browser session of a role, signing in through the page the first time."""
        self._check_role(role)
        path = self._folders.sessions / f"{role}-{self.port}.json"
        if not is_alive(path, self.query):
            act = partial(sign_in, base_url=self.base_url, role=role)
            await self._open_session(browser, path, role, act)
            # In the gold copy too, or the next reset would sign the role out.
            name = "sessions.sqlite3"
            copy_database(self._folders.home / name, self._folders.gold / name)
        return path

    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on Kolibri's databases, read-only; the main one needs no prefix."""
        databases = self._folders.databases()
        if not databases:
            raise TestBedError("Kolibri has no database yet; run its `up` first.")
        return run_query(databases[0], databases[1:], sql, params)

    def _make_data(self) -> str:
        return json.dumps(read_school(self._seed))

    def _is_installed(self) -> bool:
        return install.is_installed(self._folders)

    def _install(self, lock: int) -> None:
        install.install(self._folders, lock)

    def _is_provisioned(self) -> bool:
        return install.is_provisioned(self._folders, self._data)

    def _provision(self, lock: int) -> None:
        install.provision(self._folders, self._data, self.port, PASSWORDS, lock)
        # The first start writes rows of its own, which belong into the gold copy.
        self._start()
        partial_gold = self._folders.gold.with_name("gold.partial")
        shutil.rmtree(partial_gold, ignore_errors=True)
        partial_gold.mkdir()
        for database in self._folders.databases():
            copy_database(database, partial_gold / database.name)
        change(partial_gold / "job_storage.sqlite3", POSTPONE_JOBS)
        partial_gold.replace(self._folders.gold)
        install.mark_provisioned(self._folders, self._data)

    def _restore(self) -> None:
        self._wait_for_jobs(BUSY_JOBS)
        for database in self._folders.databases():
            copy_database(self._folders.gold / database.name, database)
        # Kolibri keeps the device's settings there for ten minutes, from before the reset too.
        for cache in self._folders.caches():
            change(cache, "DELETE FROM Cache")

    def _command(self) -> Command:
        pages, content = map(str, self._ports)
        start = [str(self._folders.kolibri), "start", "--foreground", "--port", pages]
        env = install.environment(self._folders, self.port)
        return Command([*start, "--zip-port", content], env)
