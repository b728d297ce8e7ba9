"""Accounts of the made-up shop: where each lands, and the passwords of this machine's copy.

They open nothing but a server that listens on the loopback interface with invented data.
"""

from __future__ import annotations

EMAILS = {"staff": "vera.holm@harbour.example", "customer": "nadia.fischer@post.example"}
"""What each role signs in with, as in `seed.yaml`."""

PASSWORDS = {"staff": "harbour-staff", "customer": "harbour-customer"}
"""Passwords by role."""

LANDING = {"staff": "/dashboard/", "customer": "/catalogue/"}
"""Path where each role begins."""
