"""Write trajectories out of the workspace as plain recordings, with their snapshots beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from odokit.events import Trajectory, write_recording
from odokit.record.snapshots import SnapshotFolder, page_key


def write_jsonl(
    folder: Path, trajectories: Iterable[Trajectory], get_snapshot: Callable[[str], str]
) -> list[Path]:
    """Write one `<id>.jsonl` a trajectory; `odokit ingest` reads them back as they were.

    Args:
        folder: Receives the recordings and `snapshots/`.
        trajectories: What to write.
        get_snapshot: Gives a snapshot's HTML by its hash.

    Returns:
        The recordings, in the order of the trajectories.

    Raises:
        StoreError: A snapshot is not there.
    """
    snapshots = SnapshotFolder(folder / "snapshots")
    paths: list[Path] = []
    for trajectory in trajectories:
        pages = {e.snapshot: e.url for e in trajectory.events if e.snapshot is not None}
        for key, url in pages.items():
            snapshots.put(get_snapshot(key), page=page_key(url))
        paths.append(folder / f"{trajectory.id}.jsonl")
        write_recording(paths[-1], trajectory)
    return paths
