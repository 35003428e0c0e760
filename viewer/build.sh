#!/usr/bin/env bash
# Makes the page that needs no server: build.sh DIR. Any web server can serve the folder as it is.
set -euo pipefail
to=$1
cd "$(dirname "$0")"
rustup target add wasm32-unknown-unknown >/dev/null 2>&1 || true
cargo build --quiet --locked --release --target wasm32-unknown-unknown --target-dir ../target
page=../crates/trevni-viewer/page
mkdir -p "$to"
cp "$page"/*.css "$page"/*.js "$to"
cp ../target/wasm32-unknown-unknown/release/trevni_page.wasm "$to/trevni.wasm"
policy="default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; worker-src 'self'; connect-src *"
sed -e 's/data-engine="server"/data-engine="worker"/' \
  -e "s|<meta charset=\"utf-8\">|&\n<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">|" \
  "$page/index.html" > "$to/index.html"
