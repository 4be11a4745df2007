"""The deserializers of ExecuTorch's Python package: of programs, and of data files.

Each is one call that reads all of a file, so the only stage is `data`:

    program   executorch.exir._serialize._program.deserialize_pte_binary
    data      executorch.extension.flat_tensor.serialize.serialize.FlatTensorSerializer.deserialize

The package imports torch and sympy, for what makes files. What reads them does without, so the adapter puts empty stand-ins where
these would be, and leaves out the package's own imports of its exporter. setup.sh copies this file to where the package is.
"""

import importlib.machinery
import json
import os
import signal
import subprocess
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
WHEEL = os.path.join(HERE, "wheel")


class Absent(types.ModuleType):
    """A module that is not there: whatever is looked up in it is, and does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # What begins in upper case is inherited from or annotated with.
        value = type(name, (), {}) if name[0].isupper() else Absent(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *arguments, **_):
        # As a decorator it leaves a function as it is.
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self


class StandIns:
    """Finds the packages that only exporters need, and their modules."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("sympy", "torch"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def deserializers():
    sys.dont_write_bytecode = True
    sys.meta_path.insert(0, StandIns())
    sys.path[:0] = [WHEEL, os.path.join(HERE, "flatbuffers", "wheel")]
    # Its __init__ imports the exporter.
    exir = types.ModuleType("executorch.exir")
    exir.__path__ = [os.path.join(WHEEL, "executorch", "exir")]
    sys.modules[exir.__name__] = exir

    from executorch.exir._serialize._cord import Cord
    from executorch.exir._serialize._program import deserialize_pte_binary
    from executorch.extension.flat_tensor.serialize.serialize import FlatTensorConfig, FlatTensorSerializer

    data_files = FlatTensorSerializer(FlatTensorConfig())
    return {"program": deserialize_pte_binary, "data": lambda data: data_files.deserialize(Cord(data))}


def read(request, deserialize):
    print("torchproof-stage: open", file=sys.stderr, flush=True)
    files = []
    for file in request["files"]:
        try:
            with open(file["path"], "rb") as stream:
                data = stream.read()
        except OSError as error:
            return {"outcome": "error", "message": str(error)}
        size = file.get("size", 0)
        if len(data) < size:
            return {"outcome": "error", "message": f"the file is cut short: {len(data)} of {size} bytes"}
        files.append((file["role"], data))
    print("torchproof-stage: data", file=sys.stderr, flush=True)
    for role, data in files:
        try:
            deserialize[role](data)
        except (MemoryError, RecursionError):
            raise
        except subprocess.CalledProcessError as error:
            # A flatc that crashes is a crash of the reader, whoever catches it.
            if error.returncode < 0:
                signal.signal(-error.returncode, signal.SIG_DFL)
                os.kill(os.getpid(), -error.returncode)
            return {"outcome": "reject", "stage": "data", "message": f"flatc: exit code {error.returncode}"}
        # It has no error of its own for files that are wrong, and raises what its parts raise.
        except Exception as error:
            return {"outcome": "reject", "stage": "data", "message": f"{type(error).__name__}: {error}"}
    return {"outcome": "accept", "stage": request["stage"]}


def main():
    # Answers have a stream of their own: what is printed elsewhere must not be taken for one.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    deserialize = deserializers()
    description = {"name": "executorch-python", "version": sys.argv[1], "language": "python"}
    description |= {"formats": ["pte", "ptd"], "stages": ["data"], "capabilities": ["constant-buffer"]}
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "bye":
            # To take down all that was imported takes long, and there is nothing to tidy up.
            os._exit(0)
        elif request["op"] == "hello":
            answer = {"protocol": 1} | description
        elif request["op"] == "read":
            answer = {"seq": request["seq"]} | read(request, deserialize)
        else:
            answer = {"error": f"unknown op {request['op']}"}
        answers.write(json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n")
        answers.flush()


main()
