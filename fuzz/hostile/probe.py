#!/usr/bin/env python3
"""A reader that attempts what a sandbox should prevent: `exec:probe.py TARGETS`.

Each case is a file with the id of a row of probes.tsv, which names a function below. The reader accepts the case if the
attempt succeeds, and rejects it if the system prevents the attempt. If this system lacks the means, the case is
unsupported. TARGETS is a JSON file of drive.py: the files, sockets and processes that the attempts aim at.
"""

import ctypes
import errno
import fcntl
import json
import os
import platform
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROBES = {}
LIBC = ctypes.CDLL(None, use_errno=True)
# The numbers of system calls without a function in the C library, on x86-64 and on ARM64.
NUMBERS = {"add_key": (248, 217), "bpf": (321, 280), "ioprio_set": (251, 30), "perf_event_open": (298, 241),
           "io_uring_setup": (425, 425)}
# The errors that mean that this system lacks the means for an attempt.
MISSING = {errno.ENOSYS, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT, errno.ENOTTY, errno.EOPNOTSUPP, errno.ENODEV}


class Missing(Exception):
    """This system lacks the means for the attempt."""


def probe(function):
    PROBES[function.__name__.replace("_", "-")] = function
    return function


def call(name, *arguments):
    """Calls a function of the C library, or a system call whose number is above."""
    if name in NUMBERS:
        number = NUMBERS[name][platform.machine() == "aarch64"]
        arguments = [ctypes.c_long(number)] + [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
        name = "syscall"
    result = getattr(LIBC, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def write(path, data=b"x", flags=os.O_WRONLY):
    os.write(os.open(path, flags | os.O_NOCTTY | os.O_NONBLOCK, 0o666), data)


def create(path):
    write(path, flags=os.O_WRONLY | os.O_CREAT)


def temporary(name):
    return os.path.join(tempfile.gettempdir(), name)


def existing(path):
    if not os.path.exists(path):
        raise Missing
    return path


def send(family, kind, address, protocol=0):
    with socket.socket(family, kind, protocol) as one:
        one.settimeout(5)
        one.connect(address)
        one.send(b"x")


# Files. `t.file` is a file of the reader's user, with its own copy for each attempt.

@probe
def write_file(t): write(t.file)

@probe
def write_through_link(t):
    os.symlink(t.file, temporary("link"))
    write(temporary("link"))

@probe
def truncate_file(t): os.truncate(t.file, 0)

@probe
def create_file(t): create(t.file + ".new")

@probe
def make_folder(t): os.mkdir(t.file + ".new")

@probe
def remove_file(t): os.remove(t.file)

@probe
def rename_file(t): os.rename(t.file, t.file + ".new")

@probe
def move_out(t):
    create(temporary("mine"))
    os.rename(temporary("mine"), t.file + ".new")

@probe
def shared_memory_file(t): create(t.shared)

@probe
def named_pipe(t): write(t.pipe)

@probe
def change_mode(t): os.chmod(t.file, 0o4755)

@probe
def change_times(t): os.utime(t.file, (0, 0))

@probe
def change_owner(t): os.chown(t.file, -1, os.getgid() or 1)

@probe
def set_attribute(t): os.setxattr(t.file, "user.torchproof", b"x")

@probe
def set_flags(t): fcntl.ioctl(os.open(t.file, os.O_RDONLY), 0x40086602, struct.pack("l", 0x40))  # FS_NODUMP_FL

@probe
def lease_file(t): fcntl.fcntl(os.open(t.file, os.O_RDONLY), fcntl.F_SETLEASE, fcntl.F_RDLCK)

@probe
def lock_file(t): fcntl.flock(os.open(t.file, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)

@probe
def inherited_file(t):
    links = {number: os.readlink(f"/proc/self/fd/{number}") for number in range(3, 64) if os.path.lexists(f"/proc/self/fd/{number}")}
    if t.file not in links.values():
        raise PermissionError("no descriptor of the file")
    os.write(next(number for number, link in links.items() if link == t.file), b"x")

@probe
def read_file(t): open(t.file).read()


# The system and its devices.

@probe
def system_setting(t):
    with open("/proc/sys/kernel/printk_ratelimit_burst", "r+") as setting:
        setting.write(setting.read())

@probe
def system_request(t): os.open(existing("/proc/sysrq-trigger"), os.O_WRONLY)

@probe
def device_setting(t): os.open(existing("/sys/kernel/mm/transparent_hugepage/defrag"), os.O_WRONLY)

@probe
def out_of_memory_score(t): write(f"/proc/{t.process}/oom_score_adj", b"1000")

@probe
def device_file(t): os.mknod(temporary("device"), 0o20600, os.makedev(1, 3))

@probe
def read_disk(t):
    disks = [name for name in os.listdir("/sys/class/block") if not name.startswith(("loop", "ram", "dm-"))]
    if not disks:
        raise Missing
    os.read(os.open(f"/dev/{disks[0]}", os.O_RDONLY), 1)

@probe
def write_dev(t): create(t.device)

@probe
def mount(t):
    folder = tempfile.mkdtemp().encode()
    call("mount", b"none", folder, b"tmpfs", 0, None)
    call("umount2", folder, 2)

@probe
def read_terminal(t): os.open(t.terminal, os.O_RDONLY | os.O_NOCTTY)

@probe
def write_terminal(t): write(t.terminal)

@probe
def own_terminal(t): os.open("/dev/tty", os.O_RDONLY)

@probe
def host_name(t): socket.sethostname(socket.gethostname())

@probe
def clock(t): time.clock_settime(time.CLOCK_REALTIME, time.time())

@probe
def kernel_log(t): call("klogctl", 3, ctypes.create_string_buffer(64), 64)

@probe
def bpf(t): call("bpf", 0, ctypes.create_string_buffer(struct.pack("IIIII", 2, 4, 4, 1, 0), 128), 128)

@probe
def performance(t):
    event = ctypes.create_string_buffer(struct.pack("IIQQQQQ", 1, 112, 0, 0, 0, 0, 0x61), 112)
    call("perf_event_open", event, t.process, -1, -1, 0)


# The network and sockets. Each attempt has its own target `t.address`.

@probe
def tcp(t): send(socket.AF_INET, socket.SOCK_STREAM, tuple(t.address))

@probe
def tcp_fast_open(t):
    socket.socket().sendto(b"x", 0x20000000, tuple(t.address))  # MSG_FASTOPEN

@probe
def mptcp(t): send(socket.AF_INET, socket.SOCK_STREAM, tuple(t.address), 262)

@probe
def tcp_listen(t): socket.socket().listen()

@probe
def udp(t): send(socket.AF_INET, socket.SOCK_DGRAM, tuple(t.address))

@probe
def netlink(t): socket.if_nameindex() and socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).bind((0, 0))

@probe
def raw_socket(t): socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)

@probe
def packet_socket(t): socket.socket(socket.AF_PACKET, socket.SOCK_RAW)

@probe
def named_socket(t): send(socket.AF_UNIX, socket.SOCK_STREAM, t.address)

@probe
def datagram_from_pair(t): socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b"x", t.address)

