"""Sign in to Kolibri through its page, and keep the browser session."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from odokit.errors import TestBedError
from odokit.tasks import Query
from odokit.testbeds.base import write_private
from odokit.testbeds.kolibri.accounts import LANDING, PASSWORDS, USERNAMES

if TYPE_CHECKING:
    from playwright.async_api import Browser, Page

COOKIE = "kolibri"


@dataclass(frozen=True)
class Session:
    """A stored browser session.

    Attributes:
        path: File with Playwright's storage state.
    """

    path: Path

    def is_alive(self, query: Query) -> bool:
        """Whether the file exists and Kolibri still knows the session in it."""
        if not self.path.exists():
            return False
        cookies = json.loads(self.path.read_text(encoding="utf-8"))["cookies"]
        keys = {"key": next((c["value"] for c in cookies if c["name"] == COOKIE), "")}
        sql = "SELECT 1 FROM sessions.kolibriauth_session WHERE session_key = :key"
        return bool(query(sql, keys))


async def open_session(browser: Browser, session: Session, base_url: str, role: str) -> None:
    """Sign a role in as a person would, close what greets it, and store the session.

    Raises:
        TestBedError: The page the role should land on did not come.
    """
    from playwright.async_api import Error

    context = await browser.new_context(base_url=base_url)
    try:
        page = await context.new_page()
        await _sign_in(page, role)
        state = await context.storage_state()
    except Error as error:
        raise TestBedError(
            f"signing in to Kolibri as {role} at {base_url} did not work: {error.message} "
            "Run the test bed's `up` again; if that fails, delete its folder in the cache."
        ) from error
    finally:
        await context.close()
    session.path.parent.mkdir(parents=True, exist_ok=True)
    write_private(session.path, json.dumps(state))


async def _sign_in(page: Page, role: str) -> None:
    await page.goto("/")
    await page.get_by_label("Username").fill(USERNAMES[role])
    await page.get_by_role("button", name="Next").click()
    await page.get_by_label("Password").fill(PASSWORDS[role])
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url("**" + LANDING[role])
