"""Writing data files, and element types."""

import sys

import pytest

import torchproof
from torchproof import errors

numpy = pytest.importorskip("numpy")


def round_trip(tensors, path):
    torchproof.save_data(tensors, path)
    assert torchproof.check(path).verdict == "accept"
    return torchproof.open(path)


def test_every_type_of_numpy_survives(tmp_path):
    names = "uint8 int8 int16 int32 int64 float16 float32 float64 bool uint16 uint32 uint64".split()
    tensors = {name: numpy.arange(6).reshape(2, 3).astype(name) for name in names}
    file = round_trip(tensors, tmp_path / "all.ptd")
    for name, tensor in tensors.items():
        assert file[name].dtype == name and (file[name] == tensor).all() and file.get_slice(name).dtype == name


def test_types_of_ml_dtypes_survive(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    names = ["bfloat16", "float8_e5m2", "float8_e4m3fn", "float8_e5m2fnuz", "float8_e4m3fnuz"]
    tensors = {name: numpy.ones((2, 2)).astype(getattr(ml_dtypes, name)) for name in names}
    file = round_trip(tensors, tmp_path / "ml.ptd")
    for name, tensor in tensors.items():
        assert file[name].dtype == tensor.dtype and (file[name] == tensor).all() and not file[name].flags.owndata


def test_an_absent_ml_dtypes_is_named(tmp_path, monkeypatch):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    file = round_trip({"w": numpy.ones(2).astype(ml_dtypes.bfloat16)}, tmp_path / "b.ptd")
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(errors.DtypeError, match="install ml_dtypes"):
        file["w"]
    assert bytes(file.get_slice("w").data) == b"\x80\x3f\x80\x3f"


def test_odd_arrays_survive(tmp_path):
    tensors = {
        "scalar": numpy.float32(3),
        "empty": numpy.zeros((0, 5), "int64"),
        "transposed": numpy.arange(6, dtype="int32").reshape(2, 3).T,
        "big-endian": numpy.arange(3, dtype=">i4"),
        "ключ": numpy.ones(1, "float64"),
    }
    file = round_trip(tensors, tmp_path / "odd.ptd")
    for name, tensor in tensors.items():
        assert file[name].shape == numpy.shape(tensor) and (file[name] == tensor).all()


def test_blobs_have_no_type_and_equal_bytes_are_stored_once(tmp_path):
    weight = numpy.ones(100, "float32")
    file = round_trip({"a": weight, "tied": weight.copy(), "note": b"text"}, tmp_path / "w.ptd")
    assert len(file.segments) == 2 and file.keys() == ["a", "tied"]
    assert bytes(file.named_data["note"].data) == b"text"
    with pytest.raises(errors.MissingKeyError, match="a blob"):
        file["note"]


def test_types_that_no_file_has_are_exceptions(tmp_path):
    for value in (numpy.array(["text"]), numpy.ones(2, "complex64"), numpy.array([object()])):
        with pytest.raises(errors.DtypeError, match="expected one of bfloat16"):
            torchproof.save_data({"w": value}, tmp_path / "w.ptd")
    with pytest.raises(errors.WriteError):
        torchproof.save_data({"w": numpy.ones((1,) * 17, "float32")}, tmp_path / "w.ptd")
    with pytest.raises(errors.ReadError, match="cannot write"):
        torchproof.save_data({}, tmp_path / "missing" / "w.ptd")
    assert not list(tmp_path.iterdir())


def test_dlpack_and_array_interfaces(files):
    tensor = torchproof.open(files / "linear_external.ptd").get_slice("l.bias")
    assert numpy.asarray(tensor).shape == (4,) and numpy.array(tensor, "float64").dtype == "float64"
    copied = numpy.array(tensor, copy=True)
    copied[0] = 7
    assert tensor.numpy()[0] != 7
    assert (numpy.from_dlpack(tensor) == tensor.numpy()).all()


def test_tensors_of_pytorch(files, tmp_path):
    torch = pytest.importorskip("torch")
    tensors = {"w": torch.arange(6.0).reshape(2, 3), "b": torch.ones(3, dtype=torch.bfloat16)}
    file = round_trip(tensors, tmp_path / "w.ptd")
    content = (tmp_path / "w.ptd").read_bytes()
    assert torch.equal(file.get_slice("w").torch(), tensors["w"])
    mapped = torchproof.open(tmp_path / "w.ptd", framework="pt")
    for key, tensor in tensors.items():
        assert mapped[key].dtype == tensor.dtype and torch.equal(mapped[key], tensor)
    # A write changes private pages only.
    assert mapped["w"].data_ptr() == mapped["w"].data_ptr()
    mapped["w"].add_(1)
    assert mapped["w"][0, 0] == 1 and (tmp_path / "w.ptd").read_bytes() == content
    assert torch.equal(torch.from_dlpack(torchproof.open(content, framework="pt").get_slice("w")), tensors["w"])
