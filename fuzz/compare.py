#!/usr/bin/env python3
"""Compares `hunt` with libFuzzer and random bytes: fuzz/compare.py [--seconds N] [--reader ADDR].

Without --reader, the reader is conformance/tests/faux/planted.cpp, which has twenty planted defects. A site is a function with a
planted defect. Each fuzzer runs for N seconds with one process on the accepted files of the corpus. libFuzzer needs clang++; without
clang++, the script skips libFuzzer.

With --reader exec:COMMAND, the script compares `hunt` with random bytes on that reader. A site is then the two innermost functions
in stderr. If stderr contains no functions, the site is the stage and the signal. Do not publish the crashes of a released reader:
see SECURITY.md.
"""

import argparse
import json
import os
import random
import re
import selectors
import shlex
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "conformance/tests/faux/planted.cpp"
PLANTED = set(re.findall(r"^PLANTED .*?(\w+)\(", SOURCE.read_text(), re.MULTILINE))
FLAGS = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
# clang prints the namespace before the name of a function.
FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ in (?:\(anonymous namespace\)::)?([^\s(]+)")
STAGE = re.compile(r"torchproof-stage: (\w+)")


def site_of(stderr, status):
    """Returns the site of a crash: a planted defect, the innermost functions, or the last stage and the status."""
    functions = FRAME.findall(stderr)
    planted = [name for name in functions if name in PLANTED]
    if planted:
        return planted[0]
    stages = STAGE.findall(stderr)
    return " < ".join(functions[:2]) or f"{stages[-1] if stages else '-'} {status}"


class Sites:
    """The sites so far, with the time of the first crash at each site."""

    def __init__(self, name):
        self.name, self.begin, self.times, self.crashes = name, time.monotonic(), {}, 0

    def add(self, site):
        self.crashes += 1
        self.times.setdefault(site, time.monotonic() - self.begin)

    def row(self, seconds, extra=""):
        half = sum(at <= seconds / 2 for at in self.times.values())
        last = max(self.times.values(), default=0)
        print(f"| {self.name} | {half} | {len(self.times)} | {last:.0f} s | {extra} |", flush=True)


def hunt(program, reader, seconds, folder):
    """Runs `hunt` without shrinking, then shrinks the files of its clusters."""
    sites, found = Sites("`hunt`"), []
    out = folder / "campaign"
    command = [program, "hunt", "--reader", reader, "--only", "crash", "--jobs", "1", "--out", out]
    session = subprocess.Popen([*command, "--time", str(seconds), "--shrink", "0", "--format", "json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in session.stderr:
        name = re.match(r"torchproof: found (\S+):", line)
        if name:
            found.append((name[1], time.monotonic() - sites.begin))
    report = json.loads(session.stdout.read())
    clusters = {one["id"]: one for one in report["clusters"]}
    for name, at in found:
        frames = clusters[name].get("frames", [])
        site = next((frame for frame in frames if frame in PLANTED), " < ".join(frames) or clusters[name]["signature"])
        sites.times.setdefault(site, at)
    shrunk = subprocess.run([*command, "--time", "0", "--shrink", "20", "--shrink-total", str(seconds), "--format", "json"],
                            capture_output=True, text=True)
    sizes = [one.get("shrunk", one["size"]) for one in json.loads(shrunk.stdout)["clusters"]]
    small = sum(size < 2048 for size in sizes)
    sites.row(seconds, f"{report['files']} files, {len(clusters)} clusters; {small} of {len(sizes)} shrunk files below 2 KB")


def accepted():
    """Returns the roles and bytes of the accepted files of the corpus."""
    manifest = json.loads((ROOT / "corpus/manifest.json").read_text())
    cases = [case for case in manifest["cases"] if case["verdict"] == "accept" and not case.get("needs")]
    files = [case["files"][0] for case in cases]
    return [(file["role"], (ROOT / "corpus" / file["path"]).read_bytes()) for file in files]


def random_bytes(reader, seconds, folder):
    """Changes one to eight random bytes of the accepted files of the corpus."""
    sites, choice, files = Sites("random bytes"), random.Random(1), accepted()
    command, worker, count = shlex.split(reader.removeprefix("exec:")), None, 0
    path = folder / "file"
    log = folder / "stderr"
    while time.monotonic() - sites.begin < seconds:
        if worker is None:
            log.write_bytes(b"")
            worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log.open("ab"))
            ask(worker, {"op": "hello", "protocol": 1})
        role, original = choice.choice(files)
        file = bytearray(original)
        for _ in range(choice.randint(1, 8)):
            file[choice.randrange(len(file))] = choice.randrange(256)
        path.unlink(missing_ok=True)
        path.write_bytes(file)
        count += 1
        read = {"op": "read", "seq": count, "files": [{"role": role, "path": str(path)}], "stage": "execute", "want": "verdict"}
        if not ask(worker, read):
            worker.kill()
            sites.add(site_of(log.read_text(errors="replace"), worker.wait()))
            worker = None
        elif count % 256 == 0:
            os.truncate(log, 0)
    if worker is not None:
        worker.kill()
    sites.row(seconds, f"{count} files")


def ask(worker, request):
    """Sends a request and returns the reply. The reply is empty if the worker ends or is silent for five seconds."""
    try:
        worker.stdin.write(json.dumps(request).encode() + b"\n")
        worker.stdin.flush()
    except BrokenPipeError:
        return b""
    with selectors.DefaultSelector() as selector:
        selector.register(worker.stdout, selectors.EVENT_READ)
        return worker.stdout.readline() if selector.select(5) else b""


def libfuzzer(program, seconds, folder):
    sites = Sites("libFuzzer")
    (folder / "new").mkdir()
    # Omit the rejected files of the corpus, because these files trigger planted defects without any fuzzing.
    for index, (_, content) in enumerate(accepted()):
        (folder / "new" / str(index)).write_bytes(content)
    command = [program, "-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1", "-rss_limit_mb=0", "-max_len=16384",
               f"-max_total_time={seconds}", f"-artifact_prefix={folder}/", folder / "new"]
    session = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    for line in session.stderr:
        frame = FRAME.search(line)
        if frame and frame[1] in PLANTED:
            sites.add(frame[1])
    sites.row(seconds, f"{sites.crashes} crashes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--reader")
    parser.add_argument("--torchproof", default=ROOT / "target/release/torchproof")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reader = args.reader
        if reader is None:
            worker = folder / "planted"
            subprocess.run(["g++", *FLAGS, "-fsanitize=address,undefined", SOURCE, "-o", worker], check=True)
            reader = f"exec:{worker}"
        print(f"| fuzzer | sites after {args.seconds // 2} s | sites after {args.seconds} s | last site | |\n|---|--:|--:|--:|---|")
        hunt(args.torchproof, reader, args.seconds, folder)
        random_bytes(reader, args.seconds, folder)
        if args.reader is None and shutil.which("clang++"):
            target = folder / "fuzzer"
            sanitizers = "-fsanitize=fuzzer,address,undefined"
            subprocess.run(["clang++", *FLAGS, "-DPLANTED_FUZZER", sanitizers, SOURCE, "-o", target], check=True)
            libfuzzer(target, args.seconds, folder)


main()
