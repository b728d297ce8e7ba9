"""The health report of a recording as a frame."""

from __future__ import annotations

from odokit.events import Gap, Header, Health, SelfTest, Trajectory
from odokit.report import frame_health

HEADER = Header(trajectory_id="t1")


def test_what_was_tested_kept_and_missed() -> None:
    health = Health(
        gaps=(Gap(what="a canvas was used", where="at /html/body/canvas", n=3),),
        self_tests=(SelfTest(url="http://a/"), SelfTest(url="http://b/", failed=("bridge",))),
        n_snapshots=4,
        snapshot_bytes=5 * 1024,
    )
    assert frame_health(Trajectory(HEADER, (), (), health)).rows() == [
        ("snapshots", "5 KB on disk", "", 4),
        ("self-test", "passed", "http://a/", 1),
        ("self-test", "bridge", "http://b/", 1),
        ("gap", "a canvas was used", "at /html/body/canvas", 3),
    ]


def test_an_old_recording_tells_its_gaps() -> None:
    assert frame_health(Trajectory(HEADER, (), ("odd",))).rows() == [("gap", "odd", "", 1)]
    assert frame_health(Trajectory(HEADER, ())).height == 0
