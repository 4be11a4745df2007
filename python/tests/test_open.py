"""Opening files, and the lazy objects in them."""

import os
import threading
import tracemalloc

import pytest

import torchproof
from torchproof import errors


def test_a_tensor_of_a_data_file_is_a_view_of_the_map(files):
    numpy = pytest.importorskip("numpy")
    file = torchproof.open(files / "linear_external.ptd")
    weight = file["l.weight"]
    assert (weight.shape, weight.dtype, weight.flags.writeable) == ((4, 8), numpy.dtype("float32"), False)
    assert not weight.flags.owndata
    again = numpy.frombuffer(file.get_slice("l.weight").data, "<f4")
    assert numpy.shares_memory(weight, again)
    with pytest.raises(ValueError):
        weight[0] = 1
    file.close()
    assert weight.sum() == again.sum()  # the file stays mapped until the last array is gone


def test_keys_slices_and_types_need_no_bytes(files):
    with torchproof.open(files / "linear_external.ptd") as file:
        assert file.keys() == ["l.weight", "l.bias"] == list(file)
        assert "l.bias" in file and "l" not in file and len(file) == 2
        bias = file.get_slice("l.bias")
        assert (bias.get_dtype(), bias.get_shape(), bias.nbytes, bias.scalar_type) == ("float32", [4], 16, "FLOAT")
        assert (bias.dim_order, bias.is_dynamic, bias.is_external) == ((0,), False, False)
        assert list(file.get_slice("l.weight")[1:3].shape) == [2, 8]
        assert "float32 [4]" in repr(bias)


def test_a_program_has_methods_delegates_and_segments(files):
    program = torchproof.open(files / "mlp_xnnpack.pte")
    forward = program.methods["forward"]
    assert [tensor.shape for tensor in forward.inputs] == [(1, 64)]
    assert [tensor.shape for tensor in forward.outputs] == [(1, 10)]
    (delegate,) = forward.delegates
    assert delegate.backend == "XnnpackBackend"
    assert bytes(delegate.data)[4:8] in (b"XH00", b"XN00", b"XN01")
    assert len(program.segments) == 6 and program.header["program_size"] < program.nbytes
    assert [instruction.instr_args_type for instruction in forward.instructions] == ["DelegateCall"]
    assert all(isinstance(blob.data, memoryview) for blob in program.named_data.values())


def test_constants_of_a_program_are_arrays(files):
    numpy = pytest.importorskip("numpy")
    external = torchproof.open(files / "linear_external.ptd")
    for name in ("linear.pte", "linear_v0.2.0.pte"):  # in a segment, and in the FlatBuffer
        forward = torchproof.open(files / name).methods["forward"]
        constants = [tensor for tensor in forward.tensors.values() if tensor.data is not None]
        assert sorted(tensor.shape for tensor in constants) == [(4,), (4, 8)]
        assert all(numpy.isfinite(tensor.numpy()).all() for tensor in constants)
    named = torchproof.open(files / "linear_external.pte").methods["forward"].tensors.values()
    assert {tensor.name for tensor in named if tensor.is_external} == set(external.keys())
    with pytest.raises(errors.MissingKeyError, match="a data file"):
        next(tensor for tensor in named if tensor.is_external).numpy()


def test_operators_values_and_metadata(files):
    assert torchproof.open(files / "add.pte").methods["forward"].operators == ["aten::add.out"]
    several = torchproof.open(files / "multi_method.pte").methods
    assert len(several) > 1 and all(name == method.name for name, method in several.items())
    metadata = torchproof.open(files / "metadata_keys.pte").metadata()
    assert metadata["general.architecture"] == "llama" and metadata["tokenizer.vocab_size"] == 128256


