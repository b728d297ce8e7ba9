"""A store that an earlier release wrote opens with everything in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest

from odokit.events import EventKind, Gesture, Trajectory
from odokit.store import EventStore
from odokit.store.connect import read_migrations

OLD_STORES = Path(__file__).parents[1] / "old_stores"


@dataclass(frozen=True)
class Release:
    """A release of odokit and the schema it brought."""

    version: str
    schema: int
    """Number of its last migration."""
    sha256: str
    """Of that migration: what was released is never edited."""


RELEASES = [
    Release("0.1.0", 1, "39471a26abb5de97979dddb5c7873713aa6bd7ab66046380f91f18582d9cd8c5"),
]
BY_VERSION = pytest.mark.parametrize("release", RELEASES, ids=lambda release: release.version)


def write_store(path: Path, release: Release) -> None:
    """Make the store file that a release wrote: its schema, then its rows."""
    with duckdb.connect(str(path)) as raw:
        for migration in read_migrations()[: release.schema]:
            raw.execute(migration.sql)
        raw.execute((OLD_STORES / f"{release.version}.sql").read_text(encoding="utf-8"))


def test_every_release_has_its_store() -> None:
    versions = [path.stem for path in sorted(OLD_STORES.glob("*.sql"))]
    assert versions == [release.version for release in RELEASES]


@BY_VERSION
def test_a_released_migration_is_never_edited(release: Release) -> None:
    sql = read_migrations()[release.schema - 1].sql
    assert hashlib.sha256(sql.encode()).hexdigest() == release.sha256


@BY_VERSION
def test_an_old_store_keeps_every_row(tmp_path: Path, release: Release) -> None:
    path = tmp_path / "workspace.duckdb"
    write_store(path, release)
    with duckdb.connect(str(path)) as raw:
        query = "SELECT table_name, estimated_size FROM duckdb_tables()"
        before = dict(raw.execute(query).fetchall())
        record = raw.execute("SELECT idx, record FROM event ORDER BY idx").fetchall()
    EventStore.open(path).close()
    with EventStore.open(path, read_only=True) as store:
        counts = store.stats()
        assert {name: counts[name] for name in before if name != "migration"} == {
            name: n for name, n in before.items() if name != "migration"
        }
        assert store.sql("SELECT idx, record FROM event ORDER BY idx").rows() == record
        assert store.check() == []
        assert all(store.frame(view).height > 0 for view in ("v_trajectory", "v_event", "v_run"))


@BY_VERSION
def test_an_old_recording_is_read_and_known_again(tmp_path: Path, release: Release) -> None:
    path = tmp_path / "workspace.duckdb"
    write_store(path, release)
    with EventStore.open(path) as store:
        (old,) = store.trajectories()
        click, entry, write, moved = old.events
        assert (click.kind, click.gesture, entry.value) == (
            EventKind.CLICK,
            Gesture.CLICK,
            "it's ü",
        )
        assert write.request is not None
        assert write.request.body == {"name": "it's ü"}
        assert (moved.kind, old.gaps, old.health) == (
            EventKind.LOCATION,
            ("a closed shadow root",),
            None,
        )
        assert entry.snapshot is not None
        assert "It's Tuesday" in store.get_snapshot(entry.snapshot)
        assert store.ingest(old, None) is False
        model = store.read_model()
        assert model is not None
        assert [v.number for v in model.vertices] == [0, 1, 2, 3]
        store.ingest(_another(old), None)
        assert store.frame("v_event", trajectory_id="another")["gesture"].to_list() == [
            "double",
            None,
            None,
            None,
        ]
        assert store.check() == []


def _another(old: Trajectory) -> Trajectory:
    double = old.events[0].model_copy(update={"gesture": Gesture.DOUBLE})
    header = old.header.model_copy(update={"trajectory_id": "another"})
    return replace(old, header=header, events=(double, *old.events[1:]))
