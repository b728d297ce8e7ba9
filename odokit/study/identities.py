"""Hold the rules of identity against what is known of the test beds' demonstrations.

A file `identity.yaml` beside a test bed's task file says of some acts whether they are one act; the
oracles that performed them are the authority.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from odokit.config import Settings
from odokit.errors import NavModelError
from odokit.events import EventKind, Trajectory
from odokit.navmodel import Comparison, NavModel, compare_models, discover_model
from odokit.navmodel.identity import IDENTITIES
from odokit.record.snapshots import SnapshotFolder
from odokit.study.episodes import read_recordings, recordings_folder
from odokit.testbeds import get_testbed
from odokit.urls import read_patterns


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Act(_Entry):
    """One act of a demonstration."""

    trajectory: Annotated[str, Field(alias="in")]
    """Demonstration it belongs to."""
    kind: EventKind
    """Its kind."""
    name: str
    """Accessible name of its element."""
    n: Annotated[int, Field(ge=1)] = 1
    """Which of several alike, from 1."""


class KnownIdentity(_Entry):
    """Acts that are one act, or are all different, and how that is known."""

    what: str
    """The act, or the acts, in words."""
    are: Literal["same", "different"]
    """Which of the two."""
    why: str
    """What of the oracles says so."""
    acts: Annotated[tuple[Act, ...], Field(min_length=2)]
    """The acts."""


def read_identities(path: Path) -> tuple[KnownIdentity, ...]:
    """Read what is known of a test bed's acts.

    Raises:
        NavModelError: The file cannot be read or is malformed; the message names the field.
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
        return TypeAdapter(tuple[KnownIdentity, ...]).validate_python(data)
    except (OSError, yaml.YAMLError) as error:
        raise NavModelError(f"{path} cannot be read as YAML: {error}. Mend it.") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "(whole file)"
        raise NavModelError(f"{path}, field {field}: {first['msg']}. Mend it.") from error


def known_identities(settings: Settings, app: str) -> tuple[KnownIdentity, ...]:
    """What is known of the acts in a test bed's shipped demonstrations."""
    return read_identities(get_testbed(app, settings).tasks_path.parent / "identity.yaml")


def find_act(model: NavModel, act: Act) -> int:
    """The vertex of an act.

    Raises:
        NavModelError: No such act was demonstrated.
    """
    found = [
        visit.vertex
        for visit in model.walks.get(act.trajectory, ())
        if visit.step.event.kind is act.kind
        and visit.step.event.element is not None
        and visit.step.event.element.name == act.name
    ]
    if len(found) < act.n:
        raise NavModelError(
            f"demonstration {act.trajectory} has {len(found)} times {act.kind} “{act.name}”, and "
            f"number {act.n} was asked for. Mend the list of known identities."
        )
    return found[act.n - 1]


def judge_identities(models: Sequence[NavModel], known: Sequence[KnownIdentity]) -> pl.DataFrame:
    """Hold models against what is known.

    Returns:
        One row a known identity: what, are, why, then for each model a column named like its rule
        that says whether it groups the acts rightly.
    """
    return pl.DataFrame(
        [
            {"what": one.what, "are": one.are, "why": one.why}
            | {model.identity: _is_right(model, one) for model in models}
            for one in known
        ]
    )


def _is_right(model: NavModel, known: KnownIdentity) -> bool:
    vertices = {find_act(model, act) for act in known.acts}
    return len(vertices) == (1 if known.are == "same" else len(known.acts))


def build_both(settings: Settings, app: str) -> tuple[NavModel, NavModel]:
    """The models of a test bed's shipped demonstrations by the rules `fingerprint` and `paper`.

    Raises:
        RecordError: There are no demonstrations.
    """
    folder = recordings_folder(get_testbed(app, settings))
    trajectories: list[Trajectory] = read_recordings(folder)
    snapshots = SnapshotFolder(folder / "snapshots")
    patterns = read_patterns(settings.url_patterns, [app])
    first, second = (
        discover_model(
            trajectories, get_snapshot=snapshots.get, identity=identity, patterns=patterns
        )
        for identity in IDENTITIES
    )
    return first, second


def compare_identities(settings: Settings, app: str) -> tuple[Comparison, pl.DataFrame]:
    """Compare both rules on a test bed's shipped demonstrations.

    Returns:
        Where the models differ, and how they stand to what is known (`judge_identities`).
    """
    models = build_both(settings, app)
    return compare_models(*models), judge_identities(models, known_identities(settings, app))
