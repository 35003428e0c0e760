#!/usr/bin/env bash
# Lints the package and runs all of its tests: those in one process, and those of a cluster of processes with a store that
# speaks S3, which moto plays in an environment of its own.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check -r ../../tests/remote/requirements.txt
cargo fmt --check
cargo clippy --locked --all-targets -- -D warnings
PATH=$environment/bin:$PATH cargo test --locked -- --include-ignored
