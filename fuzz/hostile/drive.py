#!/usr/bin/env python3
"""Compares what the sandbox prevents with probes.tsv: `drive.py TORCHPROOF MODE [USER_ID]`.

The script runs probe.py as a reader, and also looks at the effects from outside, about which a reader can be wrong.
MODE is `bwrap`, `landlock` or `off`. With `off`, every attempt must succeed; otherwise, its row proves nothing. The exit code
is 0 if every row is as expected, 1 if a row differs, and 3 if this system lacks the mode.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import platform
import pty
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import termios
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
SECRET = "torchproof-probe-secret"
# The functions of probe.py that succeed in every mode.
PERMITTED = ["permitted", "mess"]
# A Python that another user can also start.
PYTHON = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin") or sys.executable


def rows():
    lines = (HERE / "probes.tsv").read_text().splitlines()[1:]
    return [dict(zip(("id", "attempt", "needs", "report", "bwrap", "landlock"), line.split("\t"))) for line in lines]


def read_number(path):
    try:
        return int(Path(path).read_text())
    except OSError:
        return 0


def is_supported(cell):
    """Returns whether this kernel is at least the version that a cell names."""
    version = lambda text: tuple(int(number) for number in re.findall(r"\d+", text)[:2])
    return version(cell) <= version(platform.release())


class Targets:
    """The files, sockets and processes that the attempts aim at, and the effects on them."""

    def __init__(self, base, user):
        self.base, self.user, self.received = base, user, set()
        self.own, self.victims = {}, {}
        for row in rows():
            file = base / row["id"]
            file.write_text("whole")
            self.own[row["id"]] = {"file": str(file), "key": 0x7470_0000 + os.getpid() % 1000 * 100 + len(self.own)}
        for name, kind, protocol in [("tcp", "stream", 0), ("tcp-fast-open", "stream", 0), ("mptcp", "stream", 262),
                                     ("udp", "dgram", 0)]:
            self.listen(name, socket.AF_INET, kind, ("127.0.0.1", 0), protocol)
        self.listen("named-socket", socket.AF_UNIX, "stream", str(base / "stream"))
        self.listen("datagram-from-pair", socket.AF_UNIX, "dgram", str(base / "datagram"))
        self.listen("abstract-socket", socket.AF_UNIX, "stream", f"\0torchproof-probe-{os.getpid()}")
        for name in ["out-of-memory-score", "see-process", "debug", "signal", "signal-by-descriptor", "limits", "priority",
                     "affinity", "scheduler", "disk-priority", "performance"]:
            self.victims[name] = subprocess.Popen(["sleep", "600"], env={"SECRET": SECRET}, **self.as_user())
            self.own[name]["process"] = self.victims[name].pid
        self.states = {name: self.state(name) for name in self.victims}
        os.mkfifo(base / "pipe")
        self.pipe = os.open(base / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        self.master, self.slave = pty.openpty()
        os.set_blocking(self.master, False)
        self.shared = Path(f"/dev/shm/torchproof-probe-{os.getpid()}")
        self.device = Path(f"/dev/torchproof-probe-{os.getpid()}")
        self.all = {"pipe": str(base / "pipe"), "terminal": os.ttyname(self.slave), "shared": str(self.shared),
                    "device": str(self.device), "secret": SECRET,
                    "ring_disabled": read_number("/proc/sys/kernel/io_uring_disabled") > 0,
                    "debug_disabled": read_number("/proc/sys/kernel/yama/ptrace_scope") > 0 and user != 0}
        os.chown(os.ttyname(self.slave), user, user)
        for path in [base, *base.rglob("*")]:
            os.lchown(path, user, user)

    def as_user(self):
        """Returns the options that start a program as the user."""
        return {"user": self.user, "group": self.user, "extra_groups": []} if self.user != os.getuid() else {}

    def listen(self, name, family, kind, address, protocol=0):
        try:
            one = socket.socket(family, socket.SOCK_STREAM if kind == "stream" else socket.SOCK_DGRAM, protocol)
        except OSError:
            one = socket.socket(family, socket.SOCK_STREAM)  # The kernel has no MPTCP, so the attempt is unsupported.
        one.bind(address)
        self.own[name]["address"] = one.getsockname() if family == socket.AF_INET else address
        if kind == "stream":
            one.listen()

        def wait():
            kept = []  # An attempt that sends to a closed connection would fail.
            while True:
                kept.append(one.accept() if kind == "stream" else one.recv(64))
                self.received.add(name)
        threading.Thread(target=wait, daemon=True).start()

    def state(self, name):
        """Returns the properties of a process that an attempt could change."""
        pid = self.victims[name].pid
        if self.victims[name].poll() is not None:
            return "ended"
        limits, score = (Path(f"/proc/{pid}/{file}").read_text() for file in ("limits", "oom_score_adj"))
        return limits, score, os.getpriority(os.PRIO_PROCESS, pid), os.sched_getaffinity(pid), os.sched_getscheduler(pid)

    def effects(self):
        """Returns the attempts whose effect is visible from outside, and all attempts whose effect would be visible."""
        seen, visible = set(self.received), {name for name, own in self.own.items() if "address" in own}
        silent = {"see-process", "debug", "disk-priority", "performance"}
        silent |= {"affinity"} if len(os.sched_getaffinity(0)) == 1 else set()
        visible |= self.victims.keys() - silent
        seen |= {name for name in self.victims if self.state(name) != self.states[name]}
        files = {
            "write-file": lambda file: file.read_text() != "whole", "truncate-file": lambda file: not file.read_text(),
            "write-through-link": lambda file: file.read_text() != "whole",
            "inherited-file": lambda file: file.read_text() != "whole", "remove-file": lambda file: not file.exists(),
            "change-mode": lambda file: file.stat().st_mode & 0o4000, "change-times": lambda file: file.stat().st_mtime == 0,
        }
        for name in ["create-file", "make-folder", "rename-file", "move-out"]:
            files[name] = lambda file: Path(f"{file}.new").exists()
        tables = {"shared-memory": "shm", "semaphores": "sem", "message-queue": "msg"}
        for name, table in tables.items():
            lines = Path(f"/proc/sysvipc/{table}").read_text().splitlines()[1:]
            files[name] = lambda file, keys=[line.split()[0] for line in lines], key=str(self.own[name]["key"]): key in keys
        for name, path in {"shared-memory-file": self.shared, "write-dev": self.device}.items():
            files[name] = lambda file, path=path: path.exists()
        for name, descriptor in {"named-pipe": self.pipe, "write-terminal": self.master}.items():
            files[name] = lambda file, descriptor=descriptor: has_data(descriptor)
        queue = b"/torchproof-probe-%d" % self.own["posix-queue"]["key"]
        files["posix-queue"] = lambda file: ctypes.CDLL(None).mq_unlink(queue) == 0
        visible |= files.keys()
        seen |= {name for name, is_seen in files.items() if is_seen(self.base / name)}
        return seen, visible

    def clean(self):
        for process in self.victims.values():
            process.kill()
            process.wait()
        for name, option in {"shared-memory": "-M", "semaphores": "-S", "message-queue": "-Q"}.items():
            subprocess.run(["ipcrm", option, str(self.own[name]["key"])], stderr=subprocess.DEVNULL)
        for path in (self.shared, self.device):
            path.unlink(missing_ok=True)


def has_data(descriptor):
    try:
        return bool(os.read(descriptor, 64))
    except OSError:
        return False


def write_corpus(folder):
    """Writes a corpus with one case for each row, and the cases that must succeed in every mode."""
    cases = []
    for name in [row["id"] for row in rows()] + PERMITTED:
        (folder / "files").mkdir(parents=True, exist_ok=True)
        (folder / "files" / name).write_text(name)
        file = {"role": "program", "path": f"files/{name}", "sha256": hashlib.sha256(name.encode()).hexdigest(), "size": len(name)}
        # The case `mess` comes last, because the attempts of one process share a temporary folder.
        cases.append({"id": f"pte/{'then' if name == 'mess' else 'probe'}/{name}", "title": "", "why": "", "verdict": "accept", "strength": "must", "status": "active",
                      "since": "0.0.1", "files": [file], "budget": {"ms": 20_000, "memory_mib": 256}, "needs": []})
    version = json.loads((HERE / "../../corpus/manifest.json").read_text())["manifest"]
    manifest = {"manifest": version, "version": "0.0.1", "digest": "none", "cases": sorted(cases, key=lambda case: case["id"])}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def run(targets, torchproof, mode):
    """Runs the probes, and returns the report."""
    base = targets.base
    path = os.environ["PATH"] if mode == "bwrap" else "/nonexistent"
    (base / "targets.json").write_text(json.dumps({"all": targets.all, "own": targets.own}))
    command = [torchproof, "run", "--in-order", "--corpus", base / "corpus", "--results", base / "results.jsonl", "--report", f"json={base}/report",
               "--reader", f"exec:{PYTHON} {base}/probe.py {base}/targets.json"]
    command += ["--no-sandbox"] if mode == "off" else []

    environment = {"PATH": path, "TMPDIR": str(base / "tmp"), "SECRET": SECRET}
    inherited = os.open(base / "inherited-file", os.O_WRONLY)
    # The runner gets a controlling terminal, as in an interactive session.
    done = subprocess.run(command, cwd=base, env=environment, start_new_session=True, pass_fds=[targets.slave, inherited],
                          preexec_fn=lambda: fcntl.ioctl(targets.slave, termios.TIOCSCTTY, 0), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, **targets.as_user())
    if not (base / "report").exists():
        sys.exit(f"drive.py: the run wrote no report: {done.stdout}{done.stderr}")
    return json.loads((base / "report").read_text())


def judge(report, targets, mode):
    """Returns a line for each row that is not as expected."""
    grades = {result["case"].split("/")[-1]: result["grade"] for result in report["results"]}
    patience = time.monotonic() + 10
    while time.monotonic() < patience and any(
            grades[name] == "pass" and "address" in own and name not in targets.received for name, own in targets.own.items()):
        time.sleep(0.1)
    seen, visible = targets.effects()
    unrestricted = report["readers"][0]["sandbox"].get("unrestricted", [])
    wrong = []
    for row in rows():
        name = row["id"]
        # If the user is not root, an attempt that needs root fails in every mode.
        expected = "not held" if mode == "off" else row[mode]
        if mode == "off" and row["needs"] == "root" and targets.user != 0:
            continue
        found = {"pass": "not held", "rejects-valid": "held", "skip": "no means"}.get(grades[name], grades[name])
        if name == "shared-memory-file" and name not in seen:
            found = "held"  # With bubblewrap, a reader has its own `/dev/shm`.
        if found == "no means":
            print(f"not compared: {name}: this system lacks the means")
        elif name in visible and (name in seen) != (found == "not held"):
            wrong.append(f"{name}: the reader reports {found}, but the effect is {'' if name in seen else 'not '}visible")
        elif mode != "off" and row["report"] != "-" and (row["report"] in unrestricted) != (found == "not held"):
            wrong.append(f"{name}: found {found}, but the report lists {unrestricted}")
        elif not is_supported(expected) or ("since" in expected and row["report"] in unrestricted):
            print(f"not compared: {name}: {expected}")
        elif found != expected.split(" since")[0]:
            wrong.append(f"{name}: found {found}, expected {expected}")
    wrong += [f"{name}: found {grades[name]}, expected pass" for name in PERMITTED if grades[name] != "pass"]
    left = os.listdir(targets.base / "tmp")
    if left:
        wrong.append(f"mess: found {left} in the folder for temporary files, expected nothing")
    return wrong


def main():
    torchproof, mode, user = os.path.abspath(sys.argv[1]), sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else os.getuid()
    base = Path(tempfile.mkdtemp(prefix="torchproof-probes-"))
    try:
        write_corpus(base / "corpus")
        (base / "tmp").mkdir()
        # Copy both files, because another user cannot always open the folders of this script and of the program.
        shutil.copy(HERE / "probe.py", base)
        torchproof = shutil.copy(torchproof, base / "torchproof")
        targets = Targets(base, user)
        try:
            report = run(targets, torchproof, mode)
            sandbox = report["readers"][0].get("sandbox")
            if not sandbox or sandbox["mode"] != mode:
                print(f"found {sandbox}, expected the mode {mode}")
                return 3
            wrong = judge(report, targets, mode)
        finally:
            targets.clean()
    finally:
        subprocess.run(["chmod", "-R", "u+rwX", base])
        shutil.rmtree(base, ignore_errors=True)
    print("\n".join(wrong) or f"{mode}, user {user}: {len(rows())} rows as expected")
    return 1 if wrong else 0


sys.exit(main())
