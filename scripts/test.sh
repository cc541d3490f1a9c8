#!/usr/bin/env bash
# Everything that tests need, then all tests: formatting and lints, unit and integration tests with a real
# Chrome, and the end-to-end tests in a real Chromium against the real server.
#
#   scripts/test.sh [lint|rust|e2e ...]    all three where none is named
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

scripts/setup.sh build chrome test
. scripts/env.sh
began=$SECONDS
part() { printf '\n== %s (at %d s)\n' "$1" $((SECONDS - began)); }

# A toolchain that was made for the browser's target has neither rustfmt nor clippy: the stable one has.
lint_with=()
if [ "${RUSTUP_TOOLCHAIN:-}" = signalbox ]; then lint_with=(env RUSTUP_TOOLCHAIN=stable); fi

lint() {
  part "formatting"
  "${lint_with[@]}" cargo fmt --all --check
  part "clippy: server and its half of app"
  "${lint_with[@]}" cargo clippy --locked -p server -p app --features app/ssr --all-targets -- -D warnings
  part "clippy: the browser's half of app"
  "${lint_with[@]}" cargo clippy --locked -p frontend -- -D warnings
}

rust() {
  part "tests of app"
  cargo test --locked -p app --features ssr
  part "tests of server"
  cargo test --locked -p server
}

e2e() {
  part "release build"
  scripts/build.sh
  part "end-to-end tests"
  cd end2end
  PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-fund --no-audit
  npx tsc --noEmit
  npm test
  cd ..
}

if [ $# -eq 0 ]; then set -- lint rust e2e; fi
for name in "$@"; do
  case $name in
    lint | rust | e2e) "$name" ;;
    *) echo "test: unknown part '$name': lint, rust or e2e" >&2; exit 2 ;;
  esac
done
part "done"
