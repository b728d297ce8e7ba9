"""What every test bed offers, and the steps they share."""

from __future__ import annotations

import fcntl
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Browser, Page

from odokit.errors import TestBedError
from odokit.paraphrases import Paraphrases, read_paraphrases
from odokit.tasks import TaskFile, draw_lines, read_tasks
from odokit.testbeds.draw import draw_instances
from odokit.testbeds.generate import generate, read_seed

log = logging.getLogger(__name__)

Progress = Callable[[str, float], None]
ResetMode = Literal["task", "run"]
Oracle = Callable[[Page, Mapping[str, str]], Awaitable[None]]


@dataclass(frozen=True)
class TestBedStatus:
    """What a test bed is doing now.

    Attributes:
        installed: Whether the application is installed whole.
        provisioned: Whether its school, shop or the like is in place and saved as gold copy.
        running: Whether its server process lives.
        url: Address of the application.
        pid: Process id of the server, or None.
        disk_mb: Size of everything the test bed keeps, in MB.
        memory_mb: Resident memory of the server and its children, in MB; 0 when it is down.
    """

    __test__ = False  # pytest would collect a class of this name

    installed: bool
    provisioned: bool
    running: bool
    url: str
    pid: int | None
    disk_mb: float
    memory_mb: float


class TestBed(ABC):
    """A real application on this machine, with accounts, tasks and a way back to its gold state."""

    __test__ = False  # pytest would collect a class of this name

    name: str
    """Name of the application."""
    base_url: str
    """Address without a trailing slash."""
    allowed_origins: tuple[str, ...]
    """Origins an agent may reach; everything else is off-site."""
    tasks_path: Path
    """The task file."""
    roles: tuple[str, ...]
    """Accounts that tasks are performed with."""
    secrets: Mapping[str, str]
    """What to type into password fields, by the slug of the field's accessible name."""
    oracles: Mapping[str, Oracle]
    """How a person performs each task template, by template id."""

    _tasks: TaskFile | None = None
    _paraphrases: Paraphrases | None = None

    def tasks(self) -> TaskFile:
        """The task templates with all their instances, drawn from the generated data.

        Read once; a later change of the files is not seen.

        Raises:
            TaskError: The task file is malformed or asks for entities that do not exist.
            TestBedError: The seed file is malformed.
        """
        if self._tasks is None:
            tasks = read_tasks(self.tasks_path)
            seed = self.tasks_path.with_name("seed.yaml")
            if any(template.draw for template in tasks.templates):
                lines = draw_lines(self.tasks_path)
                places = {key: f"{self.tasks_path}, line {n}" for key, n in lines.items()}
                tasks = draw_instances(tasks, generate(read_seed(seed)), places=places)
            self._tasks = tasks
        return self._tasks

    def paraphrases(self) -> Paraphrases:
        """Other wordings of the task templates, in three styles; read once.

        Raises:
            TaskError: The file is missing or does not fit the task file.
        """
        if self._paraphrases is None:
            path = self.tasks_path.with_name("paraphrases.yaml")
            self._paraphrases = read_paraphrases(path, self.tasks())
        return self._paraphrases

    @abstractmethod
    def up(self, progress: Progress | None = None) -> None:
        """Install, provision and start what is not there yet, then reset to the gold copy.

        Args:
            progress: Told each phase and the fraction done, 0 to 1.

        Raises:
            TestBedError: A phase failed; the message names the log to read.
        """

    @abstractmethod
    def reset(self) -> float:
        """Restore the gold copy, server running or not; the seconds it took.

        Raises:
            TestBedError: There is no gold copy, or the database could not be written.
        """

    @abstractmethod
    def dirty(self) -> list[str]:
        """What differs from the gold copy, one line a table with an example; empty after `reset`.

        What the application changes by itself, such as its record of sessions, is left out.

        Raises:
            TestBedError: There is no gold copy.
        """

    def make_ready(self, mode: ResetMode, *, is_first: bool) -> tuple[str, ...]:
        """Reset before a task as the mode asks, and tell what earlier tasks have left behind.

        Args:
            mode: `task` resets before every task, `run` before the first of a run.
            is_first: Whether the task is the first of its run.
        """
        if mode == "task" or is_first:
            self.reset()
            return ()
        left = tuple(self.dirty())
        log.info("left behind by earlier tasks: %s", "; ".join(left) or "nothing")
        return left

    @abstractmethod
    def down(self) -> None:
        """Stop the server; nothing happens when it is down."""

    @abstractmethod
    def status(self) -> TestBedStatus:
        """Look at what is installed, provisioned and running."""

    @abstractmethod
    async def sign_in(self, browser: Browser, role: str) -> Path:
        """Get the stored browser session of a role, signing in through the page the first time.

        The session outlives `reset`.

        Args:
            browser: Where to sign in, should that be needed.
            role: One of `roles`.

        Returns:
            A Playwright storage state, readable by its owner only.

        Raises:
            TestBedError: The role is unknown or the sign-in did not work.
        """

    @abstractmethod
    def start_url(self, role: str) -> str:
        """Address where a person of this role lands after signing in."""

    @abstractmethod
    def reserve(self) -> AbstractContextManager[None]:
        """Keep the test bed for one user while a block runs.

        Two that reset each other's application get wrong verdicts without noticing.

        Raises:
            TestBedError: Somebody else has it.
        """

    @abstractmethod
    def query(self, sql: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run SQL on the application's databases, read-only.

        Args:
            sql: A query with `:name` parameters.
            params: Values by name; names the query does not use are ignored.

        Raises:
            TestBedError: The query failed, or there is no database yet.
        """


@contextmanager
def exclusive(path: Path) -> Iterator[int]:
    """Hold a file lock, so that two processes never install or provision at once.

    Args:
        path: Lock file, made when missing.

    Yields:
        The lock's file descriptor. Handed on to an installer, it keeps the lock when we are
        killed and the installer goes on.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            log.info("waiting for another process that holds %s", path)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield handle.fileno()


@contextmanager
def sole_user(path: Path) -> Iterator[None]:
    """Hold a file lock or refuse at once.

    Raises:
        TestBedError: The lock is held, by another process or elsewhere in this one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TestBedError(
                f"the test bed in {path.parent} is being used by another run, and the two would "
                "reset each other's data. Wait for it to end, or set another ODOKIT_CACHE and port."
            ) from error
        yield


def write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.unlink(missing_ok=True)
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as handle:
        handle.write(text)
    partial.replace(path)


def size_mb(folder: Path) -> float:
    """Size of all files below a folder, links not followed, in MB."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(root, name)).st_size  # noqa: PTH118
            except FileNotFoundError:  # a live server removes its temporary files
                continue
    return total / 1e6
