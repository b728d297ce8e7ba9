"""The demonstrations that are shipped: whole, of every template, and of all ten kinds together."""

from __future__ import annotations

from pathlib import Path

import pytest

from odokit.config import Settings
from odokit.events import EventKind
from odokit.study.episodes import read_recordings, recordings_folder
from odokit.study.workspace import count_event_kinds
from odokit.testbeds import TESTBED_NAMES, get_testbed

SETTINGS = Settings.load(Path(__file__).parents[2])


@pytest.mark.parametrize("name", TESTBED_NAMES)
def test_every_template_has_its_demonstration(name: str) -> None:
    testbed = get_testbed(name, SETTINGS)
    recorded = {t.id: t.header.task for t in read_recordings(recordings_folder(testbed))}
    expected = {
        instance.id: template.instance_text(instance)
        for template, instance in testbed.tasks().iter_instances("demonstrate")
    }
    assert recorded == expected


def test_all_ten_kinds_occur() -> None:
    counts = count_event_kinds(SETTINGS)
    total = dict(zip(counts["kind"], counts.drop("kind").sum_horizontal(), strict=True))
    assert set(total) == {str(kind) for kind in EventKind}
    assert [kind for kind, n in total.items() if n == 0] == []
