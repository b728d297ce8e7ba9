"""Drive a real Firefox by Marionette, the protocol it speaks itself, with an extension installed.

Playwright's Firefox is a build of its own that loads no extensions, so this is the smallest client
that does: one request, one answer, each a JSON list behind its length.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HOST_ID = "5d0c1f34-6f1e-4c1b-9b57-0d1f8f1c7a11"
"""The host name of the extension's own pages in this profile; Firefox draws one otherwise."""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""Key of an element reference. Source: W3C WebDriver, section 'Elements'."""
WAIT_MS = 10_000
OPEN = """gBrowser.selectedBrowser.fixupAndLoadURIString(arguments[0],
    {triggeringPrincipal: Services.scriptSecurityManager.getSystemPrincipal()})"""


class Firefox:
    """A running Firefox.

    Attributes:
        version: Its version.
    """

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self._file = self._socket.makefile("rb")
        self._n_sent = 0
        self._read()  # the greeting
        answer = self.call("WebDriver:NewSession")
        self.version = str(answer["capabilities"]["browserVersion"])
        self.call("WebDriver:SetTimeouts", implicit=WAIT_MS, script=WAIT_MS)

    def call(self, command: str, **parameters: Any) -> Any:
        """Give a command and wait for its answer."""
        self._n_sent += 1
        message = json.dumps([0, self._n_sent, command, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, answer = self._read()
        assert error is None, f"{command} {parameters}: {error}"
        return answer

    def _read(self) -> Any:
        digits = b""
        while (char := self._file.read(1)) != b":":
            digits += char
        return json.loads(self._file.read(int(digits)))

    def close(self) -> None:
        """Hang up."""
        self._file.close()
        self._socket.close()

    def find(self, selector: str) -> str:
        """Wait for an element and give its reference."""
        answer = self.call("WebDriver:FindElement", using="css selector", value=selector)
        return str(answer["value"][ELEMENT])

    def click(self, selector: str) -> None:
        """Click an element with a trusted event."""
        self.call("WebDriver:ElementClick", id=self.find(selector))

    def type(self, selector: str, text: str) -> None:
        """Type into an element, key by key."""
        self.call("WebDriver:ElementSendKeys", id=self.find(selector), text=text)

    def go(self, url: str) -> None:
        """Open an address and wait until it is loaded."""
        self.call("WebDriver:Navigate", url=url)

    def tab(self) -> str:
        """The handle of the tab in use."""
        return str(self.call("WebDriver:GetWindowHandle")["value"])

    def use(self, handle: str) -> None:
        """Go to a tab."""
        self.call("WebDriver:SwitchToWindow", handle=handle)

    def open_own_page(self, name: str) -> str:
        """Open a page of the extension in a new tab, which no ordinary navigation may do."""
        handle = str(self.call("WebDriver:NewWindow", type="tab")["handle"])
        self.use(handle)
        self.call("Marionette:SetContext", value="chrome")
        url = f"moz-extension://{HOST_ID}/{name}"
        self.call("WebDriver:ExecuteScript", script=OPEN, args=[url])
        self.call("Marionette:SetContext", value="content")
        self.find("body main")
        return handle

    def run(self, script: str) -> Any:
        """Run a script that gives its result to the function `done`."""
        body = f"const done = arguments[arguments.length - 1]; {script}"
        return self.call("WebDriver:ExecuteAsyncScript", script=body, args=[])["value"]


@contextmanager
def open_firefox(command: str, profile: Path, extension: Path, name: str) -> Iterator[Firefox]:
    """Open a Firefox with an unpacked extension.

    Args:
        command: The program.
        profile: Folder for its profile.
        extension: The unpacked extension.
        name: The extension's id.
    """
    profile.mkdir()
    preferences = {
        "marionette.port": 0,
        "extensions.webextensions.uuids": json.dumps({name: HOST_ID}),
        "extensions.webextOptionalPermissionPrompts": False,
        "datareporting.policy.dataSubmissionEnabled": False,
        "network.captive-portal-service.enabled": False,
        "network.connectivity-service.enabled": False,
    }
    lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in preferences.items()]
    (profile / "user.js").write_text("\n".join(lines))
    options = ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote"]
    process = subprocess.Popen(
        [command, *options, "-profile", str(profile)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = iter(process.stdout.readline, "")
        port = next(
            int(m[1]) for line in said if (m := re.search(r"Listening on port (\d+)", line))
        )
        firefox = Firefox(port)
        firefox.call("Addon:Install", path=str(extension), temporary=True)
        yield firefox
        firefox.close()
    finally:
        process.kill()
        process.communicate()
