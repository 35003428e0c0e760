#!/usr/bin/env bash
# Fills corpus/ with small files of the test data: `bash fuzz/seeds.sh [FOLDER...]`; default: testdata.
set -euo pipefail
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- ../testdata

# Copies files of up to 50,000 bytes, each named after its content, behind a first byte if one is given.
add() { # TARGET [BYTE]; paths on stdin
  mkdir -p "corpus/$1"
  while IFS= read -r path; do
    name=$(sha1sum < "$path" | cut -c 1-40)
    { [ $# -lt 2 ] || printf '%b' "$2"; cat "$path"; } > "corpus/$1/$name"
  done
}
files() { # FOLDERS -- ENDINGS
  local folders=()
  while [ "$1" != -- ]; do folders+=("$1"); shift; done
  shift
  for ending in "$@"; do find "${folders[@]}" -type f -size -50000c -name "*.$ending"; done
}

files "$@" -- trv | add trevni_file
files "$@" -- trv avro csv tsv json jsonl parquet arrow arrows blp b2frame b2nd | add row_file
files "$@" -- blp b2frame b2nd chunk | add blosc
files "$@" -- pb | add messages '\x00'
files "$@" -- binary | add messages '\x01'
files "$@" -- compact | add messages '\x02'
files "$@" -- avsc thrift | add schema
files "$@" -- predicate | add predicate
for predicate in 'a = 1 and b != "x" or not c is null' 'p.q between -1.5 and 2e3' 'a in (1, 2, null)' \
  'name like "a%_\_"' 'day >= date "2024-02-29" and at < timestamp "2024-02-29T01:02:03.5Z"' '"odd name" is not null'; do
  printf '%s' "$predicate" > "corpus/predicate/$(printf '%s' "$predicate" | sha1sum | cut -c 1-40)"
done
