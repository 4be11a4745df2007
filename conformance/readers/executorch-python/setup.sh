#!/usr/bin/env bash
# Installs the deserializers of ExecuTorch's Python package, and executorch-python-worker, which calls them, below
# target/readers/executorch-python. Does nothing if both are up to date.

set -euo pipefail

reader=executorch-python
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

version=1.5.1
sha256=274c28c2fe2b76acb03f9fa381537425c40e0098dcf886baf6d97a1a55ffe300
# The deserializer of programs uses the flatbuffers package, and that of data files the program flatc in ExecuTorch's wheel.
flatbuffers=25.12.19
flatbuffers_sha256=7634f50c427838bb021c2d66a3d1168e9d199b0607e6329399f04846d42e20b4

need python3 'run the worker'
unpack_wheel "executorch==$version" "$sha256" \
    executorch/{exir,extension/flat_tensor,devtools/bundled_program,data/bin}/ "executorch-$version.dist-info/"
(
    out_dir=$out_dir/flatbuffers
    platform=any
    mkdir -p -- "$out_dir"
    unpack_wheel "flatbuffers==$flatbuffers" "$flatbuffers_sha256" flatbuffers/ "flatbuffers-$flatbuffers.dist-info/"
)

worker=$out_dir/executorch-python-worker
if outdated "$worker" "$here/worker.py" "$here/setup.sh" "$out_dir/wheel/sha256"; then
    chmod +x "$out_dir/wheel/executorch/data/bin/flatc" # Python's zipfile does not preserve the executable bit
    # The runner starts the worker again after each crash, so compile the modules now.
    python3 -m compileall -q "$out_dir/wheel" "$out_dir/flatbuffers/wheel" || die 'the package does not compile'
    cp -- "$here/worker.py" "$out_dir/worker.py"
    # Isolated mode (-I -S) ignores the Python packages of this machine.
    # shellcheck disable=SC2016 # the shell that runs the worker expands $0
    printf '#!/bin/sh\nexec python3 -I -S "$(dirname "$0")/worker.py" %s\n' "$version" >"$worker.new"
    chmod +x "$worker.new"
    mv -- "$worker.new" "$worker"
fi
