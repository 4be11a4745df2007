"""The pytest plugin, run by pytest on readers of every kind."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="`run` starts no readers on Windows")

READERS = """
import os
import torchproof

def careful(path, *data):
    torchproof.check(path, data=data).raise_if_rejected()

def naive(path, *data):
    with open(path, "rb") as file:
        return file.read(8)[4:] in (b"ET12", b"FT01", b"BP08")

def crashing(path, *data):
    if os.path.getsize(path) % 2 == 0:
        os.abort()

def unsupporting(path, *data):
    raise NotImplementedError
"""
CASES = ["--torchproof-cases", "pte/header/length-*"]


@pytest.fixture
def readers(pytester):
    pytester.makepyfile(readers=READERS)
    return pytester


def test_a_correct_reader_passes(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "readers:careful", *CASES)
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] == 2 and "failed" not in outcomes and result.ret == 0


def test_a_failure_explains_the_case(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "readers:naive", *CASES)
    assert result.parseoutcomes()["failed"] == 2 and result.ret == 1
    result.stdout.fnmatch_lines(["*accepts-invalid: expected a rejection by stage header*", "*breaks*eh-length-min*"])


def test_a_crash_fails_one_case(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "readers:crashing", *CASES, "-k", "length-23")
    assert result.parseoutcomes() == {"failed": 1, "deselected": 4}
    result.stdout.fnmatch_lines(["*crash: *"])


def test_unsupported_files_are_skipped(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "readers:unsupporting", *CASES)
    assert "failed" not in result.parseoutcomes() and result.parseoutcomes()["skipped"] == 5


def test_workers_of_xdist_share_one_run(readers):
    pytest.importorskip("xdist")
    alone = readers.runpytest_subprocess("--torchproof-reader", "readers:naive", *CASES).parseoutcomes()
    shared = readers.runpytest_subprocess("--torchproof-reader", "readers:naive", *CASES, "-n", "2").parseoutcomes()
    assert shared == alone


def test_known_failures_are_expected(readers):
    readers.makefile(".toml", known="""
        [[known]]
        case = "pte/header/length-*"
        reader = "naive"
        expect = "accepts-invalid"
        reason = "reads only the identifier"
    """)
    options = ["--torchproof-reader", "readers:naive", *CASES, "--torchproof-known-failures", "known.toml"]
    result = readers.runpytest_subprocess(*options)
    assert result.parseoutcomes()["xfailed"] == 2 and result.ret == 0


def test_a_command_is_a_reader_too(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "once:grep -qa ET12", "--torchproof-cases", "pte/identifier/zip")
    assert result.parseoutcomes() == {"failed": 1}


def test_a_reader_that_does_not_exist_ends_the_session(readers):
    result = readers.runpytest_subprocess("--torchproof-reader", "once:./missing", *CASES)
    assert result.ret != 0 and "missing" in result.stdout.str() + result.stderr.str()


def test_without_the_option_nothing_is_collected(readers):
    readers.makepyfile(test_nothing="def test_nothing():\n    pass\n")
    result = readers.runpytest_subprocess()
    assert result.parseoutcomes() == {"passed": 1}
