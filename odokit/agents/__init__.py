"""Agents: one protocol, so that rivals can be compared on the same tasks."""

from __future__ import annotations

from typing import Protocol

from playwright.async_api import Page

from odokit.agents.odobot import OdoBot
from odokit.execute import Episode
from odokit.record import Recorder

__all__ = ["Agent", "OdoBot"]


class Agent(Protocol):
    """Executes a task on an open page."""

    name: str

    async def run(self, task: str, page: Page, recorder: Recorder) -> Episode:
        """Execute a task from where the page is; never raises for what happens on the page."""
