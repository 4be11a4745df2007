#!/usr/bin/env bash
# Installs Netron's reader of programs, and netron-worker, which calls it, below target/readers/netron. Does nothing if both
# are up to date.

set -euo pipefail

reader=netron
platform=any
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"

version=9.3.3
sha256=37e94827e9eddadc27b94b70aacdd531436ce56b467dcba3c52144709e3612bb

need node 'run Netron'
unpack_wheel "netron==$version" "$sha256" \
    netron/{base,flatbuffers,node,python,text,zip}.js netron/executorch netron/pytorch "netron-$version.dist-info/"

worker=$out_dir/netron-worker
if outdated "$worker" "$here/worker.mjs" "$here/setup.sh" "$out_dir/wheel/sha256"; then
    # Netron's files are modules, which the HTML page declares in a browser.
    printf '{"type": "module", "version": "%s"}\n' "$version" >"$out_dir/wheel/netron/package.json"
    cp -- "$here/worker.mjs" "$out_dir/worker.mjs"
    # shellcheck disable=SC2016 # the shell that runs the worker expands $0
    printf '#!/bin/sh\nexec node "$(dirname "$0")/worker.mjs"\n' >"$worker.new"
    chmod +x "$worker.new"
    mv -- "$worker.new" "$worker"
fi