@probe
def abstract_socket(t): send(socket.AF_UNIX, socket.SOCK_STREAM, t.address)

@probe
def ring(t):
    if t.ring_disabled:
        raise Missing
    call("io_uring_setup", 4, ctypes.create_string_buffer(120))


# Other processes. `t.process` belongs to the same user, and each attempt has its own.

@probe
def see_process(t): open(f"/proc/{t.process}/cmdline").read()[0]

@probe
def read_environment(t):
    def has_secret(pid):
        try:
            return t.secret.encode() in open(f"/proc/{pid}/environ", "rb").read()
        except OSError:
            return False
    if not any(has_secret(pid) for pid in os.listdir("/proc") if pid.isdigit()):
        raise PermissionError("no readable environment has the secret")

@probe
def debug(t):
    if t.debug_disabled:
        raise Missing
    call("ptrace", 0x4206, t.process, 0, 0)  # PTRACE_SEIZE

@probe
def signal(t): os.kill(t.process, 9)

@probe
def signal_by_descriptor(t):
    read, written = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, t.process)
    fcntl.fcntl(read, fcntl.F_SETFL, fcntl.fcntl(read, fcntl.F_GETFL) | os.O_ASYNC | os.O_NONBLOCK)
    os.write(written, b"x")

@probe
def limits(t): resource.prlimit(t.process, resource.RLIMIT_NOFILE, (64, 64))

