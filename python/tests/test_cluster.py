"""The function of the page about many files, on a local cluster of two workers."""

import pathlib

import pytest

import torchproof

ray = pytest.importorskip("ray")
data = pytest.importorskip("ray.data")


def checked(row):
    report = torchproof.check((row["path"], row["bytes"]))
    return {"path": report.path, "verdict": report.verdict, "rules": [finding.rule for finding in report.findings]}


@pytest.fixture
def cluster():
    # The workers import this module.
    environment = {"env_vars": {"PYTHONPATH": str(pathlib.Path(__file__).parent)}}
    ray.init(num_cpus=2, include_dashboard=False, configure_logging=False, runtime_env=environment)
    yield
    ray.shutdown()


def test_two_workers_give_the_results_of_one_process(cluster, every_file):
    paths = [str(path) for path in every_file[::3]]
    read = data.read_binary_files(paths, include_paths=True, override_num_blocks=8)
    found = sorted(read.map(checked).take_all(), key=lambda row: row["path"])
    alone = [checked({"path": path, "bytes": open(path, "rb").read()}) for path in sorted(paths)]
    assert [(row["path"], row["verdict"], list(row["rules"])) for row in found] == [tuple(row.values()) for row in alone]
