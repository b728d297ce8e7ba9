"""Sign in to the shop through its page, and keep the browser session."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from playwright.async_api import Browser, Error, Page

from odokit.browser import new_context
from odokit.errors import TestBedError
from odokit.testbeds.base import write_private
from odokit.testbeds.oscar.accounts import EMAILS, PASSWORDS


async def open_session(browser: Browser, path: Path, origins: Sequence[str], role: str) -> None:
    """Sign a role in as a person would and store the session.

    Args:
        browser: Where to sign in.
        path: Where to store the session.
        origins: The origins of this shop; the first one is its address.
        role: Whom to sign in.

    Raises:
        TestBedError: The shop did not let the role in.
    """
    context = await new_context(browser, allowed_origins=origins)
    try:
        await _sign_in(await context.new_page(), origins[0], role)
        state = await context.storage_state()
    except Error as error:
        raise TestBedError(
            f"signing in to the shop as {role} at {origins[0]} did not work: {error.message} "
            "Run the test bed's `up` again; if that fails, delete its folder in the cache."
        ) from error
    finally:
        await context.close()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, json.dumps(state))


async def _sign_in(page: Page, base_url: str, role: str) -> None:
    await page.goto(base_url + "/accounts/login/")
    form = page.locator("#login_form")
    await form.get_by_label("Email address").fill(EMAILS[role])
    await form.get_by_label("Password").fill(PASSWORDS[role])
    await form.get_by_role("button", name="Log In").click()
    await page.get_by_text("Welcome back").wait_for()
