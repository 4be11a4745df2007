#!/usr/bin/env bash
# Builds executorch-worker, and a library for the benchmarks, with a released runtime: `setup.sh` with the newest one in
# target/readers/executorch, and `setup.sh VERSION` with an older one in target/readers/executorch-VERSION. Does nothing if
# the output is up to date.

set -euo pipefail

newest=1.5.1
version=${1:-$newest}
reader=executorch
[[ $version == "$newest" ]] || reader=executorch-$version
# Only these wheels contain the runtime as a library. Older ones have it only inside Python modules that need torch.
case $version in
1.5.1) sha256=274c28c2fe2b76acb03f9fa381537425c40e0098dcf886baf6d97a1a55ffe300 ;;
1.5.0) sha256=970d9ec9fc7fb7e30ece5b942b16ddc84372353af94ebf69d94687153ac8ab67 ;;
*)
    printf 'executorch/setup.sh: found version %s, expected 1.5.1 or 1.5.0\n' "$version" >&2
    exit 1
    ;;
esac
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

need g++ 'compile the worker'
need nm 'list the symbols of a library'
unpack_wheel "executorch==$version" "$sha256" \
    executorch/include/ executorch/lib/ executorch/extension/pybindings/_C. \
    executorch/codegen/tools/selective_build "executorch-$version.dist-info/"

worker=$out_dir/executorch-worker
library=$out_dir/libtorchproof_executorch.so
sources=("$here"/*.{c,h}pp "$here"/*.{h,inc} "$here"/setup.sh "$here"/../common/* "$out_dir/wheel/sha256")
if outdated "$worker" "${sources[@]}" || outdated "$library" "${sources[@]}"; then
    root=$out_dir/wheel/executorch
    # The macro disables the include of a generated header that the wheel lacks. The run path is relative, so that the target
    # folder can be moved. -O1 and -g let a debugger show the line of a crash.
    compile=(g++ -std=c++17 -g -Wall -Wextra -DC10_USING_CUSTOM_GENERATED_MACROS
        -isystem "$root/include" -isystem "$root/include/executorch/runtime/core/portable_type/c10")
    link=(-L"$root/lib" -lexecutorch "-Wl,-rpath,\$ORIGIN/wheel/executorch/lib")
    # This is the only Python module with the API of bundled programs that does not need torch. The worker never calls Python,
    # so a placeholder replaces each of Python's symbols.
    tools=$root/codegen/tools
    bundled=$(basename -- "$tools"/selective_build.*.so)
    nm -D --undefined-only "$tools/$bundled" |
        sed -nE 's/^ *U (_?Py[A-Za-z0-9_]*)$/extern "C" { char \1[1024]; }/p' >"$out_dir/python.cpp"
    "${compile[@]}" -O1 -DTORCHPROOF_READER_VERSION="\"$version\"" "$here/worker.cpp" "$out_dir/python.cpp" \
        -o "$worker.new" -L"$tools" "-l:$bundled" "-Wl,-rpath,\$ORIGIN/wheel/executorch/codegen/tools" "${link[@]}" -ldl ||
        die 'the worker does not compile'
    # The benchmarks call the runtime without a worker process.
    "${compile[@]}" -O2 -DNDEBUG -fPIC -shared -fvisibility=hidden "$here/load.cpp" -o "$library.new" "${link[@]}" ||
        die 'the library does not compile'
    mv -- "$library.new" "$library"
    mv -- "$worker.new" "$worker"
fi
