"""Accounts of the made-up shop: where each lands, and the secrets of this machine's copy.

They open nothing but a server that listens on the loopback interface with invented data.
"""

from __future__ import annotations

IDENTIFIERS = {"admin": "owner", "clerk": "ida.winter@pinehollow.example"}
"""What each role signs in with; the clerk's is in `seed.yaml` too."""

PASSWORDS = {"admin": "pinehollow-owner", "clerk": "pinehollow-clerk"}
"""Passwords by role."""

LANDING = {"admin": "/admin/catalog/products", "clerk": "/admin/customer/customers"}
"""Path where each role begins."""
