#!/usr/bin/env bash
# Create .venv (or mend it) and install odokit with its development tools at the locked versions.
# PYTHON=/path/to/python3 chooses the interpreter; else the first that is recent enough is taken.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
    echo "make venv: $*" >&2
    exit 1
}

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if is_recent "$candidate"; then
            echo "$candidate"
            return
        fi
    done
}

if [ -d .venv ] && ! is_recent .venv/bin/python; then
    echo "make venv: .venv has no working Python (any more), so it is made anew"
    rm -rf .venv
fi

if [ ! -d .venv ]; then
    python=$(find_python)
    if [ -z "$python" ]; then
        fail "${PYTHON:-python3} is not Python 3.11 or later. Install one, or say where it is:" \
            "make venv PYTHON=/path/to/python3"
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        fail "$python cannot make virtual environments. On Debian and Ubuntu:" \
            "apt-get install python3-venv (as root)"
    fi
    "$python" -m venv .venv
fi

.venv/bin/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
echo "make venv: .venv is ready, $(.venv/bin/python --version)"
