#!/usr/bin/env bash
# Rows of Protocol Buffers and Thrift, with the packages of those names from PyPI as peers: what they write is what
# testdata/ has, it goes through a Trevni file and back, and they read the same messages and structs from what comes out.
#
#   peers.sh TREVNI      the command to try
set -euo pipefail
trevni=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv" || { apt-get update -q && apt-get install -qy python3-venv && python3 -m venv "$work/venv"; }
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/rows/requirements.txt
peer() { "$work/venv/bin/python" "tests/rows/$1_peer.py" "${@:2}"; }

for kind in protobuf thrift; do
  mkdir "$work/$kind"
  peer $kind make "$work/$kind"
  for made in "$work/$kind"/*; do cmp "$made" "testdata/$kind/$(basename "$made")"; done
done

# through KIND FILE BACK OPTIONS...: a file of rows to Trevni and back.
through() {
  "$trevni" convert --from "$1" "$2" "$work/between.trv" --force "${@:4}"
  "$trevni" verify "$work/between.trv"
  "$trevni" convert "$work/between.trv" --to "$1" "$3" --force "${@:4}"
}
through protobuf testdata/protobuf/every.pb "$work/ours.pb" \
  --proto-descriptor testdata/protobuf/every.desc --message every.Every
peer protobuf check testdata/protobuf "$work/ours.pb"
for protocol in binary compact; do
  through thrift "testdata/thrift/every.$protocol" "$work/ours.$protocol" \
    --thrift testdata/thrift/every.thrift --struct Every --thrift-protocol $protocol
  peer thrift check testdata/thrift "$work/ours.$protocol" $protocol
done
