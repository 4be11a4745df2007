"""An adapter for the runtime inside ExecuTorch's Python binding, `executorch.extension.pybindings._portable_lib`.

    structure   _load_program_from_buffer
    meta        method_meta of every method, with its inputs and outputs
    method      load_method of every method

torch needs seconds to start, so the adapter forks a child process that loads the programs. After a crash of the child, which is an
error, a new one starts. Use this adapter only to derive predictions, not for conformance runs.

usage: worker.py VERSION minimal|internal-consistency
"""

import importlib.util
import json
import os
import re
import signal
import sys

import executorch


def binding():
    folder = os.path.join(list(executorch.__path__)[0], "extension", "pybindings")
    (library,) = [name for name in os.listdir(folder) if name.startswith("_portable_lib.") and name.endswith(".so")]
    import torch  # loads the libraries that the binding links to

    assert torch
    name = "executorch.extension.pybindings._portable_lib"
    spec = importlib.util.spec_from_file_location(name, os.path.join(folder, library))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Rejected(Exception):
    pass


class Unsupported(Exception):
    pass


def call(stage, name, function, *arguments, **keywords):
    """Calls the binding. Each error of the runtime becomes a `RuntimeError` whose text contains the code.

    The log alone tells a missing backend from a missing segment or a missing key, because the three have the same code.
    """
    os.ftruncate(2, 0)
    os.lseek(2, 0, os.SEEK_SET)
    try:
        return function(*arguments, **keywords)
    except RuntimeError as error:
        if re.search(rb"Backend .* is not (registered|available)", os.pread(2, 1 << 20, 0), re.DOTALL):
            raise Unsupported("the binding lacks a backend of the program") from error
        code = re.search(r"0x:?([0-9a-fA-F]+)", str(error))
        raise Rejected(stage, f"{name}: 0x{int(code[1], 16):02x}" if code else f"{name}: {error}") from error


def describe_tensors(meta):
    """Reads the shapes of inputs and outputs. Ignores errors, which have no code and also occur for non-tensors."""
    for kind in ("input", "output"):
        for place in range(getattr(meta, f"num_{kind}s")()):
            try:
                getattr(meta, f"{kind}_tensor_meta")(place)
            except (IndexError, RuntimeError):
                pass


class Child:
    """A child process that reads files until it crashes, or until it has read 32 files."""

    def __init__(self, lib, level):
        self.read_files = 0
        requests, self.requests = os.pipe()
        self.replies, replies = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.requests)
            os.close(self.replies)
            os.dup2(os.memfd_create("log"), 2)
            with os.fdopen(requests) as lines:
                for line in lines:
                    signal.alarm(2)
                    reply = json.dumps(read(lib, json.loads(line), level)).encode()
                    signal.alarm(0)
                    os.write(replies, reply + b"\n")
            os._exit(0)
        os.close(requests)
        os.close(replies)
        self.lines = os.fdopen(self.replies)

    def reply(self, line):
        """Returns the reply to a request, or `None` if the child process crashes."""
        self.read_files += 1
        os.write(self.requests, line.encode())
        reply = self.lines.readline()
        return json.loads(reply) if reply.endswith("\n") else None

    def end(self):
        """Ends the child process, and returns the answer to a request without a reply."""
        os.close(self.requests)
        self.lines.close()
        _, status = os.waitpid(self.pid, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            return {"outcome": "unsupported", "message": "the runtime needs more than 2 seconds"}
        if os.WIFSIGNALED(status):
            return {"outcome": "error", "message": f"the runtime ended with signal {os.WTERMSIG(status)}"}
        return {"outcome": "error", "message": "the child process sent no reply"}


def read(lib, request, level):
    # With data files, the binding loads a method only when it is executed.
    if [file["role"] for file in request["files"]] != ["program"]:
        return {"outcome": "unsupported", "message": "expected one program without data files"}
    (file,) = request["files"]
    with open(file["path"], "rb") as stream:
        program = stream.read(file.get("size", -1))
    try:
        loaded = call("structure", "Program::load", lib._load_program_from_buffer, program, program_verification=level)
        for index in range(loaded.num_methods()):
            name = call("meta", f"Program::get_method_name({index})", loaded.get_method_name, index)
            meta = call("meta", f"Program::method_meta({index})", loaded.method_meta, name)
            describe_tensors(meta)
        for index in range(loaded.num_methods()):
            name = call("method", f"Program::get_method_name({index})", loaded.get_method_name, index)
            call("method", f"Program::load_method({index})", loaded.load_method, name)
    except Unsupported as error:
        return {"outcome": "unsupported", "message": str(error)}
    except Rejected as error:
        where, message = error.args
        return {"outcome": "reject", "stage": where, "message": message}
    return {"outcome": "accept", "stage": request["stage"]}


def main():
    version, verification = sys.argv[1:]
    # The runtime and the binding print to stdout, so replies go to a duplicate of stdout.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lib = binding()
    level = {"minimal": lib.Verification.Minimal, "internal-consistency": lib.Verification.InternalConsistency}[verification]
    hello = {"protocol": 1, "name": "executorch-binding", "version": f"{version} ({verification})", "language": "c++"}
    hello |= {"formats": ["pte"], "stages": ["structure", "meta", "method", "data"], "capabilities": ["xnnpack"]}
    hello["registry"] = {
        "runtime": f"executorch:{version}",
        "operators": sorted(lib._get_operator_names()),
        "backends": sorted(lib._get_registered_backend_names()),
    }
    child = Child(lib, level)
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "bye":
            os._exit(0)
        answer = hello
        if request["op"] != "hello":
            answer = child.reply(line)
            if answer is None or child.read_files == 32:
                end = child.end()
                child = Child(lib, level)
                answer = answer or end
            answer |= {"seq": request["seq"]}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


main()
