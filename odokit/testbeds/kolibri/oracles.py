"""How a person performs each task template in Kolibri."""

from __future__ import annotations

from odokit.testbeds.base import Oracle

ORACLES: dict[str, Oracle] = {}
