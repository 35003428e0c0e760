#!/usr/bin/env bash
# Builds the wheel in a fresh environment, and checks and tests the package: `check.sh [PROFILE]`.
set -euo pipefail
cd "$(dirname "$0")"
profile=${1:-release}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/../target}

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
python3 -m venv "$environment"
pip=("$environment/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" "maturin>=1.16,<1.17"
"$environment/bin/maturin" build --quiet --locked --profile "$profile" \
  --interpreter "$environment/bin/python" --out "$environment/wheels"
wheel=$(ls "$environment"/wheels/*.whl)
# The package imports without any other.
"${pip[@]}" "$wheel"
"$environment/bin/python" -P -c 'import trevni; print(trevni.__version__)'
"${pip[@]}" "$wheel[test]"
"$environment/bin/ruff" check .
"$environment/bin/ruff" format --check .
"$environment/bin/mypy"
# A caller's type checker knows the types of all that the package has.
if (cd "$environment" && . bin/activate && pyright --version) > /dev/null 2>&1; then
  (cd "$environment" && . bin/activate && pyright --verifytypes trevni --ignoreexternal > types.txt) ||
    { grep -E "error|^trevni" "$environment/types.txt"; exit 1; }
else
  echo "pyright cannot be installed" >&2
fi
# The tests are of the installed package, not of the sources beside them.
cp -r tests "$environment/tests"
cd "$environment"
TREVNI_CHECKOUT=$OLDPWD/.. bin/python -m pytest -q -p no:cacheprovider tests
