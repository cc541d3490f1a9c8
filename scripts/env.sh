# The environment of a build: sourced by the scripts and the Makefile's recipes.
CARGO_HOME=${CARGO_HOME:-$HOME/.cargo}
SIGNALBOX_TOOLS=${SIGNALBOX_TOOLS:-$CARGO_HOME/signalbox-tools}
PATH=$SIGNALBOX_TOOLS/node_modules/.bin:$CARGO_HOME/bin:$PATH
export CARGO_HOME SIGNALBOX_TOOLS PATH
# Where rustup could not bring the browser's target, setup.sh has made a toolchain that has it.
if [ -e "$SIGNALBOX_TOOLS/toolchain/.complete" ]; then export RUSTUP_TOOLCHAIN=signalbox; fi
