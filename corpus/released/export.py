#!/usr/bin/env python3
"""Writes the files of this folder with the serializer of each release: export.py COMMAND [WHEELS].

COMMAND is the program torchproof, which dumps the content of each file to the folder expect. The script needs Python's package flatbuffers
25.12.19, which serializers since 1.2.0 use, and downloads the wheel of each release
with pip (170 MB in all), or uses those in the folder WHEELS, and needs Linux on x86_64, because ExecuTorch's wheels contain the compiler
flatc. A serializer needs neither torch nor the exporter around it, so stand-ins take their place.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TITLES = {
    "constants": "a tensor with a constant",
    "control-flow": "a move, a jump, and a second method",
    "delegate-inline": "a delegate's blob inside the FlatBuffer",
    "delegate-segment": "a delegate's blob in a segment",
    "external": "a weight in a data file",
    "values": "a value of every type",
}


def releases():
    """Returns the release, the name of its wheel, and its digest, for each line of releases.tsv."""
    lines = (HERE / "releases.tsv").read_text().splitlines()[1:]
    return [line.split("\t") for line in lines]


def write_files(release, wheel, out):
    """Unpacks the wheel and writes its files in a process of its own, because a process imports only one release."""
    with tempfile.TemporaryDirectory(prefix="torchproof-released-") as folder:
        with zipfile.ZipFile(wheel) as archive:
            parts = ("executorch/exir/", "executorch/extension/flat_tensor/", "executorch/extension/__init__", "executorch/data/")
            archive.extractall(folder, [name for name in archive.namelist() if name.startswith(parts)])
        flatc = Path(folder, "executorch/data/bin/flatc")
        if flatc.exists():
            flatc.chmod(0o755)
        environment = os.environ | {"PATH": f"{flatc.parent}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run([sys.executable, HERE / "serialize.py", folder, release, out], env=environment, check=True)


def case(folder, names, name, release, writer, command):
    """Returns the entry of the manifest for a program with its data file, or for a data file."""
    paths = [name] + [data for data in [name.replace(".pte", ".ptd")] if data != name and data in names]
    stem, kind = name.split(".")
    id = f"{kind}/by-{release.replace('.', '-')}/{stem.replace('_', '-')}"
    files = []
    for path in paths:
        data = names[path]
        role = "program" if path.endswith(".pte") else "data"
        path = stored(folder / path, data)
        files.append({"role": role, "path": path, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
    content = subprocess.run([command, "dump", HERE / files[0]["path"]], stdout=subprocess.PIPE, check=True).stdout
    expect = Path("expect", files[0]["path"].removeprefix("files/")).with_suffix(f".{kind}.json")
    (HERE / expect).parent.mkdir(parents=True, exist_ok=True)
    (HERE / expect).write_bytes(content)
    program = json.loads(content).get("program", {})
    external = any(value["val"].get("extra_tensor_info", {}).get("location") == "EXTERNAL" for plan in program.get("execution_plan", []) for value in plan["values"])
    inside = len(program.get("constant_buffer", [])) > 1 or "constant_segment" in program and not program["constant_segment"].get("offsets")
    needs = [need for need, applies in [("constant-buffer", inside), ("pairs", external)] if applies]
    entry = {
        "id": id,
        "title": TITLES.get(stem, stem.replace("_", " ")) + f", by {release}",
        "why": f"{writer} {release} wrote the file, and a reader must still read what was released.",
        "files": files,
        "verdict": "accept",
        "strength": "must",
        "expect": expect.as_posix(),
        "budget": {"ms": 5000, "memory_mib": 1024},
    }
    return entry | ({"needs": needs} if needs else {}) | {"status": "active", "since": "0.1.0"}


STORED = {}


def stored(path, data):
    """Returns the path of the first file with these bytes, and deletes all others: most releases write the same bytes as the one before."""
    first = STORED.setdefault((path.suffix, data), path)
    if first != path:
        path.unlink(missing_ok=True)
    return first.relative_to(HERE).as_posix()


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(f"export.py: found {len(sys.argv) - 1} arguments, expected 1 or 2: COMMAND [WHEELS]")
    command = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="torchproof-wheels-") as new:
        for release, name, digest in releases():
            wheel = Path(sys.argv[2] if len(sys.argv) == 3 else new, name)
            if not wheel.exists():
                platforms = ["--platform", "manylinux_2_28_x86_64", "--platform", "manylinux2014_x86_64", "--platform", "manylinux1_x86_64"]
                options = ["--quiet", "--no-deps", "--only-binary=:all:", "--python-version", "3.11", *platforms, "--dest", new]
                subprocess.run([sys.executable, "-m", "pip", "download", *options, f"executorch=={release}"], check=True)
            found = hashlib.sha256(wheel.read_bytes()).hexdigest()
            if found != digest:
                sys.exit(f"{wheel}: found the SHA-256 {found}, expected {digest}")
            folder = HERE / "files" / release
            shutil.rmtree(folder, ignore_errors=True)
            write_files(release, wheel, folder)
    write_manifest(command)


def write_manifest(command):
    cases = []
    for release, *_ in releases():
        folder = HERE / "files" / release
        names = {path.name: path.read_bytes() for path in folder.iterdir()}
        for name in sorted(names):
            cases.append(case(folder, names, name, release, "The serializer of ExecuTorch", command))
    for line in (HERE / "exported.tsv").read_text().splitlines()[1:]:
        release, name, *_ = line.split("\t")
        folder = HERE / "files/exported" / release
        names = {path.name: path.read_bytes() for path in folder.iterdir()}
        cases.append(case(folder, names, name, release, "The exporter of ExecuTorch", command))
    for folder in (HERE / "files").iterdir():
        if not any(folder.iterdir()):
            folder.rmdir()
    cases.sort(key=lambda case: case["id"])
    lines = "".join(f"{file['sha256']}  {file['path']}\n" for each in cases for file in each["files"])
    head = {"manifest": 1, "version": "0.1.0", "digest": hashlib.sha256(lines.encode()).hexdigest()}
    rows = ",\n".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in cases)
    text = "{\n" + "".join(f"{json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items()) + f'"cases": [\n{rows}\n]\n}}\n'
    (HERE / "manifest.json").write_text(text)
    columns = ["id", "verdict", "path", "with", "needs", "control", "rule", "stage"]
    rows = [[each["id"], each["verdict"], each["files"][0]["path"], ",".join(file["path"] for file in each["files"][1:]),
             ",".join(each.get("needs", [])), "", "", ""] for each in cases]
    index = "".join("\t".join(cell or "-" for cell in cells) + "\n" for cells in [columns, *rows])
    (HERE / "index.tsv").write_text(index)


if __name__ == "__main__":
    main()
