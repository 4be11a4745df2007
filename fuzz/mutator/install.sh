#!/usr/bin/env bash
# Builds libtorchproof_mutator and installs it: `fuzz/mutator/install.sh PREFIX`.
#
# PREFIX receives the static and the shared library, the C header, and the CMake package `torchproof_mutator`. The script runs
# on Linux and builds for its own machine, with cargo's profile PROFILE, by default `release`.
set -euo pipefail

prefix=${1:?expected a folder: fuzz/mutator/install.sh PREFIX}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
if [[ $(uname -s) != Linux ]]; then
    echo "install.sh: found $(uname -s), expected Linux; build torchproof-mutator-c with cargo and copy its libraries" >&2
    exit 1
fi
profile=${PROFILE:-release}
manifest=$here/c/Cargo.toml
# With this variable, cargo would write to another folder, and could build for another machine.
unset CARGO_BUILD_TARGET
cargo build --manifest-path "$manifest" --profile "$profile"
metadata=$(cargo metadata --manifest-path "$manifest" --format-version 1 --no-deps)
target=$(sed 's/.*"target_directory":"\([^"]*\)".*/\1/' <<<"$metadata")
version=$(sed 's/.*"name":"torchproof-mutator-c","version":"\([^"]*\)".*/\1/' <<<"$metadata")
built=$target/${profile/#dev/debug}
cmake=$prefix/lib/cmake/torchproof_mutator
install -d "$prefix/include" "$cmake"
install -m 644 "$built"/libtorchproof_mutator.{a,so} "$prefix/lib"
install -m 644 "$here/c/include/torchproof_mutator.h" "$prefix/include"
install -m 644 "$here"/cmake/*.cmake "$cmake"
sed "s/@VERSION@/$version/" "$here/cmake/version.cmake.in" >"$cmake/torchproof_mutator-config-version.cmake"
