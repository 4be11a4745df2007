#!/usr/bin/env bash
# Builds target/readers/executorch/executorch-worker from the released runtime. Quick when nothing changed.

set -euo pipefail

reader=executorch
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

version=1.5.1
sha256=274c28c2fe2b76acb03f9fa381537425c40e0098dcf886baf6d97a1a55ffe300

need g++ 'compile the worker'
unpack_wheel "executorch==$version" "$sha256" \
    executorch/include/ executorch/lib/libexecutorch.so executorch/lib/libexecutorch_{kernels,threadpool} \
    "executorch-$version.dist-info/"

worker=$out_dir/executorch-worker
if outdated "$worker" "$here"/*.{c,h}pp "$here"/setup.sh "$here"/../common/* "$out_dir/wheel/sha256"; then
    root=$out_dir/wheel/executorch
    # The wheel's headers come without the generated one that c10 asks for; the macro says not to. The run path is
    # relative, so that the target folder can be moved. -O1 -g: a crash should show its line. The kernels register
    # themselves, so the worker calls nothing in their libraries and the linker would leave them out.
    g++ -std=c++17 -O1 -g -Wall -Wextra -DC10_USING_CUSTOM_GENERATED_MACROS \
        -DTORCHPROOF_READER_VERSION="\"$version\"" \
        -isystem "$root/include" -isystem "$root/include/executorch/runtime/core/portable_type/c10" \
        "$here/worker.cpp" -o "$worker.new" \
        -L"$root/lib" -lexecutorch -Wl,--push-state,--no-as-needed -lexecutorch_kernels_{optimized,quantized} \
        -Wl,--pop-state "-Wl,-rpath,\$ORIGIN/wheel/executorch/lib" || die 'the worker does not compile'
    mv -- "$worker.new" "$worker"
fi
