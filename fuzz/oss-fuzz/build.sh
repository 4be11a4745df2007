#!/bin/bash -eu
# Copyright 2026 the torchproof founders
# Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0
#
# Builds the fuzz targets for OSS-Fuzz and ClusterFuzzLite. As usual there, SRC contains the sources in `torchproof`,
# and OUT receives the targets with their options, dictionaries and seed archives.
#
# With SANITIZER=none, the stable compiler is enough. With SANITIZER=address, cargo-fuzz needs a nightly compiler.

cd "$SRC/torchproof"

if [[ $SANITIZER == none ]]; then
    cargo fuzz build -O --debug-assertions -s none
else
    cargo fuzz build -O --debug-assertions
fi
built=$(cargo metadata --no-deps --format-version 1 | jq -r .target_directory)/$(rustc -vV | sed -n 's/^host: //p')/release

for source in fuzz/fuzz_targets/*.rs; do
    target=$(basename "$source" .rs)
    cp "$built/$target" "$OUT/"
    cp "fuzz/oss-fuzz/$target.options" "$OUT/"
    # A target either has a folder with seeds, or uses the corpus as seeds. `attack` reads the same input as `generate`.
    seeds=fuzz/seeds/${target/attack/generate}
    if [[ -d $seeds ]]; then
        files=("$seeds"/*)
    else
        mapfile -t files < <(find corpus/files corpus/real -type f \( -name '*.pte' -o -name '*.ptd' -o -name '*.bpte' \) | sort)
    fi
    rm -f "$OUT/${target}_seed_corpus.zip"
    zip -q "$OUT/${target}_seed_corpus.zip" "${files[@]}"
done
cp corpus/dict/*.dict fuzz/dict/*.dict "$OUT/"
