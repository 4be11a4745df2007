#!/bin/sh
# Builds the adapter, checks it, and runs the reader on the torchproof corpus: conformance/run.sh [OPTION...]
#
# The options belong to `torchproof run`. If the file known.toml exists, the failures in this list are expected.
set -eu
cd "$(dirname "$0")"
@BUILD@
torchproof selftest --reader '@READER@'
if [ -f known.toml ]; then
    set -- --known known.toml "$@"
fi
exec torchproof run --reader '@READER@' "$@"
