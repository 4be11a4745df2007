#!/bin/sh
# Builds the adapter, checks it, and runs the reader on the torchproof corpus: conformance/run.sh [OPTION...]
#
# The options belong to `torchproof run`, and their paths start at your folder. Failures that known.toml lists are expected.
set -eu
here=$(dirname "$0")
@BUILD@
case " $* " in
*" --known"*) ;;
*" --update-known "*) set -- --known "$here/known.toml" "$@" ;;
*) [ ! -f "$here/known.toml" ] || set -- --known "$here/known.toml" "$@" ;;
esac
case " $* " in
*" --results"* | *" --failed-of"*) ;;
*) set -- --results "$here/target/results.jsonl" "$@" ;;
esac
exec torchproof run --selftest --reader "@READER@" "$@"
