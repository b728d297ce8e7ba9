"""Sign in to the shop's back office through its page, and keep the session over resets."""

from __future__ import annotations

import base64
import contextlib
import json
import sqlite3
from pathlib import Path

from playwright.async_api import Page

from odokit.errors import TestBedError
from odokit.tasks import Query
from odokit.testbeds.served import read_cookie
from odokit.testbeds.vendure.accounts import IDENTIFIERS, LANDING, PASSWORDS

COOKIE = "session"
KEEP = (
    "INSERT INTO session SELECT * FROM live.session WHERE token = :token",
    "UPDATE user SET (lastLogin, updatedAt) ="
    " (SELECT lastLogin, updatedAt FROM live.user AS seen WHERE seen.id = user.id)"
    " WHERE id = (SELECT userId FROM live.session WHERE token = :token)",
)
"""What signing in leaves in the database."""


def is_alive(path: Path, query: Query) -> bool:
    """Whether a stored browser session exists and the shop still knows it."""
    sql = "SELECT 1 FROM session WHERE token = :token AND invalidated = 0"
    return bool(query(sql, {"token": _token(path)}))


def keep_session(path: Path, live: Path, gold: Path) -> None:
    """Copy what signing in left in the live database, and nothing else, into the gold copy.

    Args:
        path: The stored browser session.
        live: The database that knows it.
        gold: The copy to reset to.

    Raises:
        TestBedError: One of them cannot be read or written.
    """
    try:
        with contextlib.closing(sqlite3.connect(gold)) as connection, connection:
            connection.execute("ATTACH ? AS live", (str(live),))
            for statement in KEEP:
                connection.execute(statement, {"token": _token(path)})
    except sqlite3.Error as error:
        raise TestBedError(
            f"the session could not be copied into {gold}: {error}. Run `up` again."
        ) from error


async def sign_in(page: Page, base_url: str, role: str) -> None:
    """Sign a role in as a person would."""
    await page.goto(f"{base_url}/admin/login")
    await page.get_by_placeholder("Username").fill(IDENTIFIERS[role])
    await page.get_by_placeholder("Password").fill(PASSWORDS[role])
    await page.get_by_role("button", name="Log in").click()
    await page.wait_for_url(f"{base_url}/admin/")
    await page.goto(base_url + LANDING[role])
    await page.get_by_role("table").wait_for()


def _token(path: Path) -> str:
    """What the shop knows the session by; empty when there is none."""
    content = json.loads(base64.b64decode(read_cookie(path, COOKIE) + "==") or b"{}")
    return str(content.get("token", ""))
