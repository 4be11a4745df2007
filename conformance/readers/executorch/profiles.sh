#!/usr/bin/env bash
# Writes the profiles of the released Python wheels to src/prediction/wheels, from the workers that are installed in target/readers:
# `conformance/readers/executorch/profiles.sh`. conformance/readers/executorch-binding/setup.sh VERSION installs one.

set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.."

target=${CARGO_TARGET_DIR:-$PWD/target}
for worker in "$target"/readers/executorch-binding-*/executorch-binding-worker; do
    version=$(basename -- "$(dirname -- "$worker")")
    version=${version#executorch-binding-}
    cargo run -q -p torchproof-cli -- build-profile --reader "exec:'$worker' minimal" --memory-mb 0 --start-timeout 1m \
        >"src/prediction/wheels/$version.json.new"
    mv -- "src/prediction/wheels/$version.json.new" "src/prediction/wheels/$version.json"
done
