#!/bin/sh
# Builds the adapter, checks it, and runs the reader on the torchproof corpus: conformance/run.sh [OPTION...]
#
# The options belong to `torchproof run`, and their paths start at your folder. Failures that known.toml lists are expected.
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
