"""Every file of the corpus through every attribute: exceptions, but never a crash."""

import pytest
from attributes import touch_file
from conftest import REAL

import torchproof
from torchproof import errors, strategies

# Accepted, but larger than the limit of lists and dictionaries.
LARGE = {"a-million-tables"}
# Rules for devices with 32 bits; the check is for 64.
NARROW = {"t-nbytes-32bit", "mem-offset-64"}

hypothesis = pytest.importorskip("hypothesis")


def test_every_file_of_the_corpus(every_file):
    opened = sum(touch_file(path.read_bytes()) for path in every_file)
    assert len(every_file) > 1000 and opened > len(every_file) / 2


def test_accepted_files_open_without_an_exception(every_file):
    for path in every_file:
        report = torchproof.check(path)
        if not report.accepted or path.stem in LARGE:
            continue
        file = torchproof.open(path)
        assert file.kind == report.kind and file.to_dict()["kind"] == report.kind
        for tensor in file.named_data.values():
            assert tensor.data is not None
        for method in file.methods.values() if isinstance(file, torchproof.Program) else ():
            assert [*method.inputs, *method.outputs] is not None and method.operators is not None


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(strategies.attacked() | strategies.attacked("ptd") | strategies.attacked("ptd-legacy"))
def test_attacked_files(attacked):
    touch_file(attacked.bytes)
    if attacked.effect == "breaks" and attacked.rule not in NARROW:
        report = torchproof.check(attacked.bytes)
        assert attacked.rule in {finding.rule for finding in report.findings} or not report.accepted


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(hypothesis.strategies.data())
def test_damaged_files(data):
    name = data.draw(hypothesis.strategies.sampled_from(["linear_external.ptd", "mlp_xnnpack.pte", "linear_v0.2.0.pte"]))
    touch_file(data.draw(strategies.damaged((REAL / name).read_bytes())))


def test_cases_have_a_verdict_that_the_check_confirms():
    cases = torchproof.cases()
    assert len({case.id for case in cases}) == len(cases) > 1000
    for case in cases[::9]:
        main, *data = case.files.values()
        report = torchproof.check(main, data=data)
        if case.verdict != "either":
            assert report.verdict == case.verdict, case.id
        assert case.why and case.title and (case.control is None or case.control.verdict != "reject")
    paired = next(case for case in cases if "pairs" in case.needs)
    assert list(paired.files) == ["model.pte", "data-0.ptd"]


def test_generated_files_depend_on_the_seed_alone():
    assert torchproof.generate(7) == torchproof.generate(7) != torchproof.generate(8)
    assert list(torchproof.generate(1, "pair")) == ["model.pte", "model.ptd"]
    for wrong in ({"kind": "zip"}, {"nonsense": 1}, {"methods": "x"}):
        with pytest.raises(errors.ArgumentError):
            torchproof.generate(1, **wrong)


def test_attacks_are_labeled(files):
    names = {attack["name"] for attack in torchproof.attacks()}
    assert "references/operator" in names
    attacked = torchproof.attack(files / "linear.pte", 5)
    again = torchproof.attack((files / "linear.pte").read_bytes(), 5)
    assert attacked.bytes == again.bytes and set(attacked.attacks) <= names
    with pytest.raises(errors.ArgumentError, match="torchproof.attacks"):
        torchproof.attack(files / "linear.pte", 1, "nonsense")
