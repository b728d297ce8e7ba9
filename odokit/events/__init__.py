"""The ten event kinds, the trajectory, and the recording file that carries them.

A recording is a file of JSON lines (plain or zstd-compressed): a header, one line an event, and a
closing line that proves the recording is whole. Snapshots are referred to by content hash and live
beside the recordings (`record.snapshots`). `recording_schema()` gives the JSON schema.

Source: paper, section III-A and Table II.
"""

from odokit.events.files import (
    MAX_LINE_BYTES,
    dump_header,
    dump_line,
    is_address,
    is_shallow,
    read_recording,
    recording_schema,
    recover_recording,
    write_recording,
)
from odokit.events.kinds import INTERACTIONS, KIND_SPECS, WRITES, EventKind, Gesture, KindSpec
from odokit.events.model import (
    FORMAT_VERSION,
    Closing,
    Dialog,
    Effect,
    Element,
    Event,
    FileInfo,
    Gap,
    Header,
    Health,
    Option,
    Peers,
    Request,
    Response,
    SelfTest,
    Trajectory,
)

__all__ = [
    "FORMAT_VERSION",
    "INTERACTIONS",
    "KIND_SPECS",
    "MAX_LINE_BYTES",
    "WRITES",
    "Closing",
    "Dialog",
    "Effect",
    "Element",
    "Event",
    "EventKind",
    "FileInfo",
    "Gap",
    "Gesture",
    "Header",
    "Health",
    "KindSpec",
    "Option",
    "Peers",
    "Request",
    "Response",
    "SelfTest",
    "Trajectory",
    "dump_header",
    "dump_line",
    "is_address",
    "is_shallow",
    "read_recording",
    "recording_schema",
    "recover_recording",
    "write_recording",
]
