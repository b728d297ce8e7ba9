"""Sign in to the shop's back office through its page, and keep the browser session."""

from __future__ import annotations

import base64
import contextlib
import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.async_api import Browser, Error, Page

from odokit.browser import new_context
from odokit.errors import TestBedError
from odokit.tasks import Query
from odokit.testbeds.base import write_private
from odokit.testbeds.vendure.accounts import IDENTIFIERS, LANDING, PASSWORDS

COOKIE = "session"
KEEP = (
    "INSERT INTO session SELECT * FROM live.session WHERE token = :token",
    "UPDATE user SET (lastLogin, updatedAt) ="
    " (SELECT lastLogin, updatedAt FROM live.user AS seen WHERE seen.id = user.id)"
    " WHERE id = (SELECT userId FROM live.session WHERE token = :token)",
)
"""What signing in leaves in the database."""


@dataclass(frozen=True)
class Session:
    """A stored browser session.

    Attributes:
        path: File with Playwright's storage state.
    """

    path: Path

    @property
    def token(self) -> str:
        """What the shop knows the session by; empty when there is none."""
        if not self.path.exists():
            return ""
        cookies = json.loads(self.path.read_text(encoding="utf-8"))["cookies"]
        value = next((c["value"] for c in cookies if c["name"] == COOKIE), "")
        content = json.loads(base64.b64decode(value + "==") or b"{}")
        return str(content.get("token", ""))

    def is_alive(self, query: Query) -> bool:
        """Whether the file exists and the shop still knows the session in it."""
        sql = "SELECT 1 FROM session WHERE token = :token AND invalidated = 0"
        return bool(query(sql, {"token": self.token}))

    def keep(self, live: Path, gold: Path) -> None:
        """Copy what signing in left in the live database, and nothing else, into the gold copy.

        Raises:
            TestBedError: One of them cannot be read or written.
        """
        try:
            with contextlib.closing(sqlite3.connect(gold)) as connection, connection:
                connection.execute("ATTACH ? AS live", (str(live),))
                for statement in KEEP:
                    connection.execute(statement, {"token": self.token})
        except sqlite3.Error as error:
            raise TestBedError(
                f"the session could not be copied into {gold}: {error}. Run `up` again."
            ) from error


async def open_session(
    browser: Browser, session: Session, origins: Sequence[str], role: str
) -> None:
    """Sign a role in as a person would, and store the session.

    Args:
        browser: Where to sign in.
        session: Where to store the session.
        origins: The origins of this shop; the first one is its address.
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
            f"signing in to the shop as {role} at {origins[0]} did not work: {error.message} "
            "Run the test bed's `up` again; if that fails, delete its folder in the cache."
        ) from error
    finally:
        await context.close()
    session.path.parent.mkdir(parents=True, exist_ok=True)
    write_private(session.path, json.dumps(state))


async def _sign_in(page: Page, base_url: str, role: str) -> None:
    await page.goto(f"{base_url}/admin/login")
    await page.get_by_placeholder("Username").fill(IDENTIFIERS[role])
    await page.get_by_placeholder("Password").fill(PASSWORDS[role])
    await page.get_by_role("button", name="Log in").click()
    await page.wait_for_url(f"{base_url}/admin/")
    await page.goto(base_url + LANDING[role])
    await page.get_by_role("table").wait_for()
