"""constraints.txt pins everything pyproject.toml asks for, at versions it allows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WANTED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
LINES = [
    line
    for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


def test_every_line_is_an_exact_version_and_nothing_else() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[\w.-]+==[\w.]+", line)] == []
    names = [canonicalize_name(line.split("==")[0]) for line in LINES]
    assert len(names) == len(set(names))
    assert "odokit" not in names


@pytest.mark.parametrize("wanted", WANTED)
def test_every_dependency_is_pinned_within_its_bounds(wanted: str) -> None:
    requirement = Requirement(wanted)
    pins = {canonicalize_name(name): version for name, version in (x.split("==") for x in LINES)}
    name = canonicalize_name(requirement.name)
    assert name in pins, "run make lock"
    assert requirement.specifier.contains(pins[name], prereleases=True), "run make lock"
