#!/usr/bin/env bash
# Installs an older ExecuTorch release below target/readers/executorch-binding-VERSION, with torch and executorch-binding-worker:
# `setup.sh VERSION`. torch needs 5 to 7 GB per release, so CI does not run this script. Needs Python 3.11.

set -euo pipefail

version=${1:?'usage: setup.sh VERSION'}
# The binding works only with the torch release for which it was built.
case $version in
    1.0.1) torch=2.9.1 sha256=43aa8db3b0bfebcfc0ff4035162979f17aa3ab839e836613e0332e800df00034 ;;
    1.1.0) torch=2.10.0 sha256=aaeadfec7715d228a33a35c4de4e80827ece20454e9932248b50ffd4b2f52c0c ;;
    1.2.0) torch=2.11.0 sha256=746f6081e44c00f073935b452d4810ab92830170b5f2b6804a3559d27346ee41 ;;
    1.3.1) torch=2.12.1 sha256=ca69888e7281445c3fe830b259f5e80da4d7116d91fe8d4afb82c0f94ab77238 ;;
    1.4.1) torch=2.13.0 sha256=92624b57111109bb6e470c145fd0e73de66549b0fcb04cfca4e55ecd8bfe3007 ;;
    *) echo "setup.sh: found $version, expected 1.0.1, 1.1.0, 1.2.0, 1.3.1 or 1.4.1" >&2 && exit 2 ;;
esac
reader=executorch-binding-$version
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

need python3.11 'run the binding'
unpack_wheel "executorch==$version" "$sha256" executorch/ "executorch-$version.dist-info/"
if [[ ! -e $out_dir/python ]]; then
    python3.11 -m venv "$out_dir/python.new"
    "$out_dir/python.new/bin/python" -m pip install --quiet --no-cache-dir "torch==$torch" numpy ||
        die "pip cannot install torch $torch"
    mv -- "$out_dir/python.new" "$out_dir/python"
fi

worker=$out_dir/executorch-binding-worker
if outdated "$worker" "$here/worker.py" "$here/setup.sh" "$out_dir/wheel/sha256"; then
    cp -- "$here/worker.py" "$out_dir/worker.py"
    # shellcheck disable=SC2016 # the shell that runs the worker expands $0
    printf '#!/bin/sh\nhere=$(dirname "$0")\nPYTHONPATH=$here/wheel exec "$here/python/bin/python" "$here/worker.py" %s "$@"\n' \
        "$version" >"$worker.new"
    chmod +x "$worker.new"
    mv -- "$worker.new" "$worker"
fi
