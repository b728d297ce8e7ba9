"""Whatever recordings hold, the store gives them back, with every snapshot they name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from test_events_roundtrip import TEXT, TRAJECTORY

from odokit.events import Trajectory
from odokit.record.snapshots import SnapshotFolder
from odokit.store import EventStore

HTML = TEXT | st.builds(lambda text, n: f"<p>{text}</p>" * n, TEXT, st.integers(1, 200))
TRAJECTORIES = st.lists(TRAJECTORY, max_size=3, unique_by=lambda t: t.id)


def with_snapshots(trajectory: Trajectory, keys: list[str]) -> Trajectory:
    """The trajectory with each snapshot that it names replaced by one of the keys."""
    events = tuple(
        e if e.snapshot is None else e.model_copy(update={"snapshot": keys[e.idx % len(keys)]})
        for e in trajectory.events
    )
    return Trajectory(trajectory.header, events, trajectory.gaps)


@settings(deadline=None, max_examples=30)
@given(drawn=TRAJECTORIES, pages=st.lists(HTML, min_size=1, max_size=4))
def test_every_trajectory_and_snapshot_is_read_back(
    drawn: list[Trajectory], pages: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as folder, EventStore.memory() as store:
        snapshots = SnapshotFolder(Path(folder))
        keys = [snapshots.put(html) for html in pages]
        trajectories = [with_snapshots(t, keys) for t in drawn]
        for trajectory in trajectories:
            assert store.ingest(trajectory, snapshots) is True
        for trajectory in trajectories:
            assert store.ingest(trajectory, None) is False
            assert store.get_trajectory(trajectory.id) == trajectory
        assert store.trajectories() == sorted(trajectories, key=lambda t: t.id)
        named = {e.snapshot for t in trajectories for e in t.events if e.snapshot is not None}
        assert set(store.frame("v_snapshot")["hash"]) == named
        html_of = dict(zip(keys, pages, strict=True))
        assert all(store.get_snapshot(key) == html_of[key] for key in named)
        assert store.check() == []
