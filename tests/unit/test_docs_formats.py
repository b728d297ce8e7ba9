"""docs/formats.md says what the code does."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from odokit.cli import app
from odokit.events import FORMAT_VERSION, recording_schema
from odokit.export import document_recording

PAGE = (Path(__file__).parents[2] / "docs/formats.md").read_text(encoding="utf-8")


def test_the_tables_are_those_of_the_schema() -> None:
    begin, end = "<!-- begin: odokit schema markdown -->\n", "<!-- end -->"
    told = PAGE.partition(begin)[2].partition(end)[0]
    assert told == document_recording(), "run `odokit schema markdown` and paste it"
    assert CliRunner().invoke(app, ["schema", "markdown"]).output.strip() == told.strip()


def test_the_newest_version_is_described() -> None:
    assert f"Version {FORMAT_VERSION} added" in PAGE


def test_every_field_has_a_meaning() -> None:
    for name, schema in recording_schema().items():
        parts = {name: schema} | schema.get("$defs", {})
        for part, inner in parts.items():
            silent = [k for k, v in inner.get("properties", {}).items() if not v.get("description")]
            assert silent == [], part


def test_every_export_is_described() -> None:
    result = CliRunner().invoke(app, ["export", "--help"])
    for name in ("jsonl", "ocel", "xes", "playwright"):
        assert name in result.output
        assert f"odokit export {name}" in PAGE
