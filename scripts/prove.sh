#!/usr/bin/env bash
# What is too long for every run. Each part takes at most 30 minutes; a seed that it prints can be given back
# in PROVE_SEED.
#
#   scripts/prove.sh queue   fifty kills, hundreds of thousands of rows, long property tests
#   scripts/prove.sh pool    five hundred tasks with crashes and hangs, then a kill
#   scripts/prove.sh desk    breakers and rules at length, orders through twenty kills, a hundred claims at once
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

desk() {
  PROPTEST_CASES=20000 cargo test --locked -p server --lib breaker
  PROPTEST_CASES=20000 cargo test --locked -p server --lib rules
  PROPTEST_CASES=20000 cargo test --locked -p server --lib orders
  cargo test --locked -p server --features prove --test prove_desk -- --nocapture --test-threads 1
}

deny() {
  scripts/setup.sh prove
  cargo deny check bans licenses sources
}

if [ $# -eq 0 ]; then set -- queue pool desk deny; fi
for name in "$@"; do
  case $name in
    queue | pool | desk | deny) printf '\n== prove %s\n' "$name"; "$name" ;;
    *) echo "prove: unknown part '$name': queue, pool, desk or deny" >&2; exit 2 ;;
  esac
done
