#!/usr/bin/env bash
# Installs an older ExecuTorch release with torch below target/readers/executorch-binding-VERSION, and writes
# executorch-binding-worker there: `setup.sh VERSION`. torch needs 5 to 7 GB per release, so CI does not run this script.

set -euo pipefail

version=${1:?'usage: setup.sh VERSION'}
# The binding works only with the torch release for which it was built.
case $version in
    1.0.1) torch=2.9.1 ;;
    1.1.0) torch=2.10.0 ;;
    1.2.0) torch=2.11.0 ;;
    1.3.1) torch=2.12.1 ;;
    1.4.1) torch=2.13.0 ;;
    *) echo "setup.sh: found $version, expected 1.0.1, 1.1.0, 1.2.0, 1.3.1 or 1.4.1" >&2 && exit 2 ;;
esac
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
out_dir=$(cd -- "$here/../../.." && pwd)/target/readers/executorch-binding-$version

python3 -m venv "$out_dir/python"
"$out_dir/python/bin/pip" install --quiet "torch==$torch" numpy
"$out_dir/python/bin/pip" install --quiet --no-deps "executorch==$version"
cp -- "$here/worker.py" "$out_dir/worker.py"
# shellcheck disable=SC2016 # for the shell that runs the worker
printf '#!/bin/sh\nexec "$(dirname "$0")/python/bin/python" "$(dirname "$0")/worker.py" %s "$@"\n' "$version" \
    >"$out_dir/executorch-binding-worker"
chmod +x "$out_dir/executorch-binding-worker"
