#!/usr/bin/env bash
# Opens the page of `trevni describe --html` in a browser without a window, and compares what it shows with the rows.
# check.sh TREVNI
set -euo pipefail
trevni=$(realpath "$1")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
python3 "$(dirname "$0")/check.py" "$trevni" "$browser"
