"""Accounts of the made-up school: where each lands, and the passwords of this machine's copy.

They open nothing but a server that listens on the loopback interface with invented data.
"""

from __future__ import annotations

USERNAMES = {"admin": "admin", "coach": "msantos", "learner": "tokafor"}
"""User names by role, as in `seed.yaml`."""

PASSWORDS = {"admin": "riverside-admin", "coach": "riverside-coach", "learner": "riverside-learner"}
"""Passwords by role; every coach has the coach's, every learner the learner's."""

LANDING = {
    "admin": "/en/device/#/content",
    "coach": "/en/coach/#/classes",
    "learner": "/en/learn/#/home",
}
"""Path where each role lands after signing in."""

GREETED = frozenset({"learner"})
"""Roles that a "Welcome" dialog greets in a fresh browser."""

FIELD_SECRETS = {"password": "riverside-new-1", "re-enter-password": "riverside-new-1"}
"""What tasks type into password fields, by the slug of the field's accessible name."""
