#!/usr/bin/env bash
# Installs what building, running and testing Signalbox needs and this machine lacks.
#
#   scripts/setup.sh build    a toolchain with the wasm32 target, cargo-leptos, wasm-bindgen, wasm-opt
#   scripts/setup.sh chrome   a Chrome for the pool
#   scripts/setup.sh test     full Chromium and readable fonts for the end-to-end tests
#   scripts/setup.sh prove    cargo-deny
#
# Everything goes where the next clone finds it (cargo's, rustup's and the system's own folders).
# A run with nothing missing takes about a second. What cannot be installed is named, with the remedy.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/env.sh"

WASM_TARGET=wasm32-unknown-unknown
CARGO_LEPTOS_VERSION=0.3.11
CARGO_DENY_VERSION=0.19.0
BINARYEN_VERSION=132
WASM_BINDGEN_VERSION=$(sed -n 's/^wasm-bindgen = "=\([0-9.]*\)"$/\1/p' "$here/../Cargo.toml")
RUST_MINIMUM=96 # cargo-leptos 0.3.11 needs rustc 1.96

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$1"; shift; for line in "$@"; do printf '       %s\n' "$line" >&2; done; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; elif have sudo; then sudo "$@"; else return 1; fi
}

apt_updated=no
apt_install() {
  have apt-get || return 1
  local log; log=$(mktemp)
  if [ $apt_updated = no ]; then as_root apt-get update -qq >"$log" 2>&1 || true; apt_updated=yes; fi
  if as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >>"$log" 2>&1; then
    rm -f "$log"
  else
    tail -n 5 "$log" >&2; rm -f "$log"; return 1
  fi
}

rust_minor() { "$@" --version 2>/dev/null | sed -n 's/^rustc 1\.\([0-9]*\)\..*/\1/p'; }

has_wasm_std() { # has_wasm_std RUSTC...: does this compiler have the browser's standard library?
  local root; root=$("$@" --print sysroot 2>/dev/null) || return 1
  ls "$root/lib/rustlib/$WASM_TARGET/lib/"libstd-*.rlib >/dev/null 2>&1
}

c_compiler() {
  have cc && return
  say "no C compiler: installing build-essential and pkg-config (about a minute)"
  apt_install build-essential pkg-config ||
    die "a C compiler is needed (SQLite is built from source)" "remedy: install gcc or clang, then run this again"
}

# The ordinary way: rustup brings the target. Where it cannot, Debian's own compiler serves, with the
# target's standard library built once from Debian's library sources into a toolchain folder of ours.
toolchain() {
  have rustup || have rustc || die "Rust is missing" "remedy: install it from https://rustup.rs, then run this again"
  if [ -e "$SIGNALBOX_TOOLS/toolchain/.complete" ]; then return; fi
  if has_wasm_std rustc && [ "$(rust_minor rustc)" -ge $RUST_MINIMUM ]; then return; fi
  if have rustup; then
    say "asking rustup for $WASM_TARGET"
    if [ "$(rust_minor rustc)" -lt $RUST_MINIMUM ]; then timeout 300 rustup update stable >/dev/null 2>&1 || true; fi
    timeout 300 rustup target add $WASM_TARGET >/dev/null 2>&1 || true
    if has_wasm_std rustc && [ "$(rust_minor rustc)" -ge $RUST_MINIMUM ]; then return; fi
  fi
  say "rustup has no $WASM_TARGET here: using Debian's compiler (about two minutes)"
  apt_install rustc-web cargo-web rust-web-src rust-web-llvm lld-22 || die \
    "no Rust compiler of 1.$RUST_MINIMUM or later with the target $WASM_TARGET can be had" \
    "remedy: 'rustup update stable && rustup target add $WASM_TARGET' on a machine that reaches rustup's server," \
    "or Debian 12's packages rustc-web cargo-web rust-web-src rust-web-llvm lld-22"
  debian_toolchain
}