@probe
def priority(t): os.setpriority(os.PRIO_PROCESS, t.process, 19)

@probe
def affinity(t): os.sched_setaffinity(t.process, {min(os.sched_getaffinity(0))})

@probe
def scheduler(t): os.sched_setscheduler(t.process, os.SCHED_IDLE, os.sched_param(0))

@probe
def disk_priority(t): call("ioprio_set", 1, t.process, 3 << 13)


# Objects that outlive the reader, with the key `t.key`.

@probe
def shared_memory(t): call("shmget", t.key, 4096, 0o1600)

@probe
def semaphores(t): call("semget", t.key, 1, 0o1600)

@probe
def message_queue(t): call("msgget", t.key, 0o1600)

@probe
def posix_queue(t): call("mq_open", b"/torchproof-probe-%d" % t.key, os.O_CREAT | os.O_RDWR, 0o600, None)

@probe
def keyring(t): call("add_key", b"user", b"torchproof-probe", b"x", 1, -3)  # KEY_SPEC_SESSION_KEYRING


# Privileges.

@probe
def capabilities(t):
    lines = [line.split() for line in open("/proc/self/status")]
    if not any(int(line[1], 16) for line in lines if line[0] in ("CapEff:", "CapPrm:", "CapInh:", "CapAmb:")):
        raise PermissionError("the process has no capabilities")

@probe
def other_user(t): os.setuid(12345)

@probe
def root_folder(t): os.chroot(tempfile.gettempdir())

@probe
def namespace(t): call("unshare", 0x10000000)  # CLONE_NEWUSER


# The functions below have no rows, because they succeed in every mode.

def permitted(t):
    """Does what programs need."""
    create(temporary("file"))
    os.utime(temporary("file"), (0, 0))
    fcntl.lockf(os.open(temporary("file"), os.O_RDWR), fcntl.LOCK_EX)
    write("/dev/null")
    os.read(os.open("/dev/urandom", os.O_RDONLY), 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
    one, other = socket.socketpair()
    one.sendmsg([b"x"])
    other.recv(1)
    thread = threading.Thread(target=time.sleep, args=(0,))
    thread.start()
    thread.join()
    subprocess.run(["/bin/sh", "-c", "test ! -t 0"], check=True)
    os.setuid(os.getuid())
    # A C library falls back to older calls only after this error.
    if LIBC.syscall(ctypes.c_long(500)) != -1 or ctypes.get_errno() != errno.ENOSYS:
        raise PermissionError("expected that an unknown call is missing")


def mess(t):
    """Leaves a temporary folder that a simple removal cannot remove. drive.py expects that it is removed anyway."""
    os.makedirs(temporary("locked/inner"))
    os.chmod(temporary("locked"), 0)
    os.chmod(tempfile.gettempdir(), 0)


def attempt(name, targets):
    """Returns the outcome of an attempt, which runs in a child process because it can change the state of its process."""
    child = os.fork()
    if child == 0:
        code = 3
        try:
            own = {**targets["all"], **targets["own"].get(name, {})}
            {**PROBES, "mess": mess, "permitted": permitted}[name](type("Targets", (), own))
            code = 0
        except Missing:
            code = 2
        except OSError as error:
            code = 2 if error.errno in MISSING else 1
            print(f"{name}: {error}", file=sys.stderr)
        finally:
            os._exit(code)
    return {0: "accept", 1: "reject", 2: "unsupported"}.get(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "error")


def main():
    targets = json.load(open(sys.argv[1]))
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            reply = {"protocol": 1, "name": "probe", "formats": ["pte"], "stages": ["data"], "capabilities": []}
        elif request["op"] == "read":
            name = open(request["files"][0]["path"]).read()
            reply = {"seq": request["seq"], "outcome": attempt(name, targets), "stage": "data", "message": name}
        else:
            return
        print(json.dumps(reply), flush=True)


main()
