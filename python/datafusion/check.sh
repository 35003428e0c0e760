#!/usr/bin/env bash
# Builds both wheels in a fresh environment, and checks and tests this one: `check.sh [PROFILE]`.
set -euo pipefail
cd "$(dirname "$0")"
profile=${1:-dev}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../../target}

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
pip=("$environment/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" "maturin>=1.16,<1.17" "mypy>=2" "pyarrow>=26"
for folder in .. .; do
  (cd "$folder" && "$environment/bin/maturin" build --quiet --locked --profile "$profile" \
    --interpreter "$environment/bin/python" --out "$environment/wheels")
done
trevni=("$environment"/wheels/trevni-[0-9]*.whl)
datafusion=("$environment"/wheels/trevni_datafusion-*.whl)
"${pip[@]}" "${trevni[0]}" "${datafusion[0]}[test]"
"$environment/bin/mypy"
cp -r tests "$environment/tests"
cd "$environment"
bin/pytest -q -p no:cacheprovider tests
