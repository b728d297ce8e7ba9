"""Phases of installing: a marker is written last, and a failure names its log."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from odokit.errors import TestBedError
from odokit.testbeds.phases import Phases, fingerprint


def test_a_phase_is_trusted_only_after_its_end(tmp_path: Path) -> None:
    phases = Phases(tmp_path / "app")
    assert phases.marker("installed") is None
    phases.begin("installed")
    assert phases.marker("installed") is None
    phases.finish("installed", "1.0")
    assert phases.marker("installed") == "1.0"
    phases.begin("installed")
    assert phases.marker("installed") is None


def test_what_a_command_says_is_in_the_log(tmp_path: Path) -> None:
    code = "import sys; print('got', sys.stdin.read())"
    Phases(tmp_path).run("made", [sys.executable, "-c", code], 30, advice="", text="this")
    assert (tmp_path / "made.log").read_text() == "got this\n"


def test_a_failure_names_the_log_its_last_line_and_the_advice(tmp_path: Path) -> None:
    code = "print('first'); raise SystemExit('no such shop')"
    with pytest.raises(TestBedError) as caught:
        Phases(tmp_path).run("made", [sys.executable, "-c", code], 30, advice="Mend the seed.")
    message = str(caught.value)
    assert "ended with code 1" in message
    assert "no such shop" in message
    assert str(tmp_path / "made.log") in message
    assert message.endswith("Mend the seed.")


def test_a_command_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", "import time; time.sleep(60)"]
    with pytest.raises(TestBedError, match="timed out after"):
        Phases(tmp_path).run("made", argv, 0.3, advice="")


def test_a_command_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(TestBedError, match="No such file"):
        Phases(tmp_path).run("made", [str(tmp_path / "python")], 30, advice="")


def test_a_fingerprint_changes_with_version_and_files(tmp_path: Path) -> None:
    path = tmp_path / "seed.yaml"
    path.write_text("a")
    first = fingerprint("1", [path])
    assert first == fingerprint("1", [path])
    assert first != fingerprint("2", [path])
    path.write_text("b")
    assert first != fingerprint("1", [path])
    with pytest.raises(TestBedError, match="cannot be read"):
        fingerprint("1", [tmp_path / "missing"])
