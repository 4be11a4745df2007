"""Reads each vector with the function `read` of reader.py, in a child process, because a broken file may crash or hang it.

An "accept" vector passes if the reader accepts it, a "reject" vector if the reader rejects it, at the vector's stage or earlier. Vectors
in exceptions.py may fail. If the environment variable TORCHPROOF_EXCEPTIONS=DIR is set, so may the ids in DIR/exceptions.txt, one per
line. TORCHPROOF_RECORD=DIR appends the ids of all other failures to this file and lets them pass.
"""
# SPDX-License-Identifier: MIT OR Apache-2.0

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from exceptions import EXCEPTIONS
from vectors import VECTORS

SECONDS = 10
STAGES = ["open", "header", "structure", "meta", "method", "data", "execute"]
ACCEPTED, REJECTED = 0, 40  # the exit codes of a child; a rejection adds the number of the stage, or 9 if it is unknown


def child(number):
    import reader

    files = [(role, bytes(data)) for role, data in VECTORS[number].files]
    try:
        reader.read(files)
    except reader.Rejected as rejection:
        stage = str(rejection)
        os._exit(REJECTED + (STAGES.index(stage) if stage in STAGES else 9))
    os._exit(ACCEPTED)


def problem(number):
    """Returns what is wrong with the outcome, or None."""
    vector = VECTORS[number]
    try:
        ended = subprocess.run([sys.executable, __file__, str(number)], timeout=SECONDS, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"found a hang, expected a result within {SECONDS} s"
    rejected = REJECTED <= ended.returncode <= REJECTED + 9
    if ended.returncode != ACCEPTED and not rejected:
        return f"found a crash with exit code {ended.returncode}, expected a result\n{ended.stderr[-2000:]}"
    if vector.verdict == "accept":
        return "the reader rejects a valid file" if rejected else None
    if not rejected:
        return "the reader accepts a broken file"
    stage = ended.returncode - REJECTED
    if stage == 9 or stage <= STAGES.index(vector.stage):
        return None
    return f"found a rejection at stage {STAGES[stage]}, expected it by stage {vector.stage}"


def recorded(folder):
    path = Path(folder, "exceptions.txt")
    return path.read_text().splitlines() if path.exists() else []


def check(number):
    import pytest

    vector = VECTORS[number]
    wrong = problem(number)
    if wrong is None:
        return
    text = f"{vector.id}: {wrong}\n    {vector.reason}\n    rule {vector.rule}"
    if vector.id in EXCEPTIONS:
        pytest.skip(f"{text}\n    {EXCEPTIONS[vector.id]}")
    known, record = os.environ.get("TORCHPROOF_EXCEPTIONS"), os.environ.get("TORCHPROOF_RECORD")
    if known and vector.id in recorded(known):
        pytest.skip(text)
    if record:
        with open(Path(record, "exceptions.txt"), "a") as file:
            file.write(vector.id + "\n")
        pytest.skip(text)
    pytest.fail(text, pytrace=False)


def pytest_generate_tests(metafunc):
    metafunc.parametrize("number", range(len(VECTORS)), ids=[vector.id for vector in VECTORS])


def test_vector(number):
    check(number)


if __name__ == "__main__":
    child(int(sys.argv[1]))
