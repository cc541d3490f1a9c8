#!/usr/bin/env bash
# Builds the server and its pages in release: target/release/signalbox and target/site.
# With nothing changed since the last build it does nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

target=${CARGO_TARGET_DIR:-target}
stamp=$target/site/.built
if [ -x "$target/release/signalbox" ] && [ -e "$stamp" ]; then
  changed=$(find Cargo.toml Cargo.lock app server/src server/Cargo.toml server/examples frontend style migrations scripts/build.sh \
    -newer "$stamp" -type f -print -quit 2>/dev/null)
  [ -n "$changed" ] || exit 0
  echo "build: $changed has changed" >&2
fi
scripts/setup.sh build
. scripts/env.sh
if [ -d "$target/release/deps" ]; then
  echo "build: server and pages in release (a few minutes)" >&2
else
  echo "build: server and pages in release, everything for the first time (about ten minutes on two cores)" >&2
fi
started=$SECONDS
# Each part of the split bundle has a hash in its name; what an earlier build left would be served for ever.
rm -rf "$target/site"
LEPTOS_SITE_ROOT=$target/site cargo leptos build --release --split --precompress
touch "$stamp"
echo "build: done in $((SECONDS - started)) s" >&2
