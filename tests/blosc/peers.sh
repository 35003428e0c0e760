#!/usr/bin/env bash
# Containers of the Blosc family, with the Python packages of their own as peers: bloscpack, bcolz (zipline's) and
# blosc2 read what the example writes and changes, the command reads what they write, and both make the same of files.
#
#   peers.sh TREVNI CONTAINERS      the command and the example to try
#   PYTHON=...                      a Python that has the packages of requirements.txt; otherwise they are fetched
set -euo pipefail
trevni=$(realpath "$1")
containers=$(realpath "$2")
cd "$(dirname "$0")"
# Thousands of files are written and made sure of: memory will do for them.
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT

python=${PYTHON:-$work/venv/bin/python}
if [ -z "${PYTHON:-}" ]; then
  python3 -m venv "$work/venv" || { apt-get update -q && apt-get install -qy python3-venv && python3 -m venv "$work/venv"; }
  "$python" -m pip install --quiet --disable-pip-version-check -r requirements.txt
fi
"$containers" "$work/ours"
"$python" peer.py ours "$work/ours"
mkdir "$work/theirs" "$work/blpk"
"$python" peer.py theirs "$work/theirs" "$trevni"
"$python" peer.py changes "$work/ours" "$trevni"
mkdir "$work/appends"
"$python" peer.py appends "$work/appends" "$trevni" 20
"$python" peer.py blpk "$work/blpk" "$trevni"
