"""Record demonstrations: one script in the page, one session around a browser context.

The package can be called: `odokit.record(...)` is `odokit.record.record(...)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from odokit.record.assemble import Assembler
from odokit.record.health import HealthMeter, health_lines
from odokit.record.recorder import Recorder
from odokit.record.redact import PLACEHOLDER, Redactor, redact, redact_text, redact_url
from odokit.record.script import page_script, self_test_script
from odokit.record.session import record
from odokit.record.snapshots import SnapshotFolder, snapshot_hash

__all__ = [
    "PLACEHOLDER",
    "Assembler",
    "HealthMeter",
    "Recorder",
    "Redactor",
    "SnapshotFolder",
    "health_lines",
    "page_script",
    "record",
    "redact",
    "redact_text",
    "redact_url",
    "self_test_script",
    "snapshot_hash",
]


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return record(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
