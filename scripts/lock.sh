#!/usr/bin/env bash
# Resolve odokit and its development tools afresh in a passing environment; write constraints.txt.
# Use the oldest Python we support (PYTHON=..., Debian 12 has 3.11.2): some packages' newest releases
# ask for a later 3.11, and a lock made there cannot be installed here.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --editable '.[dev]'
{
    echo "# Exact versions of every package that odokit[dev] needs, used by make venv and"
    echo "# environment.yml. Written by make lock; do not edit."
    "$folder/venv/bin/python" -m pip freeze --exclude odokit | grep -E '^[A-Za-z0-9._-]+==[^ ]+$'
} >"$folder/constraints.txt"
mv "$folder/constraints.txt" constraints.txt
echo "make lock: constraints.txt pins $(grep -c == constraints.txt) packages"
