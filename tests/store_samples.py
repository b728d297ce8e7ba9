"""Small recordings and rows for the tests of the store."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from odokit.events import Element, Event, EventKind, Header, Request, Response, Trajectory
from odokit.events import write_recording as write_one
from odokit.record.snapshots import SnapshotFolder
from odokit.store import DecisionRow, EpisodeRow, LLMCallRow, RunRow, StepRow

ORIGIN = "http://127.0.0.1:8080"
BUTTON = Element(tag="button", xpath="/html/body/main/button", role="button", name="Save")


def page(title: str, note: str = "") -> str:
    """A page whose visits differ by a note; another title makes all of it differ."""
    words = (hashlib.blake2b(f"{title} {i}".encode(), digest_size=9) for i in range(60))
    rows = "".join(f"<li>{word.hexdigest()}</li>" for word in words)
    return f"<html><body><h1>{title}</h1><ul>{rows}</ul><p>{note}</p></body></html>"


def recording(
    trajectory_id: str, visits: Sequence[tuple[str, str]] = (), *, task: str = "Save it"
) -> Trajectory:
    """Clicks on visited pages (path and snapshot hash each), then one write and a location."""
    clicks = [
        Event(
            kind=EventKind.CLICK,
            idx=i,
            t_ms=1000.0 * i,
            url=ORIGIN + path,
            element=BUTTON,
            snapshot=key,
        )
        for i, (path, key) in enumerate(visits)
    ]
    n = len(clicks)
    write = Event(
        kind=EventKind.REST_CALL,
        idx=n,
        t_ms=1000.0 * n + 0.5,
        url=ORIGIN,
        request=Request(method="POST", url=f"{ORIGIN}/api/things/", body={"name": "x"}),
        response=Response(status=201),
    )
    moved = Event(
        kind=EventKind.LOCATION, idx=n + 1, t_ms=1e6, url=ORIGIN, from_url=ORIGIN, to_url=ORIGIN
    )
    header = Header(trajectory_id=trajectory_id, task=task, app="demo", start_url=ORIGIN)
    return Trajectory(header, (*clicks, write, moved), ("a closed shadow root",))


def write_recordings(folder: Path, ids: Sequence[str], n_visits: int = 2) -> None:
    """Fill a folder with recordings that each visit the same page a few times."""
    snapshots = SnapshotFolder(folder / "snapshots")
    for trajectory_id in ids:
        visits = [
            ("/list", snapshots.put(page("list", f"{trajectory_id} {i}"))) for i in range(n_visits)
        ]
        write_one(folder / f"{trajectory_id}.jsonl.zst", recording(trajectory_id, visits))


def run_row(run_id: str = "r1", status: str = "running", seconds: float | None = None) -> RunRow:
    """A run."""
    return RunRow(run_id, "06_execute", "2026-01-01T00:00:00+00:00", seconds, status, "odobot")


def episode_row(episode_id: str, outcome: str = "success", run_id: str = "r1") -> EpisodeRow:
    """An episode that cost 100 + 20 tokens."""
    return EpisodeRow(
        run_id=run_id,
        episode_id=episode_id,
        template_id="create_thing",
        instance_id=episode_id,
        role="admin",
        agent="odobot",
        policy="cascade",
        model_id="m1",
        task="Create a thing",
        trajectory_id="t1",
        outcome=outcome,
        reason="done",
        is_success=outcome == "success",
        network_ok=outcome == "success",
        database_ok=None,
        verdict="matched: POST /api/things/",
        n_replans=1,
        tokens_prompt=100,
        tokens_completion=20,
        seconds=2.5,
        started_at=f"2026-01-01T00:00:0{len(episode_id)}+00:00",
        blocked=("DELETE /api/things/1",),
    )


def step_row(episode_id: str, number: int = 0, run_id: str = "r1") -> StepRow:
    """A click."""
    return StepRow(run_id, episode_id, number, "click Save", "abc", "name", 0.95, "", 0.3, "done")


def decision_row(episode_id: str, number: int = 0, run_id: str = "r1") -> DecisionRow:
    """A decision by rule; ids fall while numbers rise, so that order shows."""
    return DecisionRow(
        run_id, episode_id, number, f"d{9 - number}", "value", "name", "x", "rule", 1.0, 0, ""
    )


def call_row(episode_id: str, number: int = 0, run_id: str = "r1") -> LLMCallRow:
    """A request to a model whose price is unknown."""
    return LLMCallRow(
        run_id=run_id,
        episode_id=episode_id,
        number=number,
        call_id=f"c{number}",
        at="2026-01-01T00:00:00+00:00",
        purpose="decide_plan",
        decision_ids=("d9", "d8"),
        model="small",
        prompt_hash="00",
        tokens_prompt=100,
        tokens_cached=0,
        tokens_completion=20,
        tokens_reasoning=0,
        is_counted=False,
        seconds=0.7,
        usd=None,
        outcome="ok",
    )
