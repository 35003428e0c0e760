#!/usr/bin/env bash
# The reference implementation reads what trevni writes: every codec that it has, with and without a checksum, both
# layouts, columns as declared and as their first blocks suggest. It prints the rows, and so does trevni.
#
#   peers.sh TREVNI      the command to try
set -euo pipefail
trevni=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
path=$("$here/build.sh" "$work/classes") || code=$?
case $code in
  0) ;;
  75) echo "skipped: the reference is out of reach" >&2; exit 0 ;;
  *) exit $code ;;
esac

# check OPTIONS...: the file just written.
check() {
  "$trevni" tojson "$work/made.trv" >"$work/ours.json"
  java -cp "$path" org.apache.avro.tool.ToJson "$work/made.trv" >"$work/theirs.json"
  python3 "$here/same.py" "$work/ours.json" "$work/theirs.json" || { echo "with $*" >&2; exit 1; }
  echo "the reference reads $*"
}

for codec in null snappy deflate bzip2; do
  for options in "--layout split" "--layout avro --checksum null" "--layout split --no-sampling --block-size 1000"; do
    # shellcheck disable=SC2086 # words are meant
    for rows in quakes.csv visits.jsonl parcels.csv; do
      "$trevni" convert "testdata/rows/$rows" "$work/made.trv" --force --codec $codec $options 2>/dev/null
      check "$rows" --codec $codec $options
    done
    # shellcheck disable=SC2086
    "$trevni" random "$here/every.avsc" 3000 "$work/made.trv" --force --codec $codec $options
    check every.avsc --codec $codec $options
  done
done
