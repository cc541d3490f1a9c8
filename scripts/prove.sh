#!/usr/bin/env bash
# What is too long for every run. Each part takes at most 30 minutes; a seed that it prints can be given back
# in PROVE_SEED.
#
#   scripts/prove.sh queue   fifty kills, hundreds of thousands of rows, long property tests
#   scripts/prove.sh pool    five hundred tasks with crashes and hangs, then a kill
#   scripts/prove.sh deny    licences, bans and sources of every dependency
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/env.sh
scripts/setup.sh build chrome
. scripts/env.sh

queue() {
  PROPTEST_CASES=20000 cargo test --locked -p server --lib queue
  PROPTEST_CASES=20000 cargo test --locked -p app --features ssr model
  cargo test --locked -p server --features prove --test prove_queue -- --nocapture --test-threads 1
}

pool() { cargo test --locked -p server --features prove --test prove_pool -- --nocapture; }

deny() {
  scripts/setup.sh prove
  cargo deny check bans licenses sources
}

if [ $# -eq 0 ]; then set -- queue pool deny; fi
for name in "$@"; do
  case $name in
    queue | pool | deny) printf '\n== prove %s\n' "$name"; "$name" ;;
    *) echo "prove: unknown part '$name': queue, pool or deny" >&2; exit 2 ;;
  esac
done
