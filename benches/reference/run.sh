#!/usr/bin/env bash
# The reference's own times on this machine, then ours over the same rows.
#
#   run.sh [REPETITIONS]
set -euo pipefail
here=$(realpath "$(dirname "$0")")
cd "$here/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
path=$(tests/reference/build.sh "$work/classes" "$here/Timing.java")
java -Xmx1600m -cp "$path" Timing "${1:-12}" "$work"
cargo bench --features full --bench columns -- columns/
