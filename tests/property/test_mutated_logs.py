"""A spoilt flight log is imported or refused by file and entry; a refused one leaves nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import Story
from logui_samples import to_logui, write_log
from mutations import mutate_log

from odokit.errors import OdokitError
from odokit.record.logui import import_flights
from odokit.store import EventStore

PAGE = "<html><body><main><a href='/x'><span>Go</span></a><input id='n'></main></body></html>"
STORY = (
    Story("f1", snapshot="0" * 32)
    .at("/list")
    .click("Go", role="link", xpath="/html/body/main/a")
    .enter("Name", "Owls", xpath="/html/body/main/input")
    .rich("Text", "Hoo")
    .check("Public")
    .choose("size", "Small", ("Small", "Large"))
    .select("City", "Rome", ("Rome", "Oslo"))
    .changes("saved")
    .write("PATCH", "/api/groups/7", {"name": "Owls"})
    .write("POST", "/graphql", {"query": "mutation A { a }"}, operation="A")
    .at("/done")
    .click("Close")
    .trajectory()
)


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(60), id="60"),
        pytest.param(range(60, 200), id="the other 140", marks=pytest.mark.slow),
    ],
)
def test_no_mutation_leaves_a_traceback_or_half_an_import(tmp_path: Path, seeds: range) -> None:
    n_refused = 0
    for seed in seeds:
        log, out = tmp_path / f"logui-{seed}.log", tmp_path / f"out{seed}"
        write_log(log, to_logui(STORY, lambda _: PAGE))
        change = mutate_log(log, seed)
        try:
            made = import_flights([log], out)
        except OdokitError as error:
            n_refused += 1
            assert str(error).startswith(str(log)), f"seed {seed}, {change}"
            assert "\n" not in str(error) and len(str(error)) < 2_000
            if change.line is not None and change.name == "field":
                assert f"entry {change.line} " in str(error), f"seed {seed}, {change}: {error}"
            assert not list(out.glob("*.jsonl*")), "a refused log has no recording"
            continue
        with EventStore.memory() as store:
            report = store.ingest_folder(out)
            assert report.n_events == sum(m.n_events for m in made)
            assert store.check() == [], f"seed {seed}, {change}"
    assert len(seeds) // 5 < n_refused < len(seeds), "the mutations are neither all fatal nor none"
