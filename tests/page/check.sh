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
# The page without a server, if there is a compiler for it.
page=$(mktemp -d)
trap 'rm -rf "$page"' EXIT
if rustup target list --installed 2>/dev/null | grep -q wasm32-unknown-unknown; then
  bash "$(dirname "$0")/../../viewer/build.sh" "$page"
  size=$(gzip -c "$page/trevni.wasm" | wc -c)
  [ "$size" -le 4000000 ] || { echo "trevni.wasm takes $size bytes, compressed" >&2; exit 1; }
  python3 "$(dirname "$0")/view.py" "$trevni" "$browser" "$page"
else
  echo "SKIPPED: no target wasm32-unknown-unknown, so the page without a server was not looked at" >&2
  python3 "$(dirname "$0")/view.py" "$trevni" "$browser"
fi
