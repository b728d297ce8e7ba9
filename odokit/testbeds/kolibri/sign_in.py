"""Sign in to Kolibri through its page, and keep the browser session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Error, Page

from odokit.browser import new_context
from odokit.errors import TestBedError
from odokit.tasks import Query
from odokit.testbeds.base import write_private
from odokit.testbeds.kolibri.accounts import GREETED, LANDING, PASSWORDS, USERNAMES

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


async def open_session(
    browser: Browser, session: Session, origins: Sequence[str], role: str
) -> None:
    """Sign a role in as a person would, close what greets it, and store the session.

    Args:
        browser: Where to sign in.
        session: Where to store the session.
        origins: The origins of this Kolibri; the first one is its address.
        role: Whom to sign in.

    Raises:
        TestBedError: The page the role should land on did not come.
    """
    context = await new_context(browser, allowed_origins=origins)
    try:
        page = await context.new_page()
        await _sign_in(page, origins[0], role)
        state = await context.storage_state()
    except Error as error:
        raise TestBedError(
            f"signing in to Kolibri as {role} at {origins[0]} did not work: {error.message} "
            "Run the test bed's `up` again; if that fails, delete its folder in the cache."
        ) from error
    finally:
        await context.close()
    session.path.parent.mkdir(parents=True, exist_ok=True)
    write_private(session.path, json.dumps(state))


async def _sign_in(page: Page, base_url: str, role: str) -> None:
    await page.goto(base_url)
    await page.get_by_label("Username").fill(USERNAMES[role])
    await page.get_by_role("button", name="Next").click()
    await page.get_by_label("Password").fill(PASSWORDS[role])
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(base_url + LANDING[role])
    if role in GREETED:
        # The browser, not the server, remembers that the greeting was closed.
        greeting = page.get_by_role("dialog", name="Welcome to Kolibri!")
        await greeting.get_by_role("button", name="Continue").click()
        await greeting.wait_for(state="hidden")
