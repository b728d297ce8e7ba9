"""Fixtures every kind of test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from odokit.config import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """A workspace of its own for each test; only the choice of browser comes from outside."""
    browser = os.environ.get("ODOKIT_BROWSER")
    return Settings.load(
        root=tmp_path,
        env={"ODOKIT_CACHE": str(tmp_path / "cache")}
        | ({"ODOKIT_BROWSER": browser} if browser else {}),
    )
