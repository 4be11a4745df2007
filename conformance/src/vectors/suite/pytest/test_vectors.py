"""Reads each vector with the function `read` of reader.py, in a child process, because a broken file may crash or hang it.

A vector passes if the reader accepts it, or rejects it at its stage at the latest. The vectors in exceptions.py may fail. With the
environment variable TORCHPROOF_EXCEPTIONS=DIR, so may those in DIR/exceptions.txt, one id per line, and TORCHPROOF_RECORD=DIR appends
each other failure to this file and lets it pass.
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
ACCEPTED, REJECTED = 0, 40  # the exit codes of a child; REJECTED plus the number of the stage, or plus 9 without a stage


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
    """Returns what is wrong about the outcome, or None."""
    vector = VECTORS[number]
    try:
        ended = subprocess.run([sys.executable, __file__, str(number)], timeout=SECONDS, capture_output=True, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return f"found a hang, expected an answer within {SECONDS} s"
    rejected = REJECTED <= ended.returncode <= REJECTED + 9
    if ended.returncode != ACCEPTED and not rejected:
        return f"found a crash with exit code {ended.returncode}, expected an answer\n{ended.stderr[-2000:]}"
    if vector.verdict == "accept":
        return "found a rejection of a valid file, expected that it is accepted" if rejected else None
    if not rejected:
        return "found that the file is accepted, expected a rejection"
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
