#!/usr/bin/env bash
# Builds libtorchproof_mutator and installs it: `fuzz/mutator/install.sh PREFIX`.
#
# The folder PREFIX receives the static and the shared library, the C header, and the CMake package `torchproof_mutator`.
set -euo pipefail

prefix=${1:?expected a folder: fuzz/mutator/install.sh PREFIX}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
profile=${PROFILE:-release}
cargo build --manifest-path "$here/c/Cargo.toml" --profile "$profile"
target=$(cargo metadata --manifest-path "$here/c/Cargo.toml" --format-version 1 --no-deps |
    sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
built=$target/${profile/#dev/debug}
install -d "$prefix/include" "$prefix/lib/cmake/torchproof_mutator"
install -m 644 "$built"/libtorchproof_mutator.{a,so} "$prefix/lib"
install -m 644 "$here/c/include/torchproof_mutator.h" "$prefix/include"
install -m 644 "$here"/cmake/*.cmake "$prefix/lib/cmake/torchproof_mutator"
