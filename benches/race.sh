#!/usr/bin/env bash
# Measures trevni and its peers, and writes the tables and charts of the pages.
#
#   race.sh [FILE...]     FILE...: more tables, the group "surveys"
#
# Tables are fetched to $TREVNI_TABLES, target/tables if it is not set; results go to benches/results. Vortex needs Rust 1.95,
# clang and its library (Debian: clang, libclang-dev). It takes up to two hours on two cores, half an hour of it to build.
set -euo pipefail
more=()
for file in "$@"; do more+=("$(realpath "$file")"); done
cd "$(dirname "$0")/.."
root=$PWD
tables=${TREVNI_TABLES:-$root/target/tables}
results=$root/benches/results
mkdir -p "$results"
say() { echo "$(date +%H:%M:%S) $*" >&2; }

# The same sources, as a user of the crate builds them and for the processor of this machine.
build() {
  say "building $1, $2"
  local flags=; [ "$2" = default ] || flags="-C target-cpu=native"
  local profile=release; [ "$2" = default ] || profile=native
  RUSTFLAGS=$flags cargo build --locked --quiet --profile "$profile" --features vortex \
    --manifest-path "benches/$1/Cargo.toml" --target-dir target
}
binary() { [ "$2" = default ] && echo "target/release/$1" || echo "target/native/$1"; }

python3 benches/peers/data/fetch.py "$tables"
for kind in default native; do
  build peers "$kind"
  peers=$(binary peers "$kind")
  for group in flat nested text; do
    say "$group, $kind"
    "$peers" --json --seconds 8 --file "$tables/$group"/* > "$results/$group-$kind.json"
  done
  if [ ${#more[@]} -gt 0 ]; then
    say "surveys, $kind"
    "$peers" --json --seconds 8 --file "${more[@]}" > "$results/surveys-$kind.json"
  fi
  say "generated tables, $kind"
  "$peers" --json --seconds 8 --tables lineitem,taxi,events,trips,visits,prices > "$results/made-$kind.json"
  say "large, $kind"
  "$peers" --json --seconds 30 --file "$tables/large"/* --tables lineitem_sf1 > "$results/large-$kind.json"
done
say "store and disk"
peers=$(binary peers native)
"$peers" --remote --json > "$results/remote.json"
"$peers" --cold "$tables/cold" --json --file "$tables/flat/flights-3m.parquet" "$tables/flat/debian.csv.gz" \
  "$tables/large/packages.jsonl.gz" "$tables/large/contents.csv.gz" > "$results/cold.json"
engines=parquet,parquet-pushdown,parquet-zstd3,memory,trevni-snappy,trevni-pack,vortex
for kind in default native; do
  build sql "$kind"
  for workload in tpch web-log; do
    say "SQL, $workload, $kind"
    "$(binary sql-race "$kind")" --workload "$workload" --data "$tables/sql-$workload" --engines "$engines" \
      --out "$results/sql-$workload-$kind.json"
  done
done
python3 benches/report.py "$results"