debian_toolchain() {
  local root=$SIGNALBOX_TOOLS/toolchain work host source
  host=$(/usr/bin/rustc -vV | sed -n 's/^host: //p')
  source=$(find /usr/src -maxdepth 2 -type d -name library -path '*rust*' | head -n 1)
  [ -n "$source" ] || die "the sources of Rust's standard library are missing under /usr/src" "remedy: apt-get install rust-web-src"
  work=$(mktemp -d)
  say "building the standard library for $WASM_TARGET (about a minute)"
  cp -rL "$source" "$work/library"
  (
    cd "$work"
    export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_PROFILE_RELEASE_DEBUG=0 __CARGO_DEFAULT_LIB_METADATA=std
    export RUSTFLAGS="-Cembed-bitcode=yes -Zforce-unstable-if-unmarked" CARGO_TARGET_DIR=$work/target
    unset RUSTUP_TOOLCHAIN
    /usr/bin/cargo build --quiet --manifest-path library/sysroot/Cargo.toml --target $WASM_TARGET --release
  ) || die "the standard library for $WASM_TARGET did not build" "remedy: see the compiler's message above"
  rm -rf "$root"
  mkdir -p "$root/bin" "$root/lib/rustlib/$WASM_TARGET/lib"
  cp "$work/target/$WASM_TARGET/release/deps/"*.rlib "$root/lib/rustlib/$WASM_TARGET/lib/"
  ln -s "/usr/lib/rustlib/$host" "$root/lib/rustlib/$host"
  ln -s /usr/bin/cargo "$root/bin/cargo"
  for tool in rustc rustdoc; do
    printf '#!/bin/sh\nexec /usr/bin/%s --sysroot "%s" "$@"\n' $tool "$root" >"$root/bin/$tool"
    chmod +x "$root/bin/$tool"
  done
  rm -rf "$work"
  rustup toolchain link signalbox "$root"
  touch "$root/.complete"
}

cargo_tool() { # cargo_tool COMMAND WANTED-VERSION MINUTES PACKAGE ARGS...
  local command=$1 wanted=$2 minutes=$3; shift 3
  if have "$command" && "$command" --version 2>/dev/null | grep -qF " $wanted"; then return; fi
  say "installing $1 $wanted (about $minutes minutes, once)"
  # Full optimisation of a build tool costs 20 minutes on two cores and gives nothing back.
  CARGO_PROFILE_RELEASE_LTO=false CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
    CARGO_TARGET_DIR="$SIGNALBOX_TOOLS/build" \
    cargo install --quiet --force --version "$wanted" "$@" ||
    die "$1 $wanted could not be installed" "remedy: see cargo's message above; 'cargo install $*' by hand must succeed"
  rm -rf "$SIGNALBOX_TOOLS/build"
}

wasm_opt() {
  [ -x "$SIGNALBOX_TOOLS/node_modules/.bin/wasm-opt" ] &&
    "$SIGNALBOX_TOOLS/node_modules/.bin/wasm-opt" --version | grep -q " $BINARYEN_VERSION" && return
  have npm || die "Node.js with npm is missing (it brings wasm-opt)" "remedy: install Node.js 20 or later"
  say "installing wasm-opt $BINARYEN_VERSION"
  npm install --silent --no-fund --no-audit --prefix "$SIGNALBOX_TOOLS" "binaryen@$BINARYEN_VERSION" ||
    die "wasm-opt $BINARYEN_VERSION could not be installed" "remedy: 'npm install binaryen@$BINARYEN_VERSION' by hand must succeed"
}

find_chrome() {
  [ -n "${SIGNALBOX_POOL__BINARY:-}" ] && [ -x "${SIGNALBOX_POOL__BINARY:-}" ] && return
  local name
  for name in chromium-headless-shell chrome-headless-shell google-chrome google-chrome-stable chromium chromium-browser; do
    have $name && return
  done
  [ -x "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" ]
}

chrome() {
  find_chrome && return
  say "no Chrome found: installing chromium-headless-shell (about a minute)"
  apt_install chromium-headless-shell || apt_install chromium || die "no Chrome or Chromium can be had" \
    "remedy: install Chrome, Chromium or chrome-headless-shell, or name one in SIGNALBOX_POOL__BINARY"
}

test_tools() {
  if ! have chromium && ! have google-chrome && ! have google-chrome-stable; then
    say "installing Chromium for the end-to-end tests (about a minute)"
    apt_install chromium || die "no full Chromium can be had" "remedy: install Chromium or Chrome"
  fi
  if have apt-get && ! ls /usr/share/fonts/opentype/noto/NotoSansCJK* >/dev/null 2>&1; then
    say "installing fonts"
    apt_install fonts-noto-cjk fonts-dejavu-core || say "no fonts: screenshots of Chinese pages show boxes"
  fi
}

build_tools() {
  mkdir -p "$SIGNALBOX_TOOLS"
  c_compiler
  toolchain
  . "$here/env.sh" # names the toolchain that was just made
  wasm_opt
  cargo_tool wasm-bindgen "$WASM_BINDGEN_VERSION" 2 wasm-bindgen-cli
  cargo_tool cargo-leptos "$CARGO_LEPTOS_VERSION" 6 cargo-leptos --locked --features no_downloads
}

for part in "${@:-build}"; do
  case $part in
    build) build_tools ;;
    chrome) chrome ;;
    test) chrome; test_tools ;;
    prove) cargo_tool cargo-deny "$CARGO_DENY_VERSION" 5 cargo-deny --locked ;;
    *) die "unknown part '$part'" "remedy: build, chrome, test or prove" ;;
  esac
done
