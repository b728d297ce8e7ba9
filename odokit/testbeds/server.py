"""A server process that outlives us: started detached, found again by its pid file, stopped whole.

`subprocess.Popen` is not used for the server: it warns when its object is collected while the
process lives, and a test bed is meant to outlive the command that started it.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from odokit.errors import TestBedError

HOST = "127.0.0.1"
POLL_S = 0.1
STOP_S = 15.0


@dataclass(frozen=True)
class Server:
    """A detached server process.

    Attributes:
        pid_file: Remembers the process id and its start time, so that a reused id is noticed.
        log_file: Receives standard output and error.
    """

    pid_file: Path
    log_file: Path

    def find(self) -> psutil.Process | None:
        """Find the running process, or None."""
        try:
            saved = json.loads(self.pid_file.read_text(encoding="utf-8"))
            process = psutil.Process(saved["pid"])
            same = abs(process.create_time() - saved["created"]) < 1
            return process if same and process.status() != psutil.STATUS_ZOMBIE else None
        except (OSError, ValueError, KeyError, psutil.NoSuchProcess):
            return None

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> psutil.Process:
        """Start the process in a session of its own, so no terminal takes it down."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(self.log_file), flags, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ]
        pid = os.posix_spawn(argv[0], list(argv), dict(env), file_actions=actions, setsid=True)
        process = psutil.Process(pid)
        saved = {"pid": pid, "created": process.create_time()}
        self.pid_file.write_text(json.dumps(saved), encoding="utf-8")
        return process

    def wait_ready(self, process: psutil.Process, port: int, path: str, limit_s: float) -> None:
        """Wait until the server answers a GET with anything but a server error.

        Raises:
            TestBedError: It died, or did not answer within `limit_s` seconds.
        """
        deadline = time.monotonic() + limit_s
        while not answers(port, path):
            if time.monotonic() > deadline:
                raise TestBedError(
                    f"the server on port {port} did not answer within {limit_s:.0f} s. "
                    f"Read {self.log_file}, then stop and start it again."
                )
            with contextlib.suppress(psutil.TimeoutExpired):
                process.wait(timeout=POLL_S)
                raise TestBedError(
                    f"the server on port {port} ended while starting. Read {self.log_file}."
                )

    def stop(self) -> None:
        """Stop the process and its children: ask first, kill after `STOP_S` seconds."""
        process = self.find()
        if process is not None:
            family = [process, *process.children(recursive=True)]
            _signal_group(process.pid, signal.SIGTERM)
            _, alive = psutil.wait_procs(family, timeout=STOP_S)
            if alive:
                _signal_group(process.pid, signal.SIGKILL)
                psutil.wait_procs(alive, timeout=STOP_S)
        self.pid_file.unlink(missing_ok=True)

    def memory_mb(self) -> float:
        """Resident memory of the process and its children, in MB; 0 when it is down."""
        process = self.find()
        if process is None:
            return 0.0
        total = 0
        for member in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                total += member.memory_info().rss
        return total / 1e6


def answers(port: int, path: str) -> bool:
    """Whether a GET on this machine is answered with anything but a server error."""
    # Not urllib, which would ask a proxy named in the environment.
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status < 500
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def is_free(port: int) -> bool:
    """Whether nothing listens on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) != 0


def read_port(env: Mapping[str, str], variable: str, default: int) -> int:
    """Read a port from the environment; the port after it is used too.

    Raises:
        TestBedError: It is no number from 1024 to 65534.
    """
    text = env.get(variable) or str(default)
    if not text.isdecimal() or not 1024 <= int(text) <= 65534:
        raise TestBedError(f"{variable} is '{text}'; give a port from 1024 to 65534.")
    return int(text)


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, number)
