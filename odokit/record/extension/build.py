"""Write the browser extension as an unpacked folder, for Chromium or for Firefox.

The recorder's script is not part of the extension's source: it is copied from the package, so that
both hosts run the same one. So are the redaction rules, as data.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from importlib.resources import files
from pathlib import Path
from typing import Any

from odokit import __version__
from odokit.config import DEFAULT_SECRET_RULES
from odokit.errors import RecordError
from odokit.record.redact import Redactor
from odokit.record.script import PARTS, self_test_script

BROWSERS = ("chromium", "firefox")
OWN_FILES = (
    "background.js",
    "bridge.js",
    "journal.js",
    "network.js",
    "page.js",
    "popup.css",
    "popup.html",
    "popup.js",
    "redact.js",
)
PERMISSIONS = (
    "downloads",
    "scripting",
    "storage",
    "tabs",
    "unlimitedStorage",
    "webNavigation",
    "webRequest",
)
MIN_CHROMIUM = "119"
"""The first with `matchOriginAsFallback` for registered scripts: frames without an address."""
MIN_FIREFOX = "128.0"
"""The first that runs a registered script in the page's own world."""
FIREFOX_ID = "recorder@odokit"


def build_extension(
    folder: Path,
    browser: str = "chromium",
    *,
    secret_rules: Collection[str] = DEFAULT_SECRET_RULES,
) -> Path:
    """Write the extension, ready to be loaded unpacked.

    Args:
        folder: Receives the files; it may be there already, with an older build.
        browser: `chromium` (Chrome, Edge, Brave too) or `firefox`.
        secret_rules: Which rules on looks redact, of `config.SECRET_RULES`.

    Returns:
        The folder.

    Raises:
        RecordError: The browser is unknown, or the folder holds something else.
    """
    if browser not in BROWSERS:
        raise RecordError(f"there is no extension for {browser!r}; choose {' or '.join(BROWSERS)}.")
    if folder.exists() and any(folder.iterdir()) and not (folder / "manifest.json").exists():
        raise RecordError(
            f"{folder} holds other files; name a new folder, or an older build of the extension."
        )
    folder.mkdir(parents=True, exist_ok=True)
    for package, names in (("odokit.record.extension", OWN_FILES), ("odokit.record", PARTS)):
        for name in names:
            (folder / name).write_bytes(files(package).joinpath(name).read_bytes())
    # As a call: its value, a promise, is the result of the injected script.
    _write(folder / "selftest.js", f"({self_test_script()})();\n")
    rules = json.dumps(Redactor(rules=secret_rules).page_rules())
    _write(folder / "rules.js", f"globalThis.__odokit_rules = {rules};\n")
    _write(folder / "manifest.json", json.dumps(make_manifest(browser), indent=2) + "\n")
    return folder


def make_manifest(browser: str) -> dict[str, Any]:
    """The manifest (version 3) for a browser."""
    manifest: dict[str, Any] = {
        "manifest_version": 3,
        "name": "odokit recorder",
        "version": __version__,
        "description": "Records demonstrations of web tasks. Nothing leaves the browser.",
        "permissions": list(PERMISSIONS),
        "host_permissions": ["<all_urls>"],
        "action": {"default_popup": "popup.html", "default_title": "odokit recorder"},
    }
    if browser == "chromium":
        return manifest | {
            "minimum_chrome_version": MIN_CHROMIUM,
            "background": {"service_worker": "background.js", "type": "module"},
        }
    gecko = {
        "id": FIREFOX_ID,
        "strict_min_version": MIN_FIREFOX,
        "data_collection_permissions": {"required": ["none"]},
    }
    return manifest | {
        "browser_specific_settings": {"gecko": gecko},
        "background": {"scripts": ["background.js"], "type": "module"},
    }


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
