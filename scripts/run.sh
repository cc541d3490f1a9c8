#!/usr/bin/env bash
# Starts Signalbox on 127.0.0.1:3000 and the practice site on 127.0.0.1:8123, which jobs may reach.
# SIGNALBOX_SERVER__LISTEN and SIGNALBOX_SERVER__DATA move the server and its data; Ctrl-C ends both.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh

scripts/setup.sh chrome
scripts/build.sh
program=${CARGO_TARGET_DIR:-target}/release/signalbox
practice=${PRACTICE_LISTEN:-127.0.0.1:8123}
export SIGNALBOX_EGRESS__ALLOW=${SIGNALBOX_EGRESS__ALLOW:-$practice}

"$program" practice-site --listen "$practice" &
site=$!
trap 'kill "$site" 2>/dev/null || true' EXIT
"$program" serve &
server=$!
trap 'kill "$server" 2>/dev/null || true' INT TERM
wait "$server" || status=$?
# A signal ends the first wait; the server then drains.
wait "$server" 2>/dev/null || status=$?
exit "${status:-0}"
