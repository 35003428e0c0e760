#!/usr/bin/env bash
# Opens the pages of `trevni describe --html` and `trevni view` in a browser without a window, and compares what they
# show with the rows.
# check.sh TREVNI
set -euo pipefail
trevni=$(realpath "$1")
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$browser" ]; then
  echo "SKIPPED: no Chromium is installed, and none could be; nothing has looked at the pages" >&2
  exit 0
fi
python3 "$(dirname "$0")/check.py" "$trevni" "$browser"
python3 "$(dirname "$0")/view.py" "$trevni" "$browser"
