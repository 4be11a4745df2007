"""An adapter for the deserializers of ExecuTorch's Python package, for programs, data files and bundled programs.

Each deserializer reads a whole file in one call, so the only stage is `data`:

    program   executorch.exir._serialize._program.deserialize_pte_binary
    data      executorch.extension.flat_tensor.serialize.serialize.FlatTensorSerializer.deserialize
    bundled   executorch.devtools.bundled_program.serialize.deserialize_from_flatbuffer_to_bundled_program, then the
              deserializer of programs

The package imports torch and sympy for its exporter, but the deserializers need neither, so the adapter provides empty modules with
these names and skips the imports of the exporter. setup.sh copies this file into the folder of the package.
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
    """A module that replaces a missing module: every attribute exists and does nothing."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        # A capitalized name is a class, which the package uses as a base class or in annotations.
        value = type(name, (), {}) if name[0].isupper() else Absent(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *arguments, **_):
        # As a decorator, return the decorated function unchanged.
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else self


class StandIns:
    """Provides replacements for the packages that only exporters need."""

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
    # The __init__.py of these packages imports the exporter.
    for package in ("exir", "devtools"):
        module = types.ModuleType(f"executorch.{package}")
        module.__path__ = [os.path.join(WHEEL, "executorch", package)]
        sys.modules[module.__name__] = module
    # This module makes bundled programs, but the deserializer needs only the name of a class.
    core = "executorch.devtools.bundled_program.core"
    sys.modules[core] = Absent(core)

    from executorch.devtools.bundled_program.serialize import deserialize_from_flatbuffer_to_bundled_program
    from executorch.exir._serialize._cord import Cord
    from executorch.exir._serialize._program import deserialize_pte_binary
    from executorch.extension.flat_tensor.serialize.serialize import FlatTensorConfig, FlatTensorSerializer

    data_files = FlatTensorSerializer(FlatTensorConfig())
    return {
        "program": deserialize_pte_binary,
        "data": lambda data: data_files.deserialize(Cord(data)),
        "bundled": lambda data: deserialize_pte_binary(deserialize_from_flatbuffer_to_bundled_program(data).program),
    }


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
            return {"outcome": "error", "message": f"{file['path']}: found {len(data)} bytes, expected at least {size}"}
        files.append((file["role"], data))
    print("torchproof-stage: data", file=sys.stderr, flush=True)
    for role, data in files:
        try:
            deserialize[role](data)
        except (MemoryError, RecursionError):
            raise
        except subprocess.CalledProcessError as error:
            # If flatc crashes, the package raises CalledProcessError. End this process with flatc's signal, so that the crash
            # counts as one of the reader.
            if error.returncode < 0:
                signal.signal(-error.returncode, signal.SIG_DFL)
                os.kill(os.getpid(), -error.returncode)
            return {"outcome": "reject", "stage": "data", "message": f"flatc: exit code {error.returncode}"}
        # The package has no error type for invalid files, so any other exception is a rejection.
        except Exception as error:
            return {"outcome": "reject", "stage": "data", "message": f"{type(error).__name__}: {error}"}
    return {"outcome": "accept", "stage": request["stage"]}


def main():
    # Replies go to a duplicate of stdout, so that the runner does not take output of the package for a reply.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    deserialize = deserializers()
    description = {"name": "executorch-python", "version": sys.argv[1], "language": "python"}
    description |= {"formats": ["pte", "ptd"], "stages": ["data"], "capabilities": ["constant-buffer", "bundled"]}
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "bye":
            # Python's shutdown is slow after these imports, and not necessary.
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
