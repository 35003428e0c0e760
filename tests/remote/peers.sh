#!/usr/bin/env bash
# Files in a store that speaks S3 (moto, from PyPI, on loopback): what the command writes there is what it writes at home,
# as a client that is not ours (boto3) gets it, and reads back the same, whole and in part; over plain HTTP too, from a
# server with ranges and from one without.
#
#   peers.sh TREVNI      the command to try
set -euo pipefail
trevni=$(realpath "$1")
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT

python3 -m venv "$work/venv" || { apt-get update -q && apt-get install -qy python3-venv && python3 -m venv "$work/venv"; }
"$work/venv/bin/pip" install --quiet --disable-pip-version-check -r tests/remote/requirements.txt
peer() { "$work/venv/bin/python" tests/remote/store_peer.py "$@"; }

export AWS_ACCESS_KEY_ID=peer AWS_SECRET_ACCESS_KEY=peer AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
mkdir "$work/plain"
"$work/venv/bin/python" tests/remote/store_peer.py serve "$work/plain/ports" > "$work/server.log" 2>&1 &
server=$!
for _ in $(seq 300); do [ -e "$work/plain/ports" ] || sleep 0.1; done
read -r s3 plain ranged < "$work/plain/ports" || { cat "$work/server.log"; exit 1; }
export AWS_ENDPOINT="http://127.0.0.1:$s3" AWS_ALLOW_HTTP=true
peer bucket peers

home() { echo "$work/plain/$1"; }
there() { echo "s3://peers/a/$1"; }

# A small file, by one request.
"$trevni" convert testdata/rows/quakes.csv "$(home quakes.trv)"
"$trevni" convert testdata/rows/quakes.csv "$(there quakes.trv)"
peer get peers a/quakes.trv | cmp - "$(home quakes.trv)"
# One that exists is refused, unless it may be replaced.
if "$trevni" convert testdata/rows/quakes.csv "$(there quakes.trv)"; then exit 1; fi
"$trevni" convert testdata/rows/quakes.csv "$(there quakes.trv)" --force

# A large one, in parts; the rows are the same whatever the format between.
"$trevni" schema "$(home quakes.trv)" --format json > "$work/schema.json"
"$trevni" random "$work/schema.json" 600000 "$(home large.trv)"
"$trevni" random "$work/schema.json" 600000 "$(there large.trv)"
[ "$(stat -c %s "$(home large.trv)")" -gt 16000000 ]
peer get peers a/large.trv | cmp - "$(home large.trv)"
if "$trevni" random "$work/schema.json" 600000 "$(there large.trv)"; then exit 1; fi
"$trevni" convert "$(there large.trv)" "$(there large.parquet)" --rows 100000..300000
[ -z "$(peer left peers)" ]

# The same from everywhere: S3, HTTP with ranges, HTTP without, and the file itself.
columns=$(head -1 testdata/rows/quakes.csv | cut -d, -f2,4)
for file in quakes large; do
  for from in "$(there $file.trv)" "http://127.0.0.1:$ranged/$file.trv" "http://127.0.0.1:$plain/$file.trv" "file://$(home $file.trv)"; do
    same() { cmp <("$trevni" "$1" "$from" "${@:2}") <("$trevni" "$1" "$(home $file.trv)" "${@:2}"); }
    for what in count meta schema head; do same $what; done
    same cat --columns "$columns" --rows 100..250
    same cat --columns "$columns" --where "magnitude > 5"
    same cat --format csv --columns "$columns"
  done