def test_both_layouts_of_data_files(files):
    legacy = torchproof.open(files / "legacy_v0.6.0_tensors.ptd")
    assert legacy.kind == "ptd-legacy"
    assert legacy["mod.linear.weight"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert legacy.get_slice("mod.tied.weight").data == legacy.get_slice("mod.linear.weight").data


def test_a_bundled_program_has_its_program_and_tests():
    case = next(case for case in torchproof.cases() if case.id == "bpte/valid/every-type")
    bundle = torchproof.open(case.files["model.bpte"])
    assert (bundle.kind, bundle.program.kind) == ("bpte", "pte")
    (suite,) = [suite for suite in bundle.tests if suite.method_name == "forward"]
    assert suite.test_cases[0].inputs[0].val_type is not None
    assert bundle.program.methods["forward"].inputs


def test_dim_order_becomes_strides():
    numpy = pytest.importorskip("numpy")
    from torchproof import _arrays

    stored = numpy.arange(24, dtype="float32").reshape(2, 4, 3)  # in memory: dimension 0, then 2, then 1
    array = _arrays.to_numpy(memoryview(stored).cast("B"), True, "float32", (2, 3, 4), (0, 2, 1))
    assert array.shape == (2, 3, 4) and (array == stored.transpose(0, 2, 1)).all() and not array.flags.owndata
    with pytest.raises(errors.DtypeError, match="each dimension"):
        _arrays.to_numpy(memoryview(stored).cast("B"), True, "float32", (2, 3, 4), (0, 0, 1))


def test_tables_are_attributes(files):
    root = torchproof.open(files / "add.pte").root
    plan = root.execution_plan[0]
    assert (root.table_type, plan.name, plan.inputs) == ("Program", "forward", (0, 1))
    assert {"execution_plan", "segments", "table_type"} <= set(dir(root))
    assert len(list(plan.values)) == len(plan.values) and plan.values[-1].val_type
    assert "Operator(name='aten::add', overload='out')" in repr(plan.operators)
    assert root.mutable_data_segments is not None and len(root.mutable_data_segments) == 0
    with pytest.raises(AttributeError, match='no field "nothing"'):
        root.nothing  # noqa: B018
    with pytest.raises(IndexError):
        plan.operators[1]


def test_a_file_in_memory_is_the_same(files):
    path = files / "linear_external.ptd"
    content = path.read_bytes()
    shown = torchproof.open(path)["l.bias"].tolist()
    for given in (content, bytearray(content), memoryview(content)):
        assert torchproof.open(given)["l.bias"].tolist() == shown
    assert torchproof.open(path, mmap=False)["l.bias"].tolist() == shown
    assert torchproof.open(str(path)).to_dict() == torchproof.open(content).to_dict()


def test_without_a_map_a_file_can_shrink(files, tmp_path):
    path = tmp_path / "w.ptd"
    path.write_bytes((files / "linear_external.ptd").read_bytes())
    copy = torchproof.open(path, mmap=False)
    os.truncate(path, 10)
    assert copy["l.weight"].shape == (4, 8)


def test_exceptions_say_what_is_wrong(files, tmp_path):
    content = (files / "linear_external.ptd").read_bytes()
    with pytest.raises(errors.FormatError) as truncated:
        torchproof.open(content[:-8])
    assert (truncated.value.code, truncated.value.stage) == ("ft-seg-bound", "data")
    assert truncated.value.offset is not None and truncated.value.path
    for end in range(len(content)):
        with pytest.raises(errors.TorchproofError):
            torchproof.open(content[:end])
    with pytest.raises(FileNotFoundError, match="check the path"):
        torchproof.open(tmp_path / "none.ptd")
    with pytest.raises(errors.ReadError, match="not a regular file"):
        torchproof.open(tmp_path)
    (tmp_path / "empty").touch()
    with pytest.raises(errors.FormatError):
        torchproof.open(tmp_path / "empty")
    with pytest.raises(KeyError, match="lists the tensors"):
        torchproof.open(content)["missing"]
    with pytest.raises(errors.ArgumentError):
        torchproof.open(content, framework="jax")
    closed = torchproof.open(content)
    closed.close()
    with pytest.raises(errors.ClosedError):
        closed["l.weight"]
    with pytest.raises(TypeError):
        torchproof.open(7)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_an_exception(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for use in (torchproof.open, torchproof.check):
        with pytest.raises(errors.ReadError, match="not a regular file"):
            use(tmp_path / "pipe")


def test_errors_survive_pickling():
    import pickle

    with pytest.raises(errors.FormatError) as caught:
        torchproof.open(b"x" * 100)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), copy.code, copy.offset, str(copy)) == (
        errors.FormatError,
        caught.value.code,
        caught.value.offset,
        str(caught.value),
    )


def test_opening_reads_only_the_tables(tmp_path):
    pytest.importorskip("numpy")
    torchproof.save_data({"large": bytes(1 << 26)}, tmp_path / "large.ptd")
    tracemalloc.start()
    blob = torchproof.open(tmp_path / "large.ptd").named_data["large"]
    assert blob.nbytes == 1 << 26 and blob.data[-1] == 0
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_threads_share_a_file(files):
    file, found = torchproof.open(files / "mlp_external.ptd"), []

    def read():
        for _ in range(200):
            found.append(sum(float(file[key].sum()) for key in file))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 1600 and len(set(found)) == 1


def test_a_file_that_nobody_uses_is_unmapped(files):
    gc = pytest.importorskip("gc")
    gc.disable()
    try:
        gone = []

        class Bytes(bytearray):
            def __del__(self):
                gone.append(True)

        file = torchproof.open(Bytes((files / "linear_external.ptd").read_bytes()))
        kept = [file.named_data, file.keys(), file.root.named_data, file["l.bias"], list(file.segments)]
        del file
        assert not gone
        del kept
        assert gone
    finally:
        gc.enable()
