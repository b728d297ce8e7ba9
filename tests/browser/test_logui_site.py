"""What is recorded on the fixture site comes back from a LogUI log of the same session."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Stage
from logui_compare import check_same
from logui_samples import to_logui, write_dump, write_log

from odokit.events import read_recording
from odokit.record import SnapshotFolder
from odokit.record.logui import import_flights

pytestmark = pytest.mark.browser
# Frames and shadow roots are not in the format.
CARRIED = ("form", "radios", "select", "rich", "tiny", "hash", "turbo", "rows", "quiz", "graphql")


@pytest.mark.parametrize("name", CARRIED)
async def test_a_session_on_the_site_comes_back(stage: Stage, tmp_path: Path, name: str) -> None:
    bench = await stage(name)
    (ours,) = bench.trajectories
    snapshots = SnapshotFolder(bench.folder / "snapshots")
    for write in (write_log, write_dump):
        out = tmp_path / write.__name__
        log = write(tmp_path / f"logui-{name}.log", to_logui(ours, snapshots.get))
        (made,) = import_flights([log], out)
        check_same(ours, read_recording(made.path), snapshots, SnapshotFolder(out / "snapshots"))
