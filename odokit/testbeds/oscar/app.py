"""The django-oscar test bed: one server on this machine, one made-up shop, two accounts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from playwright.async_api import Browser

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds.base import Oracle
from odokit.testbeds.oscar import install
from odokit.testbeds.oscar.accounts import LANDING, PASSWORDS
from odokit.testbeds.oscar.oracles import ORACLES
from odokit.testbeds.oscar.shop_data import shop_data
from odokit.testbeds.oscar.sign_in import sign_in
from odokit.testbeds.served import Command, ServedTestBed
from odokit.testbeds.server import HOST
from odokit.testbeds.sqlite import copy_database, differences, run_query

N_THREADS = 8  # a browser opens six connections
BY_LOOKING = frozenset(
    {"analytics_productrecord", "analytics_userproductview", "analytics_userrecord"}
    | {"analytics_usersearch"}
)
"""Tables that change when a page is looked at."""


class OscarTestBed(ServedTestBed):
    """django-oscar with a seeded shop; see `TestBed` for what it offers."""

    name = "oscar"
    title = "django-oscar"
    version = install.VERSION
    default_port = 8191
    ready_path = "/accounts/login/"
    start_limit_s = 60.0
    landing: Mapping[str, str] = LANDING
    secrets: Mapping[str, str] = {}
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._folders = install.Folders(self._root)

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        self._check_provisioned()
        return differences(self._folders.gold, self._folders.database, ignored=BY_LOOKING)

    async def sign_in(self, browser: Browser, role: str) -> Path:
        """Get the stored browser session of a role, signing in through the page the first time.

        The session is in a cookie that the shop signed, so that no reset ends it.
        """
        self._check_role(role)
        path = self._folders.sessions / f"{role}-{self.port}.json"
        if not path.exists():
            act = partial(sign_in, base_url=self.base_url, role=role)
            await self._open_session(browser, path, role, act)
        return path

    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on the shop's database, read-only."""
        if not self._folders.database.exists():
            raise TestBedError("django-oscar has no database yet; run its `up` first.")
        return run_query(self._folders.database, (), sql, params)

    def _make_data(self) -> str:
        return json.dumps(shop_data(self._seed, PASSWORDS))

    def _is_installed(self) -> bool:
        return install.is_installed(self._folders)

    def _install(self, lock: int) -> None:
        install.install(self._folders, lock)

    def _is_provisioned(self) -> bool:
        return install.is_provisioned(self._folders, self._data)

    def _provision(self, lock: int) -> None:
        install.provision(self._folders, self._data, lock)
        copy_database(self._folders.database, self._folders.gold)
        install.mark_provisioned(self._folders, self._data)

    def _restore(self) -> None:
        copy_database(self._folders.gold, self._folders.database)

    def _command(self) -> Command:
        serve = [str(self._folders.python), "-m", "waitress", f"--listen={HOST}:{self.port}"]
        argv = [*serve, f"--threads={N_THREADS}", "shop_wsgi:application"]
        return Command(argv, install.environment(self._folders))
