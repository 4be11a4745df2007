"""Checks, needs and explanations."""

import json
import subprocess
import sys
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import pytest

import torchproof
from torchproof import errors


def command(*words):
    done = subprocess.run([sys.executable, "-P", "-m", "torchproof", *map(str, words)], capture_output=True, text=True)
    return done.stdout


def test_a_report_has_the_findings_of_the_command(every_file):
    for path in every_file[::25]:
        (listed,) = json.loads(command("check", "--format", "json", "--pair-with", "none-*.ptd", path))["files"]
        report = torchproof.check(path)
        assert report.verdict == listed["verdict"] and report.data["findings"] == listed["findings"], path


def test_every_way_to_pass_a_file_gives_the_same_report(every_file):
    for path in every_file[::10]:
        content = path.read_bytes()
        reports = [torchproof.check((path.name, given)) for given in (path, content, bytearray(content), memoryview(content))]
        assert all(report.data == reports[0].data for report in reports), path


def test_findings_are_frozen_and_shown(files):
    report = torchproof.check((files / "linear.pte").read_bytes()[:1000])
    (finding,) = [finding for finding in report.findings if finding.strength == "must"]
    assert finding.rule == "eh-program-size-range" and finding.offset == 16 and finding.length == 8
    with pytest.raises(FrozenInstanceError):
        finding.rule = "other"
    assert "eh-program-size-range" in str(report) and "Finding(rule='eh-program-size-range'" in repr(report)
    assert "<td>eh-program-size-range" in report._repr_html_()
    with pytest.raises(errors.RejectedError, match="eh-program-size-range") as rejected:
        report.raise_if_rejected()
    assert (rejected.value.code, rejected.value.offset, rejected.value.report) == ("eh-program-size-range", 16, report)
    assert torchproof.check(files / "linear.pte").raise_if_rejected().accepted


def test_html_shows_no_markup_of_the_file():
    report = torchproof.check(("<script>", b"x"))
    assert "<script>" not in report._repr_html_() and "&lt;script&gt;" in report._repr_html_()


def test_data_files_builds_releases_and_limits(files):
    program, data = files / "linear_external.pte", files / "linear_external.ptd"
    assert torchproof.check(program).unresolved == 2
    assert torchproof.check(program, data=[data]).unresolved is None
    assert torchproof.check(program, data=data.read_bytes(), build="wheel:1.5.1").accepted
    report = torchproof.check(program, data=[data], runtime=["executorch:1.5.1"], build="wheel:1.5.1")
    assert {item["prediction"] for item in report.runtime} == {"loads"} and report.builds[0]["build"] == "wheel:1.5.1"
    assert torchproof.check(program, limits={"tables": 3}).verdict == "unexamined"
    for wrong in ({"build": "wheel:9"}, {"runtime": "executorch:9.9.9"}, {"limits": {"much": 1}}):
        with pytest.raises(errors.ArgumentError):
            torchproof.check(program, **wrong)
    with pytest.raises(errors.NotFoundError):
        torchproof.check(files / "none.pte")


def test_needs_are_those_of_the_command(files):
    for name in ("linear.pte", "mlp_xnnpack.pte", "mutable_state.pte"):
        found = torchproof.needs(files / name)
        assert found.data == json.loads(command("needs", "--format", "json", files / name))
        assert found.text == command("needs", files / name) == str(found)
    assert "aten::addmm.out" in repr(torchproof.needs(files / "linear.pte"))
    assert torchproof.needs(files / "mlp_xnnpack.pte").backends.keys() == {"XnnpackBackend"}
    assert torchproof.needs(files / "linear.pte").report.accepted


def test_explanations(files):
    assert "length" in torchproof.explain("eh-length-min")
    assert "InvalidArgument" in torchproof.explain("0x12")
    with pytest.raises(errors.ArgumentError, match="did you mean eh-length-min"):
        torchproof.explain("eh-length-mi")


def stand_in(buffer, tensors):
    """What `to_executorch()` returns, as far as a check uses it; tests/test_exporter.py uses the exporter itself."""

    class Cord:
        def __init__(self, content):
            self.content = content

        def __bytes__(self):
            return self.content

    return SimpleNamespace(buffer=buffer, _tensor_data={name: Cord(content) for name, content in tensors.items()})


def test_a_program_in_memory_is_checked_with_its_tensors(files):
    program, data = ((files / f"linear_external.{end}").read_bytes() for end in ("pte", "ptd"))
    report = torchproof.check_program(stand_in(program, {"linear": data}))
    assert report.accepted and report.unresolved is None and report.data["with"] == ["linear.ptd"]
    other = (files / "mlp_external.ptd").read_bytes()
    assert torchproof.check_program(stand_in(program, {"linear": other})).rejected
    assert torchproof.check_program(stand_in(program, {})).unresolved == 2


def test_many_files_keep_their_order(every_file):
    paths = every_file[::7]
    alone = [torchproof.check(path) for path in paths]
    for jobs in (1, 4):
        assert list(torchproof.check_many(iter(paths), jobs=jobs)) == alone
    named = ((path.name, path.read_bytes()) for path in paths)
    assert [report.verdict for report in torchproof.check_many(named)] == [report.verdict for report in alone]


def test_many_files_are_read_as_they_are_taken(files):
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield files / "linear.pte"

    reports = torchproof.check_many(endless(), jobs=2)
    assert [next(reports).verdict for _ in range(10)] == ["accept"] * 10
    assert len(taken) < 20
    reports.close()


def test_a_missing_file_among_many_is_unexamined(files):
    found = list(torchproof.check_many([files / "none.pte", files / "linear.pte", b"short"]))
    assert [report.verdict for report in found] == ["unexamined", "accept", "reject"]
    assert "no such file" in found[0].error
