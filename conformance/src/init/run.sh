#!/bin/sh
# Builds the adapter, checks it, and runs the reader on the torchproof corpus: conformance/run.sh [OPTION...]
#
# The options are those of `torchproof run`; paths are relative to the current folder. Failures listed in known.toml are expected.
set -eu
here=$(dirname "$0")
@BUILD@
case " $* " in
*" --known-failures"*) ;;
*" --update-known "*) set -- --known-failures "$here/known.toml" "$@" ;;
*) [ ! -f "$here/known.toml" ] || set -- --known-failures "$here/known.toml" "$@" ;;
esac
case " $* " in
*" --results"* | *" --rerun-failed"*) ;;
*) set -- --results "$here/target/results.jsonl" "$@" ;;
esac
exec torchproof run --selftest --reader "@READER@" "$@"
