"""Sign in to the shop through its page."""

from __future__ import annotations

from playwright.async_api import Page

from odokit.testbeds.oscar.accounts import EMAILS, PASSWORDS


async def sign_in(page: Page, base_url: str, role: str) -> None:
    """Sign a role in as a person would."""
    await page.goto(base_url + "/accounts/login/")
    form = page.locator("#login_form")
    await form.get_by_label("Email address").fill(EMAILS[role])
    await form.get_by_label("Password").fill(PASSWORDS[role])
    await form.get_by_role("button", name="Log In").click()
    await page.get_by_text("Welcome back").wait_for()
