#!/usr/bin/env bash
# Writes the profiles of the released Python wheels to src/prediction/wheels: `conformance/readers/executorch/profiles.sh`. Of the
# releases before 1.5, the script covers those that conformance/readers/executorch-binding/setup.sh VERSION has installed.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.."

target=${CARGO_TARGET_DIR:-$PWD/target}
cargo build -q -p torchproof-cli
torchproof=$target/debug/torchproof

# write VERSION COMMAND...: writes the profile that the command prints.
write() {
    local profile=src/prediction/wheels/$1.json
    "${@:2}" >"$profile.new"
    "$torchproof" build-profile "$profile.new" >"$profile.checked"
    mv -- "$profile.checked" "$profile"
    rm -- "$profile.new"
}

for worker in "$target"/readers/executorch-binding-*/executorch-binding-worker; do
    [[ -e $worker ]] || continue
    version=$(basename -- "$(dirname -- "$worker")")
    write "${version#executorch-binding-}" "$torchproof" build-profile \
        --reader "exec:'$worker' minimal" --memory-mb 0 --start-timeout 1m
done

# From 1.5 on, the Python module `_C` registers nothing itself: the kernels and backends are in libraries to which it links, and these
# libraries need no torch.
for version in 1.5.0 1.5.1; do
    conformance/readers/executorch/setup.sh "$version"
    reader=$target/readers/executorch-$version
    [[ -e $reader ]] || reader=$target/readers/executorch
    root=$reader/wheel/executorch
    mapfile -t libraries < <(readelf -d "$root"/extension/pybindings/_C.*.so | sed -nE 's/.*NEEDED.*\[(libexecutorch.*)\]/-l:\1/p')
    g++ -std=c++17 -DC10_USING_CUSTOM_GENERATED_MACROS -Ipackaging/build-profile \
        -isystem "$root/include" -isystem "$root/include/executorch/runtime/core/portable_type/c10" \
        -x c++ - -o "$reader/print-profile" -L"$root/lib" -Wl,--no-as-needed "${libraries[@]}" -Wl,-rpath,"$root/lib" <<<"
            #include <build_profile.hpp>
            int main() { torchproof::print_build_profile(stdout, \"executorch:$version\"); }"
    write "$version" "$reader/print-profile"
done
