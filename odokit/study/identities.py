"""Hold the rules of identity against what is known of the test beds' demonstrations.

A file `identity.yaml` beside a test bed's task file says of some acts whether they are one act; the
oracles that performed them are the authority.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal

import polars as pl
import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from odokit.config import Settings
from odokit.errors import NavModelError
from odokit.events import EventKind
from odokit.navmodel import Comparison, ModelBuilder, NavModel, compare_models
from odokit.navmodel.identity import IDENTITIES
from odokit.record.snapshots import SnapshotFolder
from odokit.study.episodes import read_recordings, recordings_folder
from odokit.tasks import TaskFile
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


def build_both(
    settings: Settings, app: str, *, more: Path | None = None
) -> tuple[NavModel, NavModel]:
    """The models of a test bed's shipped demonstrations by the rules `fingerprint` and `paper`.

    Args:
        settings: The project.
        app: Test bed.
        more: Folder of further recordings of its tasks, which win over shipped ones of one id.

    Raises:
        RecordError: There are no demonstrations.
    """
    folders = [recordings_folder(get_testbed(app, settings)), *([more] if more else [])]
    read = {t.id: (t, folder) for folder in folders for t in read_recordings(folder)}
    patterns = read_patterns(settings.url_patterns, [app])
    found = []
    for identity in IDENTITIES:
        builder: ModelBuilder | None = None
        for folder in folders:
            trajectories = [t for t, origin in read.values() if origin == folder]
            get_snapshot = SnapshotFolder(folder / "snapshots").get
            builder = (
                ModelBuilder(get_snapshot=get_snapshot, identity=identity, patterns=patterns)
                if builder is None
                else ModelBuilder.of(builder.build(), get_snapshot=get_snapshot)
            ).add(trajectories)
        assert builder is not None
        found.append(builder.build())
    return found[0], found[1]


def compare_identities(
    settings: Settings, app: str, *, more: Path | None = None
) -> tuple[Comparison, pl.DataFrame, pl.DataFrame]:
    """Compare both rules on a test bed's shipped demonstrations and, if given, further ones.

    Returns:
        Where the models differ, how they stand to what is known (`judge_identities`), and how
        often they know the same act again (`score_repeats`).
    """
    models = build_both(settings, app, more=more)
    known = known_identities(settings, app)
    tasks = get_testbed(app, settings).tasks()
    return (
        compare_models(*models),
        judge_identities(models, known),
        score_repeats(models, tasks),
    )


def score_repeats(models: Sequence[NavModel], tasks: TaskFile) -> pl.DataFrame:
    """How often models know an act again in another demonstration of the same task template.

    An oracle does the same with other values, so the n-th interactions of two demonstrations are
    one act, where both have equally many of equal kinds.

    Returns:
        One row a model: identity, n_pairs (of acts), n_known (kept in one vertex).
    """
    pairs = [
        pair
        for template in tasks.templates
        for pair in combinations([i.id for i in template.instances if i.id in models[0].walks], 2)
    ]
    rows = []
    for model in models:
        acts = [zip(*aligned, strict=True) for a, b in pairs if (aligned := _aligned(model, a, b))]
        same = [one == other for zipped in acts for one, other in zipped]
        rows.append({"identity": model.identity, "n_pairs": len(same), "n_known": sum(same)})
    return pl.DataFrame(rows)


def _aligned(model: NavModel, first: str, second: str) -> tuple[list[int], list[int]] | None:
    """Vertices of the interactions of two demonstrations; None when their kinds differ."""
    acts = [
        [v for v in model.walks[t] if v.step.event.kind.is_interaction] for t in (first, second)
    ]
    kinds = [[v.step.event.kind for v in walk] for walk in acts]
    if kinds[0] != kinds[1]:
        return None
    return [v.vertex for v in acts[0]], [v.vertex for v in acts[1]]
