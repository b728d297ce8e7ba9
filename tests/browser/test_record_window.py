"""A person records in a window of their own: it ends with the window, and says what was seen."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from site_server import SiteServer

import odokit
from odokit.config import Settings
from odokit.errors import BrowserError, RecordError
from odokit.events import EventKind, read_recording
from odokit.record import SnapshotFolder
from odokit.study.manual import open_recorded_window
from odokit.widgets import RecorderView

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """A display that nobody sees."""
    if shutil.which("Xvfb") is None:
        pytest.skip("there is no Xvfb; install it (apt-get install xvfb) to test windows")
    reading, writing = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(writing),
        "-screen",
        "0",
        "1400x1200x24",
        "-nolisten",
        "tcp",
    ]
    server = subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL)
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    yield f":{number}"
    server.terminate()
    server.wait()


@pytest.fixture
def seen(display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows go to that display."""
    monkeypatch.setenv("DISPLAY", display)


@pytest.mark.usefixtures("seen")
async def test_closing_the_last_tab_ends_it_and_the_profile_keeps_what_was_stored(
    site: SiteServer, tmp_path: Path
) -> None:
    settings, profile = Settings.load(tmp_path), tmp_path / "profile"
    for expected in ("", "kept"):
        async with open_recorded_window(
            settings,
            site.url("form.html").removeprefix("http://"),
            tmp_path / "raw",
            task='Add "Ada"',
            app="site",
            values={"name": "Ada"},
            secrets=["my word"],
            profile=profile,
        ) as window:
            page = window.page
            assert await page.evaluate("localStorage.getItem('sign-in') || ''") == expected
            await page.evaluate("localStorage.setItem('sign-in', 'kept')")
            view = RecorderView(window.recorder)
            await page.get_by_label("Full name").fill("Ada")
            await page.get_by_label("About").fill("my word")
            second = await page.context.new_page()
            await page.close()
            assert not window._over.is_set()
            await second.close()
            async with asyncio.timeout(20):
                await window.closed()
        assert ("data entry", "2") in view.rows()
        view.close()
        trajectory = read_recording(window.path)
        entries = [e.value for e in trajectory.events if e.kind is EventKind.DATA_ENTRY]
        assert entries == ["Ada", "{{secret:known}}"]
        assert trajectory.header.values == {"name": "Ada"}
        assert trajectory.health is not None and trajectory.health.is_sound
        key = next(e.snapshot for e in trajectory.events if e.snapshot)
        assert "New member" in SnapshotFolder(tmp_path / "raw" / "snapshots").get(key)


@pytest.mark.usefixtures("seen")
async def test_a_view_follows_the_recorder(site: SiteServer, tmp_path: Path) -> None:
    async with open_recorded_window(
        Settings.load(tmp_path), site.url("form.html"), tmp_path / "raw"
    ) as window:
        view = RecorderView(window.recorder)
        shown = asyncio.Event()
        assert "Recording" in view.children[0].value
        view.children[1].observe(lambda change: "data entry" in change.new and shown.set(), "value")
        await window.page.get_by_label("Full name").fill("Ada")
        async with asyncio.timeout(10):
            await shown.wait()
        (bar,) = [x for trace in view.figure().data for x in trace.y if x == "data entry"]
        assert bar
        view.close()
        window.end()
        await window.closed()


@pytest.mark.usefixtures("seen")
async def test_an_address_that_does_not_answer_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="could not be opened in the window"):
        async with open_recorded_window(
            Settings.load(tmp_path), "http://127.0.0.1:9/", tmp_path / "raw"
        ):
            pass
    assert list((tmp_path / "raw").glob("*.jsonl*")) == []


async def test_without_a_display_the_ways_out_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(BrowserError, match=r"xvfb-run.*odokit extension build"):
        async with open_recorded_window(Settings.load(tmp_path), "http://a.test", tmp_path):
            pass


@pytest.mark.usefixtures("seen")
def test_ctrl_c_ends_the_command_with_its_report(site: SiteServer, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "odokit", "record", site.url("form.html")]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "raw")],
        env={**os.environ, "ODOKIT_ROOT": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    assert "Ctrl-C" in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the command
    said = process.communicate(timeout=60)[1]
    # Nothing was done in the window, which is an error that says so, not a traceback.
    assert process.returncode == 1
    assert "holds no click or entry" in said
    assert "1 location" in said


def test_record_is_called_as_the_documentation_says() -> None:
    assert odokit.record is sys.modules["odokit.record"]
    with pytest.raises(AttributeError, match="has no attribute 'recrod'"):
        odokit.recrod  # noqa: B018
