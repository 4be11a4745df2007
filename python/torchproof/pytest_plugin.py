"""The cases of the corpus as tests of your reader: ``pytest --torchproof-reader ADDRESS``.

The address is one that ``torchproof run`` accepts, or ``module:function``: a function that gets the paths of a case's files,
returns if it accepts them, and raises if it rejects them. Each case runs in a process of its own, in the command's sandbox, so
a reader that crashes or hangs fails only one test.
"""

from __future__ import annotations

import fnmatch
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

import pytest

from . import _command

TRANSPORTS = ("builtin:", "exec:", "lib:", "once:")
RESULTS = pytest.StashKey["dict[str, list[dict[str, Any]]]"]()
FOLDER = pytest.StashKey[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("torchproof", "test a reader of ExecuTorch files on the corpus")
    group.addoption("--torchproof-reader", metavar="ADDRESS", help="module:function, or an address such as once:./reader")
    group.addoption("--torchproof-cases", metavar="GLOB", action="append", help="ids of the cases to run; repeatable", default=[])
    group.addoption("--torchproof-known-failures", metavar="FILE", help="a known-failures file, as for `torchproof run`")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--torchproof-reader"):
        # xdist workers share the folder of the process that started them.
        shared = getattr(config, "workerinput", {}).get("torchproof")
        config.stash[FOLDER] = shared or tempfile.mkdtemp(prefix="torchproof-pytest-")


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["torchproof"] = node.config.stash.get(FOLDER, None)


def pytest_unconfigure(config: pytest.Config) -> None:
    if FOLDER in config.stash and not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--torchproof-reader"):
        corpus: Corpus = Corpus.from_parent(session, name="torchproof", nodeid="torchproof")
        items.extend(corpus.collect())


class Corpus(pytest.Collector):
    def collect(self) -> Iterator[CaseItem]:
        from torchproof import cases

        globs = self.config.getoption("--torchproof-cases") or ["*"]
        for case in cases():
            if any(fnmatch.fnmatchcase(case.id, glob) for glob in globs):
                yield CaseItem.from_parent(self, name=case.id)


class CaseItem(pytest.Item):
    def runtest(self) -> None:
        found = _results(self.config, self.session).get(self.name, [])
        wrong = [record for record in found if record["grade"] not in ("pass", "skip", "ungraded", "known")]
        if wrong:
            from torchproof import explain

            shown = "\n".join(f"{record['grade']}: {record.get('message', record['outcome'])}" for record in wrong)
            pytest.fail(f"{self.name}: {shown}\n\n{explain(self.name)}", pytrace=False)
        messages = {record["grade"]: record.get("message") for record in found}
        if "known" in messages:
            pytest.xfail(messages["known"] or "known failure")
        if "pass" not in messages:
            pytest.skip(", ".join(messages) or "the case does not apply to the reader")

    def reportinfo(self) -> tuple[str, None, str]:
        return "torchproof", None, self.name


def _results(config: pytest.Config, session: pytest.Session) -> dict[str, list[dict[str, Any]]]:
    """The records of the selected cases. The first process that needs them runs all cases, and the others wait."""
    if RESULTS not in config.stash:
        folder = config.stash[FOLDER]
        done = os.path.join(folder, "done.json")
        try:
            os.mkdir(os.path.join(folder, "running"))
        except FileExistsError:
            while not os.path.exists(done):
                time.sleep(0.05)
        else:
            records: dict[str, Any] = {"error": "the run was interrupted"}
            try:
                records = _run(config, session, os.path.join(folder, "run"))
            except pytest.UsageError as error:
                records = {"error": str(error)}
            finally:
                with open(f"{done}.new", "w", encoding="utf-8") as file:
                    json.dump(records, file)
                os.replace(f"{done}.new", done)
        with open(done, encoding="utf-8") as file:
            config.stash[RESULTS] = json.load(file)
    if "error" in config.stash[RESULTS]:
        pytest.exit(f"torchproof: {config.stash[RESULTS]['error']}", returncode=pytest.ExitCode.USAGE_ERROR)
    return config.stash[RESULTS]


def _run(config: pytest.Config, session: pytest.Session, folder: str) -> dict[str, Any]:
    reader = config.getoption("--torchproof-reader")
    if not any(transport in reader for transport in TRANSPORTS):
        name = reader.partition(":")[2] or reader
        reader = f"{name}=once:{shlex.join([sys.executable, '-P', '-m', 'torchproof.call', reader])}"
    results = os.path.join(folder, "results.jsonl")
    command = [*_command.OWN, "run", "--reader", reader, "--env", "PYTHONPATH", "--results", results]
    known = config.getoption("--torchproof-known-failures")
    command += ["--known-failures", known] if known else []
    for item in session.items:
        command += ["--cases", item.name] if isinstance(item, CaseItem) else []
    path = os.pathsep.join([str(config.rootpath), *filter(None, sys.path)])
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path}, check=False)
    if done.returncode not in (0, 1):
        raise pytest.UsageError(done.stderr.strip() or f"`torchproof run` exited with {done.returncode}")
    found: dict[str, Any] = {}
    with open(results, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if "case" in record:
                found.setdefault(record["case"], []).append(record)
    return found
