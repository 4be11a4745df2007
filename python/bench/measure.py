#!/usr/bin/env python3
"""Compares the package with safetensors and the exporter's own deserializer: python bench/measure.py

Each figure is the best of several runs, in a process that does nothing else, so compare figures of one run only. Both readers of
tables get the bytes of the file. Packages that are not installed are skipped. The script is no test: it fails only if the results
differ.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

REAL = pathlib.Path(__file__).resolve().parents[2] / "corpus" / "real"
COUNT = 1000


def best(work, runs=15):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return min(times)


def memory_of(code, *arguments):
    """The peak resident memory, in MiB, that the code adds to an interpreter that has already imported its modules."""
    program = (
        "import re, sys\n"
        "peak = lambda: int(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1]) / 1024\n"
        f"{code}\nprint(peak() - before)"
    )
    done = subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def one_of_a_thousand(folder):
    import numpy

    import torchproof

    tensors = {f"layers.{index}.weight": numpy.full((64, 64), index, "float32") for index in range(COUNT)}
    key = f"layers.{COUNT // 2}.weight"
    ours, theirs = folder / "w.ptd", folder / "w.safetensors"
    torchproof.save_data(tensors, ours)

    def open_ours():
        with torchproof.open(ours) as file:
            return file.get_tensor(key)

    rows = {"torchproof.open, one of 1000": best(open_ours)}
    rows["torchproof.open, all of 1000"] = best(lambda: [*map(torchproof.open(ours).get_tensor, tensors)])
    if importlib.util.find_spec("safetensors"):
        from safetensors import safe_open
        from safetensors.numpy import save_file

        save_file(tensors, theirs)

        def open_theirs():
            with safe_open(theirs, framework="np") as file:
                return file.get_tensor(key)

        assert (open_ours() == open_theirs()).all()
        rows["safetensors.safe_open, one of 1000"] = best(open_theirs)

        def all_of_theirs():
            with safe_open(theirs, framework="np") as file:
                return [file.get_tensor(key) for key in tensors]

        rows["safetensors.safe_open, all of 1000"] = best(all_of_theirs)
    return rows


OURS = "import torchproof\nread = torchproof.open; use = lambda content: read(content).to_dict()\n"
THEIRS = "from executorch.exir._serialize._program import deserialize_pte_binary as use\n"
# The first file also brings the reader's code into memory. The next file uses this code again.
READ = """
content, *earlier = [open(name, 'rb').read() for name in sys.argv[1:]]
[use(other) for other in earlier]; before = peak()
result = use(content)
"""


def every_table(program):
    import torchproof

    content = pathlib.Path(program).read_bytes()
    rows, peaks = {"torchproof to_dict": best(lambda: torchproof.open(content).to_dict(), 100)}, {}
    readers = {"torchproof to_dict": OURS}
    if importlib.util.find_spec("executorch"):
        from executorch.exir._serialize._program import deserialize_pte_binary

        rows["exporter's deserializer"] = best(lambda: deserialize_pte_binary(content), 20)
        readers["exporter's deserializer"] = THEIRS
    for name, reader in readers.items():
        peaks[f"{name}, first file"] = memory_of(reader + READ, program)
        peaks[f"{name}, next file"] = memory_of(reader + READ, program, REAL / "add.pte")
    return rows, peaks


def imports():
    """The processor time of the import, not counting the start of the interpreter."""
    code = "import time; begin = time.process_time(); import torchproof; print(time.process_time() - begin)"
    used = "import time; begin = time.process_time(); import torchproof; torchproof.check; torchproof.open; print(time.process_time() - begin)"

    def spent(code):
        return min(float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(15))

    return {"import torchproof": spent(code), "import torchproof, check, open": spent(used)}


def large_program(folder):
    """A generated program with as many tables as a model with a few hundred layers has."""
    import torchproof

    made = torchproof.generate(3, "pte", methods="1..1", tensors="3000..3000", kernel_calls="2000..2000")
    path = folder / "large.pte"
    path.write_bytes(made["model.pte"])
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        result = {"seconds": one_of_a_thousand(folder) | imports(), "MiB": {}}
        for program in (REAL / "mlp_xnnpack.pte", large_program(folder)):
            rows, peaks = every_table(program)
            size = f"{program.name}, {os.path.getsize(program)} bytes"
            result["seconds"] |= {f"{row}: {size}": value for row, value in rows.items()}
            result["MiB"] |= {f"{row}: {size}": value for row, value in peaks.items()}
    json.dump(result, sys.stdout, indent=2)
    print()


main()
