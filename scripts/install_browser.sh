#!/usr/bin/env bash
# See to it that Playwright's driver starts and odokit finds a Chromium that runs: do nothing if so;
# else try Playwright's own download; else, on Debian, install the package `chromium`.
set -euo pipefail
cd "$(dirname "$0")/.."

# Fails with 2 where the settings, or the browser they name, are at fault: no installation helps then.
find_browser() {
    .venv/bin/python - <<'PYTHON'
import sys

from odokit.browser import find_chromium
from odokit.config import Settings
from odokit.errors import OdokitError

is_futile = True  # to install anything: the settings are at fault
try:
    settings = Settings.load()
    is_futile = settings.browser is not None
    choice = find_chromium(settings)
except OdokitError as error:
    print(f"make browser: {error}", file=sys.stderr)
    sys.exit(2 if is_futile else 1)
print(f"make browser: {choice.version} at {choice.path} (from {choice.source})")
PYTHON
}

# Runs a command as root: straight, or by sudo where that needs no password.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        echo "make browser: '$*' needs root, and sudo wants a password" >&2
        return 1
    fi
}

# Apt is talkative even when quiet, so it is shown only when it fails.
apt_install() {
    local log
    log=$({
        as_root apt-get update -qq &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$@"
    } 2>&1) || {
        echo "$log" >&2
        return 1
    }
}

# On Ubuntu the package is only a pointer to a snap, which a container cannot run.
has_apt_chromium() {
    command -v apt-get >/dev/null && ! grep -qi '^ID=ubuntu' /etc/os-release
}

# The driver is a Node of its own, which a bare Debian lacks a library for.
if ! .venv/bin/python -m playwright --version >/dev/null 2>&1 && command -v apt-get >/dev/null; then
    echo "make browser: Playwright's driver does not start; installing libatomic1"
    apt_install libatomic1 || true # find_browser tells what is still wrong
fi
status=0
find_browser 2>/dev/null || status=$?
case $status in
0) exit 0 ;;
2) find_browser || exit 1 ;;
esac

echo "make browser: no working Chromium yet; trying Playwright's download"
if .venv/bin/python -m playwright install --no-shell chromium >/dev/null 2>&1; then
    if find_browser 2>/dev/null; then
        exit 0
    fi
    # Downloaded, but it does not run: the system libraries it links against are missing.
    if as_root "$PWD/.venv/bin/python" -m playwright install-deps chromium && find_browser; then
        exit 0
    fi
fi

if has_apt_chromium; then
    echo "make browser: Playwright's download failed; installing Debian's chromium (about 500 MB)"
    apt_install chromium || true # as above
fi
find_browser
