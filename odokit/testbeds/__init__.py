"""Real applications to demonstrate, execute and measure on, each installed into the cache folder.

Nothing in odokit but `cli` and `study` imports this package.
"""

from __future__ import annotations

from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds.base import Oracle, ResetMode, TestBed, TestBedStatus

TESTBED_NAMES = ("kolibri", "oscar", "vendure")

__all__ = ["TESTBED_NAMES", "Oracle", "ResetMode", "TestBed", "TestBedStatus", "get_testbed"]


def get_testbed(name: str, settings: Settings) -> TestBed:
    """Get a test bed by its application's name; nothing is installed or started yet.

    Raises:
        TestBedError: There is no test bed of that name.
    """
    if name not in TESTBED_NAMES:
        raise TestBedError(
            f"there is no test bed '{name}'; choose one of {', '.join(TESTBED_NAMES)}."
        )
    if name == "oscar":
        from odokit.testbeds.oscar.app import OscarTestBed

        return OscarTestBed(settings)
    if name == "vendure":
        from odokit.testbeds.vendure.app import VendureTestBed

        return VendureTestBed(settings)
    from odokit.testbeds.kolibri.app import KolibriTestBed

    return KolibriTestBed(settings)
