"""Kolibri's settings with sessions that outlive an experiment; read by Kolibri's own Python.

Kolibri signs a person out after 20 minutes, and a stored browser session would expire with it.
"""

# mypy: disable-error-code="import-not-found"

from kolibri.deployment.default.settings.base import *  # noqa: F403

SESSION_COOKIE_AGE = 10 * 365 * 24 * 3600
SESSION_EXPIRE_AT_BROWSER_CLOSE = False
