"""Sign in to Kolibri through its page, and know whether a stored session still holds."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page

from odokit.tasks import Query
from odokit.testbeds.kolibri.accounts import GREETED, LANDING, PASSWORDS, USERNAMES
from odokit.testbeds.served import read_cookie

COOKIE = "kolibri"


def is_alive(path: Path, query: Query) -> bool:
    """Whether a stored browser session exists and Kolibri still knows it."""
    sql = "SELECT 1 FROM sessions.kolibriauth_session WHERE session_key = :key"
    key = read_cookie(path, COOKIE)
    return bool(key and query(sql, {"key": key}))


async def sign_in(page: Page, base_url: str, role: str) -> None:
    """Sign a role in as a person would, and close what greets it."""
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
