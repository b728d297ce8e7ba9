"""A real application for the tests of a module, and a browser; the module says which: `TESTBED`."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.testbeds import TestBed, get_testbed


@pytest.fixture(scope="module")
def workspace() -> Settings:
    """The project's own settings: installing an application anew for a test would take minutes."""
    return Settings.load(Path(__file__).parents[2])


@pytest.fixture(scope="module")
def testbed(request: pytest.FixtureRequest, workspace: Settings) -> Iterator[TestBed]:
    """The module's application, up; it goes down again unless it was up before."""
    found = get_testbed(request.module.TESTBED, workspace)
    before = found.status()
    if not before.installed and "CI" not in os.environ:
        pytest.skip(f"not installed; `odokit testbed {found.name} up` does it")
    told: list[float] = []
    found.up(lambda message, fraction: told.append(fraction))
    assert told == sorted(told)
    assert told[-1] == 1.0
    yield found
    if not before.running:
        found.down()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser(workspace: Settings) -> AsyncIterator[Browser]:
    """A browser of the module's own."""
    async with open_browser(workspace) as opened:
        yield opened
