#!/usr/bin/env bash
# The second decoder of packed blocks, with a zstd for it, which most Pythons lack: what zstd went over is read as well.
#
#   peers.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv" || { apt-get update -q && apt-get install -qy python3-venv && python3 -m venv "$work/venv"; }
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/pack/requirements.txt

for file in testdata/pack/*.trv; do
  "$work/venv/bin/python" tests/pack/decode.py "$file" > "$work/found"
  "$work/venv/bin/python" - "$work/found" "${file%.trv}.jsonl" <<'PYTHON'
import json, sys
found, expected = ([json.loads(line) for line in open(path)] for path in sys.argv[1:])
sys.exit(0 if found == expected else f"{sys.argv[2]}: other values")
PYTHON
  echo "the second decoder reads $file"
done
# Files that are made now, of every kind, compared by the tests.
PATH="$work/venv/bin:$PATH" cargo test --workspace --test it -- pack::
