"""A test bed that is one server process on this machine: what all of them do alike.

An application says what it is called, how it is installed, provisioned, started and asked; going
up and down, its ports, its roles and its one user at a time are here.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import psutil
from playwright.async_api import Browser, Error, Page

from odokit.browser import new_context
from odokit.config import Settings
from odokit.errors import TestBedError
from odokit.testbeds.base import (
    Progress,
    TestBed,
    TestBedStatus,
    exclusive,
    size_mb,
    sole_user,
    write_private,
)
from odokit.testbeds.server import HOST, POLL_S, Server, is_free, read_port

JOBS_LIMIT_S = 30.0


@dataclass(frozen=True)
class Command:
    """How a server process is started.

    Attributes:
        argv: The command, with the port it listens on in one of its words.
        env: Its environment.
    """

    argv: Sequence[str]
    env: Mapping[str, str]


class ServedTestBed(TestBed):
    """A real application behind one server process; see `TestBed` for what it offers."""

    title: str
    """What the application is called in messages."""
    version: str
    """Version that is installed."""
    default_port: int
    """Port unless `ODOKIT_<NAME>_PORT` says otherwise."""
    n_ports: int = 1
    """How many ports in a row it listens on."""
    ready_path: str
    """Path that answers once the server is up."""
    start_limit_s: float
    """How long a start may take, in seconds."""
    landing: Mapping[str, str]
    """Path where each role begins."""

    def __init__(self, settings: Settings) -> None:
        variable = f"ODOKIT_{self.name.upper()}_PORT"
        self.port = read_port(os.environ, variable, self.default_port)
        self.allowed_origins = tuple(f"http://{HOST}:{port}" for port in self._ports)
        self.base_url = self.allowed_origins[0]
        self.roles = tuple(self.landing)
        folder = settings.data / "testbeds" / self.name
        self.tasks_path = folder / "tasks.yaml"
        self._seed = folder / "seed.yaml"
        self._root = settings.cache / self.name / self.version
        self._server = Server(self._root / "server.pid", self._root / "server.log")

    def up(self, progress: Progress | None = None) -> None:
        """Install, provision and start what is not there yet, then reset to the gold copy."""
        tell = progress or (lambda message, fraction: None)
        with exclusive(self._root / "lock") as lock:
            if not self._is_installed():
                tell(f"installing {self.title} {self.version}", 0.02)
                self._server.stop()
                self._install(lock)
            if not self._is_provisioned():
                tell(f"provisioning {self.title}", 0.6)
                self._server.stop()
                self._provision(lock)
            tell("starting the server", 0.9)
            self._start()
            tell("resetting to the gold copy", 0.98)
            with self.reserve():
                self.reset()
        tell(f"{self.title} is ready", 1.0)

    def reset(self) -> float:
        """Restore the gold copy, server running or not; the seconds it took."""
        self._check_provisioned()
        started = time.monotonic()
        self._restore()
        return time.monotonic() - started

    def down(self) -> None:
        """Stop the server; nothing happens when it is down."""
        self._server.stop()

    def status(self) -> TestBedStatus:
        """Look at what is installed, provisioned and running."""
        process = self._server.find()
        return TestBedStatus(
            installed=self._is_installed(),
            provisioned=self._is_provisioned(),
            running=process is not None,
            url=self.base_url,
            pid=process.pid if process else None,
            disk_mb=size_mb(self._root),
            memory_mb=self._server.memory_mb(),
        )

    def reserve(self) -> AbstractContextManager[None]:
        """Keep the test bed for one user while a block runs."""
        return sole_user(self._root / "in-use.lock")

    def start_url(self, role: str) -> str:
        """Address where a person of this role lands after signing in."""
        self._check_role(role)
        return self.base_url + self.landing[role]

    @abstractmethod
    def _is_installed(self) -> bool: ...

    @abstractmethod
    def _install(self, lock: int) -> None: ...

    @abstractmethod
    def _is_provisioned(self) -> bool: ...

    @abstractmethod
    def _provision(self, lock: int) -> None:
        """Fill the application and save its gold copy; the server is down."""

    @abstractmethod
    def _restore(self) -> None:
        """Bring the gold copy back."""

    @abstractmethod
    def _command(self) -> Command: ...

    @abstractmethod
    def _make_data(self) -> str:
        """What the application is filled with, as JSON."""

    @cached_property
    def _data(self) -> str:
        # Read once: a later change of the seed is not seen.
        return self._make_data()

    @property
    def _ports(self) -> range:
        return range(self.port, self.port + self.n_ports)

    def _start(self) -> None:
        process, port = self._server.find(), str(self.port)
        if process is not None and not any(
            word == port or word.endswith(f":{port}") for word in process.cmdline()
        ):
            self._server.stop()  # it was started for another port
            process = None
        if process is None:
            self._check_ports()
            command = self._command()
            process = self._server.start(command.argv, command.env)
        self._server.wait_ready(process, self.port, self.ready_path, self.start_limit_s)

    def _wait_for_jobs(self, busy: str) -> None:
        """Wait for background jobs, which would write into a database just restored.

        Args:
            busy: Query that counts the jobs not yet done.
        """
        process = self._server.find()
        deadline = time.monotonic() + JOBS_LIMIT_S
        while process is not None and self.query(busy, {})[0][0]:
            if time.monotonic() > deadline:
                raise TestBedError(
                    f"a background job of {self.title} did not end within {JOBS_LIMIT_S:.0f} s. "
                    "Take the test bed down and up again."
                )
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(timeout=POLL_S)
                return

    def _check_provisioned(self) -> None:
        if not self._is_provisioned():
            raise TestBedError(f"{self.title} has no gold copy of this seed; run its `up` first.")

    def _check_ports(self) -> None:
        for port in self._ports:
            if not is_free(port):
                raise TestBedError(
                    f"port {port} is taken by another program, so {self.title} cannot start. Stop "
                    f"that program, or set ODOKIT_{self.name.upper()}_PORT to another port."
                )

    def _check_role(self, role: str) -> None:
        if role not in self.landing:
            raise TestBedError(
                f"{self.title} has no role '{role}'; choose of {', '.join(self.landing)}."
            )

    async def _open_session(
        self, browser: Browser, path: Path, role: str, act: Callable[[Page], Awaitable[None]]
    ) -> None:
        """Sign a role in as a person would and store the browser session.

        Args:
            browser: Where to sign in.
            path: Receives Playwright's storage state.
            role: Whom to sign in.
            act: What a person does, from a blank page to the page the role lands on.

        Raises:
            TestBedError: The page the role should land on did not come.
        """
        context = await new_context(browser, allowed_origins=self.allowed_origins)
        try:
            await act(await context.new_page())
            state = await context.storage_state()
        except Error as error:
            raise TestBedError(
                f"signing in to {self.title} as {role} at {self.base_url} did not work: "
                f"{error.message} Run the test bed's `up` again; if that fails, delete its folder "
                "in the cache."
            ) from error
        finally:
            await context.close()
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(path, json.dumps(state))


def read_cookie(path: Path, name: str) -> str:
    """Value of a cookie in a stored browser session; empty when there is none."""
    if not path.exists():
        return ""
    cookies = json.loads(path.read_text(encoding="utf-8"))["cookies"]
    return str(next((c["value"] for c in cookies if c["name"] == name), ""))