done
# A data set: the same rows as at home, whole, in columns and by a condition; keys as boto3 sees them.
"$trevni" convert testdata/rows/quakes.csv "$(there table/)" --partition-by magnitude_type,reviewed --file-rows 200
"$trevni" convert testdata/rows/quakes.csv "$(home table/)" --partition-by magnitude_type,reviewed --file-rows 200
if "$trevni" convert testdata/rows/quakes.csv "$(there table/)"; then exit 1; fi
sorted() { "$trevni" "$@" | sort; }
every() {
  cmp <(sorted cat "$(there table/)") <(sorted cat "$(home table/)")
  cmp <(sorted cat "$(there table/)" --columns id,reviewed,magnitude) <(sorted cat "$(home quakes.trv)" --columns id,reviewed,magnitude "$@")
  cmp <(sorted cat "$(there table/)" --columns id --where "magnitude_type = 'mww' and magnitude > 5 or felt is null") \
    <(sorted cat "$(home table/)" --columns id --where "magnitude_type = 'mww' and magnitude > 5 or felt is null")
  for what in count schema; do cmp <("$trevni" $what "$(there table/)") <("$trevni" $what "$(home table/)"); done
}
every
peer keys peers a/table/ | grep '^a/table/magnitude_type=mww/reviewed=true/part-[0-9a-f]*\.trv$' > /dev/null
[ "$(peer keys peers a/table/_commits/ | wc -l)" = 2 ]
[ "$("$trevni" cat "$(there table/)" --where "magnitude_type = 'mww' and magnitude > 5" | wc -l)" -gt 0 ]
"$trevni" convert "$(home quakes.trv)" "$(there table/)" --rows 0..50 --force
"$trevni" convert "$(home quakes.trv)" "$(home table/)" --rows 0..50 --force
every --rows 0..50
"$trevni" convert "$(home quakes.trv)" "$(there table/)" --rows 50..70 --append
"$trevni" convert "$(home quakes.trv)" "$(home table/)" --rows 50..70 --append
every --rows 0..70
# Values with signs in them.
"$trevni" convert "$(home quakes.trv)" "$(there places/)" --rows 0..5 --partition-by place
cmp <(sorted cat "$(there places/)") <(sorted cat "$(home quakes.trv)" --rows 0..5)
[ "$("$trevni" count "$(there places/)" --where "place = 'Kermadec Islands'")" = 1 ]
peer keys peers a/places/ | grep '^a/places/place=Kermadec%20Islands/part-' > /dev/null
[ -z "$(peer left peers)" ]

# SQL: any URL of a statement has its store, to read from and to write to.
[ "$("$trevni" sql "select count(*) as n from q" "q=$(there quakes.trv)" --format csv)" = "$(printf 'n\n%s' "$("$trevni" count "$(home quakes.trv)")")" ]
table="create external table q stored as trevni location '$(there quakes.trv)'"
cmp <("$trevni" sql "$table; select id, magnitude from q order by id" --format csv) \
  <("$trevni" sql "select id, magnitude from q order by id" "q=$(home quakes.trv)" --format csv)
"$trevni" sql "copy (select * from q where magnitude > 5) to '$(there strong.trv)' stored as trevni" "q=$(home quakes.trv)" > /dev/null
[ "$("$trevni" count "$(there strong.trv)")" = "$("$trevni" count "$(home quakes.trv)" --where "magnitude > 5")" ]

cmp <("$trevni" cat "$(there large.parquet)") <("$trevni" cat "$(home large.trv)" --rows 100000..300000)
"$trevni" verify "$(there large.trv)"

# Over HTTP only what is needed is fetched: the requests of a command, and their bytes.
requests() {
  : > "$work/plain/requests"
  "$trevni" "$1" "http://127.0.0.1:$ranged/$2" "${@:3}" > /dev/null
  awk '{ bytes += $1 } END { print NR, bytes + 0 }' "$work/plain/requests"
}
at_most() {
  read -r n bytes < <(requests "${@:3}")
  [ "$n" -le "$1" ] && [ "$bytes" -le "$2" ] || { echo "${*:3}: $n requests, $bytes bytes"; exit 1; }
}
"$trevni" convert "$(home large.trv)" "$(home large.parquet)"
"$trevni" convert "$(home large.trv)" "$(home large.arrow)"
large=$(stat -c %s "$(home large.trv)")
for what in count schema meta; do at_most 1 524288 $what large.trv; done
at_most 20 2000000 size large.trv
at_most 4 $((large / 3)) cat large.trv --columns magnitude
at_most 1 1048576 count large.parquet
at_most 1 1048576 schema large.parquet
at_most 8 $(($(stat -c %s "$(home large.parquet)") / 3)) cat large.parquet --columns magnitude
at_most 1 1048576 schema large.arrow
