"""One browser and one fixture site for all browser tests, and a bench to record and execute on."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page
from scenes import SCENES
from site_server import SiteServer

from odokit.agents import OdoBot
from odokit.browser import new_context, open_browser
from odokit.config import Settings
from odokit.decide import make_decider
from odokit.events import Trajectory
from odokit.execute import Episode, executor, settle
from odokit.navmodel import NavModel, discover_model
from odokit.record import SnapshotFolder, record
from odokit.secrets import EnvironmentSecrets

Act = Callable[[Page], Awaitable[None]]


@pytest.fixture(scope="session")
async def browser(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Browser]:
    """An open browser, one for the whole run."""
    async with open_browser(Settings.load(tmp_path_factory.mktemp("workspace"))) as opened:
        yield opened


@pytest.fixture(scope="session")
def site() -> Iterator[SiteServer]:
    """The fixture site."""
    with SiteServer() as server:
        yield server


@dataclass
class Bench:
    """Records demonstrations on the site, builds models of them, executes tasks.

    Attributes:
        browser: The shared browser.
        site: The fixture site, forgetful at the start of each demonstration and execution.
        folder: Where recordings go.
        trajectories: What was demonstrated so far.
    """

    browser: Browser
    site: SiteServer
    folder: Path
    trajectories: list[Trajectory] = field(default_factory=list)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Page]:
        """A page in a fresh context that can reach the site only."""
        context = await new_context(
            self.browser, allowed_origins=[self.site.origin, self.site.other_origin]
        )
        context.set_default_timeout(5_000)
        try:
            yield await context.new_page()
        finally:
            await context.close()

    async def demonstrate(
        self,
        page_name: str,
        act: Act,
        *,
        task: str = "",
        values: Mapping[str, str] | None = None,
        secrets: Sequence[str] = (),
        drift: str = "",
    ) -> Trajectory:
        """Record what `act` does on a page."""
        self.site.reset()
        url = self.site.url(page_name, drift)
        async with self.opened() as page:
            async with record(
                page.context,
                self.folder,
                task=task,
                values=dict(values or {}),
                start_url=url,
                trajectory_id=f"demo-{len(self.trajectories)}",
                secrets=secrets,
            ) as recorder:
                await page.goto(url)
                await act(page)
            self.trajectories.append(recorder.trajectory())
        return self.trajectories[-1]

    def model(self) -> NavModel:
        """The model of all demonstrations so far."""
        return discover_model(
            self.trajectories, get_snapshot=SnapshotFolder(self.folder / "snapshots").get
        )

    async def execute(
        self,
        task: str,
        page_name: str,
        *,
        drift: str = "",
        secrets: Mapping[str, str] | None = None,
        uploads: Path | None = None,
    ) -> Episode:
        """Execute a task by OdoBot, policy offline, from a page of the site."""
        async with self.opened() as page:
            await page.goto(self.site.url(page_name, drift))
            return await self.run(task, page, secrets=secrets, uploads=uploads)

    async def run(
        self,
        task: str,
        page: Page,
        *,
        secrets: Mapping[str, str] | None = None,
        uploads: Path | None = None,
    ) -> Episode:
        """Execute a task from where a page is."""
        self.site.reset()
        agent = OdoBot(
            self.model(),
            lambda: make_decider("offline"),
            allowed_origins=[self.site.origin],
            secrets=EnvironmentSecrets(secrets, env={}),
            uploads=uploads,
        )
        async with record(page.context, None) as recorder:
            return await agent.run(task, page, recorder)


@pytest.fixture
def bench(browser: Browser, site: SiteServer, tmp_path: Path) -> Bench:
    """A bench with a folder of its own."""
    return Bench(browser, site, tmp_path / "demonstrations")


Stage = Callable[[str], Awaitable[Bench]]


@pytest.fixture(scope="session")
def stage(browser: Browser, site: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """Gives the bench on which a scene was demonstrated, once for the whole run."""
    benches: dict[str, Bench] = {}

    async def staged(name: str) -> Bench:
        if name not in benches:
            scene, bench = SCENES[name], Bench(browser, site, tmp_path_factory.mktemp(name))
            task = scene.task(scene.demonstrated)
            await bench.demonstrate(scene.page, scene.act, task=task, values=scene.demonstrated)
            benches[name] = bench
        return benches[name]

    return staged


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the executor give up sooner than usual."""
    monkeypatch.setattr(executor, "LOCATE_TIMEOUT_MS", 1_000.0)
    monkeypatch.setattr(executor, "EFFECT_TIMEOUT_MS", 2_000.0)
    monkeypatch.setattr(settle, "QUIET_MS", 40.0)
