"""Record demonstrations: one script in the page, one session around a browser context."""

from odokit.record.redact import PLACEHOLDER, redact, redact_text, redact_url
from odokit.record.session import Recorder, record
from odokit.record.snapshots import SnapshotFolder, snapshot_hash

__all__ = [
    "PLACEHOLDER",
    "Recorder",
    "SnapshotFolder",
    "record",
    "redact",
    "redact_text",
    "redact_url",
    "snapshot_hash",
]
