# Sourced by `run` and `full`: runs steps, and prints at the end how long each took.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TERM_COLOR=never CARGO_INCREMENTAL=0

# For files that steps write.
out=$(mktemp -d)
times=$out/times
trap 'finish $?' EXIT

# Runs a command, and notes its time.
step() {
  printf '\n== %s (at %s s)\n' "$*" "$SECONDS"
  local start=$SECONDS
  "$@"
  printf '%5s s  %s\n' "$((SECONDS - start))" "$*" >> "$times"
}

# Runs a command for a package with a lock file of its own. Its dependencies have other features than those of the
# workspace and are built anew: without optimization, and with the lints of the package read off the same build.
step_apart() {
  CARGO_PROFILE_DEV_OPT_LEVEL=0 RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__ step "$@"
}

finish() {
  printf '\n== the steps of %s\n' "$0"
  [[ ! -e $times ]] || cat "$times"
  printf '%5s s  in all, exit code %s\n' "$SECONDS" "$1"
  rm -rf "$out"
}
