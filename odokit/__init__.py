"""odokit: demonstrate web tasks, model the application's behaviour, execute new tasks cheaply.

`async with odokit.record(context, folder, task="...") as recorder:` records a demonstration; see
`odokit.record`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"


def __getattr__(name: str) -> ModuleType:
    if name == "record":  # on first use: it brings the browser's driver with it
        return import_module("odokit.record")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
