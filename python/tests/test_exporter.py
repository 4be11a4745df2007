"""Programs of the real exporter, if it is installed."""

import pytest

import torchproof

torch = pytest.importorskip("torch")
exir = pytest.importorskip("executorch.exir")


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.l(x))


def exported(**settings):
    edge = exir.to_edge(torch.export.export(Model().eval(), (torch.ones(1, 8),)))
    return edge.to_executorch(exir.ExecutorchBackendConfig(**settings))


def test_a_program_in_memory_is_accepted():
    report = torchproof.check_program(exported(), build="wheel:1.5.1")
    assert report.accepted and report.kind == "pte" and not report.findings


def test_external_tensors_are_checked_with_the_program(tmp_path):
    program = exported(external_constants=True)
    report = torchproof.check_program(program, build="wheel:1.5.1")
    assert report.accepted and report.unresolved is None and len(report.data["with"]) == 1
    program.write_tensor_data_to_file(str(tmp_path))
    (path,) = tmp_path.glob("*.ptd")
    assert torchproof.check(("program", program.buffer), data=[path]).accepted
    weight = torchproof.open(path, framework="pt")["l.weight"]
    assert weight.shape == (4, 8)
    assert torchproof.check(program.buffer).unresolved == 2


def test_the_runtime_loads_what_save_data_writes(tmp_path):
    runtime = pytest.importorskip("executorch.extension.pybindings.portable_lib")
    program = exported(external_constants=True)
    weight, bias = torch.arange(32.0).reshape(4, 8), torch.ones(4)
    torchproof.save_data({"l.weight": weight, "l.bias": bias}, tmp_path / "w.ptd")
    (tmp_path / "m.pte").write_bytes(program.buffer)
    module = runtime._load_for_executorch(str(tmp_path / "m.pte"), str(tmp_path / "w.ptd"))
    (output,) = module.forward([torch.ones(1, 8)])
    assert torch.equal(output, torch.relu(torch.nn.functional.linear(torch.ones(1, 8), weight, bias)))
