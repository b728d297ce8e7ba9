"""The Vendure test bed: one server on this machine, one made-up outfitter, two accounts."""

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
from odokit.testbeds.served import Command, ServedTestBed
from odokit.testbeds.sqlite import copy_database, differences, run_query
from odokit.testbeds.vendure import install
from odokit.testbeds.vendure.accounts import LANDING
from odokit.testbeds.vendure.oracles import ORACLES
from odokit.testbeds.vendure.shop_data import shop_data
from odokit.testbeds.vendure.sign_in import is_alive, keep_session, sign_in

BUSY_JOBS = "SELECT count(*) FROM job_record WHERE isSettled = 0"
BY_ITSELF = frozenset({"job_record", "session"})
"""Tables that the shop changes without being told to."""


class VendureTestBed(ServedTestBed):
    """Vendure with a seeded outfitter's shop; see `TestBed` for what it offers.

    It runs on a Node.js of its own, installed beside it from a Python wheel.
    """

    name = "vendure"
    title = "Vendure"
    version = install.VERSION
    default_port = 8193
    ready_path = "/health"
    start_limit_s = 120.0
    landing: Mapping[str, str] = LANDING
    secrets: Mapping[str, str] = {}
    oracles: Mapping[str, Oracle] = ORACLES

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._folders = install.Folders(self._root)

    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example."""
        self._check_provisioned()
        return differences(self._folders.gold, self._folders.database, ignored=BY_ITSELF)

    async def sign_in(self, browser: Browser, role: str) -> Path:
        """Get the stored browser session of a role, signing in through the page the first time."""
        self._check_role(role)
        path = self._folders.sessions / f"{role}-{self.port}.json"
        if not is_alive(path, self.query):
            act = partial(sign_in, base_url=self.base_url, role=role)
            await self._open_session(browser, path, role, act)
            # In the gold copy too, or the next reset would sign the role out.
            keep_session(path, self._folders.database, self._folders.gold)
        return path

    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on the shop's database, read-only."""
        if not self._folders.database.exists():
            raise TestBedError("Vendure has no database yet; run its `up` first.")
        return run_query(self._folders.database, (), sql, params)

    def _make_data(self) -> str:
        return json.dumps(shop_data(self._seed))

    def _is_installed(self) -> bool:
        return install.is_installed(self._folders)

    def _install(self, lock: int) -> None:
        install.install(self._folders, lock)

    def _is_provisioned(self) -> bool:
        return install.is_provisioned(self._folders, self._data)

    def _provision(self, lock: int) -> None:
        self._check_ports()
        install.provision(self._folders, self._data, self.port, lock)
        # The new collections' and products' jobs still have to be done.
        self._start()
        self._wait_for_jobs(BUSY_JOBS)
        copy_database(self._folders.database, self._folders.gold)
        install.mark_provisioned(self._folders, self._data)

    def _restore(self) -> None:
        self._wait_for_jobs(BUSY_JOBS)
        copy_database(self._folders.gold, self._folders.database)

    def _command(self) -> Command:
        argv = [str(self._folders.node), str(install.INSIDE / "shop.cjs"), str(self.port)]
        return Command(argv, install.environment(self._folders, self.port))
