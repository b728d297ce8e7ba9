"""Measure list discovery on the labelled pages and clicks of the test beds, and make the labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from functools import cache, partial
from pathlib import Path

import polars as pl

from odokit.browser import open_browser
from odokit.config import Settings
from odokit.dom import Document, parse
from odokit.errors import RecordError
from odokit.events import Event, Trajectory
from odokit.navmodel import NavModel, task_values
from odokit.navmodel.identity import PageLists, read_event_pick
from odokit.record.snapshots import SnapshotFolder
from odokit.study.episodes import demonstrate, read_recordings, recordings_folder
from odokit.substructure import (
    Pick,
    RepeatedList,
    Setting,
    decide_free,
    describe_setting,
    find_lists,
)
from odokit.substructure.quality import (
    ClickQuality,
    LabelledPage,
    ListQuality,
    score_clicks,
    score_lists,
)
from odokit.tasks import TaskTemplate
from odokit.testbeds import TESTBED_NAMES, TestBed, get_testbed
from odokit.testbeds.containers import Entities, read_entities
from odokit.testbeds.labels import (
    CLICKS,
    Labels,
    as_data_lists,
    label_clicks,
    label_pages,
    read_labels,
    write_labels,
)

N_OTHERS = 2
"""Further demonstrations of a template that say which clicks are free."""
Progress = Callable[[str, float], None]


def read_labelled_pages(settings: Settings, app: str) -> list[LabelledPage]:
    """Read the labelled snapshots of a test bed's shipped demonstrations.

    Raises:
        TestBedError: There are no labels, or they cannot be read.
        RecordError: A labelled snapshot is gone; label the new demonstrations.
    """
    testbed = get_testbed(app, settings)
    return [
        LabelledPage(parse(_snapshot(testbed, key)), as_data_lists(page), page.data)
        for key, page in read_labels(testbed).snapshots.items()
    ]


def measure_clicks(settings: Settings, app: str, setting: Setting) -> ClickQuality:
    """Decide each labelled click of the shipped demonstrations by that demonstration alone."""
    testbed = get_testbed(app, settings)
    known = {t.id: t for t in read_recordings(recordings_folder(testbed))}
    page_lists = _reader(partial(_snapshot, testbed), setting)
    return score_clicks(
        judged
        for demonstration, clicks in read_labels(testbed).clicks.items()
        for judged in _decide(known[demonstration], clicks, page_lists)
    )


def summarize_list_quality(
    settings: Settings, tried: Sequence[Setting], apps: Sequence[str] = TESTBED_NAMES
) -> pl.DataFrame:
    """Measure settings on the labels of the test beds.

    Args:
        settings: The project.
        tried: Settings of list discovery.
        apps: Test beds.

    Returns:
        One row a setting and test bed, and one a setting over all: setting, app, pages, containers
        (labelled), found (all), recall, precision, clicks, free, click_recall, click_precision.
    """
    pages = {app: read_labelled_pages(settings, app) for app in apps}
    rows = []
    for setting in tried:
        measured = [
            (app, score_lists(pages[app], setting), measure_clicks(settings, app, setting))
            for app in apps
        ]
        rows += [_row(setting, *one) for one in [*measured, _total(measured)]]
    return pl.DataFrame(rows)


def sweep_lists(
    settings: Settings,
    tried: Sequence[Setting],
    *,
    apps: Sequence[str] = TESTBED_NAMES,
    pages_per_app: int = 20,
) -> pl.DataFrame:
    """Measure many settings on some labelled pages.

    Args:
        settings: The project.
        tried: Settings of list discovery.
        apps: Test beds.
        pages_per_app: Labelled pages of each, spread evenly over them.

    Returns:
        One row a setting: setting, the parameters of its kind (null where it has none of that
        name), found, recall, precision.
    """
    pages = [
        page for app in apps for page in _spread(read_labelled_pages(settings, app), pages_per_app)
    ]
    rows = []
    for setting in tried:
        quality = score_lists(pages, setting)
        parameters = {k: v for k, v in asdict(setting).items() if isinstance(v, int | float)}
        rows.append(
            {
                "setting": describe_setting(setting).split()[0],
                **parameters,
                "found": quality.n_found,
            }
            | {"recall": quality.recall, "precision": quality.precision}
        )
    return pl.from_dicts(rows, infer_schema_length=None)


def _spread(pages: list[LabelledPage], n: int) -> list[LabelledPage]:
    return pages[:: max(1, -(-len(pages) // n))]


def frame_freedom(
    demonstration: Trajectory, get_snapshot: Callable[[str], str], setting: Setting
) -> pl.DataFrame:
    """Decide for each click of a demonstration whether its target is free.

    Returns:
        One row a click: idx, role, name, item (what its list item says), n_items, is_free,
        confidence, why (the weightiest ground).
    """
    page_lists = _reader(get_snapshot, setting)
    rows = []
    for event, pick in _picks(demonstration, page_lists):
        freedom = decide_free([pick])
        rows.append(
            {
                "idx": event.idx,
                "role": event.element.role if event.element else "",
                "name": pick.name,
                "item": pick.item,
                "n_items": len(pick.others) + bool(pick.item),
                "is_free": freedom.is_free,
                "confidence": round(freedom.confidence, 2),
                "why": freedom.reasons[0],
            }
        )
    return pl.DataFrame(rows)


def frame_vertex_freedom(
    model: NavModel, trajectory_id: str, get_snapshot: Callable[[str], str], setting: Setting
) -> pl.DataFrame:
    """Decide for each vertex that a demonstration clicks, by all demonstrations together.

    Args:
        model: A behaviour model.
        trajectory_id: One of its demonstrations.
        get_snapshot: Gives a snapshot's HTML by hash.
        setting: How lists are found.

    Returns:
        One row a vertex in the order of the demonstration: label, n_clicks (in all
        demonstrations), is_free, confidence, why (the weightiest ground), in_model (what the model
        says, which asks about one demonstration at a time).
    """
    picks = _vertex_picks(model, trajectory_id, _reader(get_snapshot, setting))
    rows = []
    for number, found in picks.items():
        freedom = decide_free(found)
        rows.append(
            {
                "label": model.vertices[number].label,
                "n_clicks": len(found),
                "is_free": freedom.is_free,
                "confidence": round(freedom.confidence, 2),
                "why": freedom.reasons[0],
                "in_model": model.vertices[number].has_free_target,
            }
        )
    return pl.DataFrame(rows)


def _vertex_picks(
    model: NavModel, trajectory_id: str, page_lists: PageLists
) -> dict[int, list[Pick]]:
    """All picks of each vertex that a demonstration clicks, in its order."""
    walk = model.walks[trajectory_id]
    picks: dict[int, list[Pick]] = {v.vertex: [] for v in walk if v.step.event.kind in CLICKS}
    for other, visits in model.walks.items():
        values = model.values(other)
        for event, number in ((v.step.event, v.vertex) for v in visits if v.vertex in picks):
            if event.element is not None:
                picks[number].append(read_event_pick(event, event.element, values, page_lists))
    return picks


def _reader(get_snapshot: Callable[[str], str], setting: Setting) -> PageLists:
    @cache
    def page_lists(key: str) -> tuple[Document, tuple[RepeatedList, ...]]:
        document = parse(get_snapshot(key))
        return document, find_lists(document, setting)

    return page_lists


async def label_testbed(
    settings: Settings,
    app: str,
    *,
    recordings: Path | None = None,
    advance: Progress,
) -> Path:
    """Label the shipped demonstrations of a test bed anew.

    Args:
        settings: The project.
        app: Test bed; it is brought up.
        recordings: Folder of further demonstrations, two a template; what is missing is recorded
            there. A temporary one when None.
        advance: Told what is being done and the fraction done.

    Returns:
        The file of labels.
    """
    testbed = get_testbed(app, settings)
    testbed.up(lambda what, part: advance(what, part / 10))
    entities = read_entities(testbed)
    with tempfile.TemporaryDirectory() as scratch:
        folder = recordings or Path(scratch)
        await _record_others(settings, testbed, folder, advance)
        labels = _label(testbed, folder, entities)
    return write_labels(testbed, labels)


async def _record_others(
    settings: Settings, testbed: TestBed, folder: Path, advance: Progress
) -> None:
    """Record what further demonstrations of each template are not there yet."""
    ids = (i for template in testbed.tasks().templates for i in _others(template))
    wanted = [i for i in ids if not (folder / f"{i}.jsonl.zst").exists()]
    done: list[str] = []

    def count(instance_id: str) -> None:
        done.append(instance_id)
        advance(instance_id, 0.1 + 0.9 * len(done) / len(wanted))

    if wanted:
        async with open_browser(settings) as browser:
            await demonstrate(testbed, browser, folder=folder, only=wanted, advance=count)


def _others(template: TaskTemplate) -> list[str]:
    return [i.id for i in template.instances if i.use != "demonstrate"][:N_OTHERS]


def _label(testbed: TestBed, folder: Path, entities: Entities) -> Labels:
    shipped = {t.id: t for t in read_recordings(recordings_folder(testbed))}
    others = {t.id: t for t in read_recordings(folder)}
    folders = [SnapshotFolder(f / "snapshots") for f in (recordings_folder(testbed), folder)]

    def get_snapshot(key: str) -> str:
        own, other = folders
        return (own if own.size(key) else other).get(key)

    clicks = {
        t.instances[0].id: label_clicks(
            [shipped[t.instances[0].id], *(others[i] for i in _others(t))], get_snapshot, entities
        )
        for t in testbed.tasks().templates
    }
    pages = label_pages(shipped.values(), get_snapshot, entities)
    return Labels(snapshots=pages, clicks={i: found for i, found in clicks.items() if found})


def _snapshot(testbed: TestBed, key: str) -> str:
    folder = SnapshotFolder(recordings_folder(testbed) / "snapshots")
    if not folder.size(key):
        raise RecordError(
            f"snapshot {key} of {testbed.name} is labelled but no longer among its "
            f"demonstrations; label them anew with `odokit lists label {testbed.name}`."
        )
    return folder.get(key)


def _decide(
    demonstration: Trajectory, clicks: Mapping[int, str], page_lists: PageLists
) -> Iterator[tuple[bool, bool]]:
    """Whether each labelled click of a demonstration is free, and whether it is decided to be."""
    for event, pick in _picks(demonstration, page_lists):
        if event.idx in clicks:
            yield clicks[event.idx] == "free", decide_free([pick]).is_free


def _picks(demonstration: Trajectory, page_lists: PageLists) -> Iterator[tuple[Event, Pick]]:
    values = task_values(demonstration.header)
    for event in demonstration.events:
        if event.element is not None and event.kind in CLICKS:
            yield event, read_event_pick(event, event.element, values, page_lists)


def _total(
    measured: list[tuple[str, ListQuality, ClickQuality]],
) -> tuple[str, ListQuality, ClickQuality]:
    lists = [astuple(one) for _, one, _ in measured]
    clicks = [astuple(one) for _, _, one in measured]
    return (
        "all",
        ListQuality(*map(sum, zip(*lists, strict=True))),
        ClickQuality(*map(sum, zip(*clicks, strict=True))),
    )


def _row(setting: Setting, app: str, lists: ListQuality, clicks: ClickQuality) -> dict[str, object]:
    return {
        "setting": describe_setting(setting),
        "app": app,
        "pages": lists.n_pages,
        "containers": lists.n_labelled,
        "found": lists.n_found,
        "recall": round(lists.recall, 3),
        "precision": round(lists.precision, 3),
        "clicks": clicks.n_clicks,
        "free": clicks.n_free,
        "click_recall": round(clicks.recall, 3),
        "click_precision": round(clicks.precision, 3),
    }
