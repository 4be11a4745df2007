"""NumPy and PyTorch arrays over the bytes of a file, and data files made from arrays."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from . import _torchproof
from .errors import DtypeError, ReadError

if TYPE_CHECKING:
    import numpy
    import torch

    Array = numpy.ndarray[Any, Any]

ELSE = "`data` has the bytes"
Order = tuple[int, ...] | None


def _numpy_dtype(name: str) -> numpy.dtype[Any]:
    import numpy

    if name.startswith(("bfloat", "float8")):
        try:
            import ml_dtypes  # noqa: F401  # registers its types with NumPy
        except ImportError:
            raise DtypeError(f"found {name}, which NumPy lacks; install ml_dtypes, or use `data` for the bytes") from None
    return numpy.dtype(name) if sys.byteorder == "little" else numpy.dtype(name).newbyteorder("<")


def _axes(shape: tuple[int, ...], dim_order: Order) -> tuple[list[int], list[int]]:
    """The sizes in memory order, and the axes that restore the order of the shape."""
    order = list(range(len(shape)) if dim_order is None else dim_order)
    if sorted(order) != list(range(len(shape))):
        raise DtypeError(f"found dim_order {dim_order}, expected each dimension of {shape} once; {ELSE}")
    return [shape[dim] for dim in order], sorted(range(len(order)), key=order.__getitem__)


def to_numpy(data: memoryview, is_known: bool, name: str, shape: tuple[int, ...], dim_order: Order) -> Array:
    import numpy

    if not is_known:
        raise DtypeError(f"found element type {name}, which NumPy lacks; {ELSE}")
    dtype, (sizes, axes) = _numpy_dtype(name), _axes(shape, dim_order)
    try:
        array = numpy.frombuffer(data, dtype) if data.nbytes else numpy.empty(0, dtype)
        array = array.reshape(sizes).transpose(axes)
    except ValueError as error:
        raise DtypeError(f"NumPy has no array of shape {shape}: {error}; {ELSE}") from None
    array.flags.writeable = False
    return array


def to_torch(data: memoryview, is_known: bool, name: str, shape: tuple[int, ...], dim_order: Order) -> torch.Tensor:
    import torch

    dtype = getattr(torch, name, None) if is_known else None
    if dtype is None:
        raise DtypeError(f"found element type {name}, which PyTorch lacks; {ELSE}")
    sizes, axes = _axes(shape, dim_order)
    # PyTorch has no read-only tensors, and a write to a read-only mapping would end the process.
    source = bytearray(data) if data.readonly else data
    try:
        flat = torch.frombuffer(source, dtype=dtype) if len(source) else torch.empty(0, dtype=dtype)
        return flat.reshape(sizes).permute(axes)
    except (RuntimeError, ValueError) as error:
        raise DtypeError(f"PyTorch has no tensor of shape {shape}: {error}; {ELSE}") from None


def _packed(key: str, value: Any) -> tuple[str, bytes, tuple[str, list[int]] | None]:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return key, bytes(value), None
    if hasattr(value, "detach"):  # a PyTorch tensor
        import torch

        value = value.detach().cpu().contiguous()
        data = value.reshape(-1).view(torch.uint8).numpy().tobytes() if value.numel() else b""
        return key, data, (str(value.dtype).removeprefix("torch."), list(value.shape))
    import numpy

    array = numpy.asarray(value)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    return key, array.tobytes(), (array.dtype.name, list(array.shape))


def save_data(tensors: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a data file (`.ptd`) that the runtime loads.

    Values are NumPy arrays, PyTorch tensors, or bytes, which become blobs without a type. Equal bytes are stored only once.
    An existing file is replaced once the new file is complete.

    >>> import numpy
    >>> torchproof.save_data({"l.weight": numpy.ones((2, 3), "float32"), "note": b"any bytes"}, folder / "w.ptd")
    >>> torchproof.open(folder / "w.ptd")["l.weight"]
    array([[1., 1., 1.],
           [1., 1., 1.]], dtype=float32)
    """
    content = _torchproof.pack_data([_packed(key, value) for key, value in tensors.items()])
    target = os.fspath(path)
    unfinished = f"{target}.{os.getpid()}.tmp"
    try:
        with open(unfinished, "xb") as file:
            file.write(content)
        os.replace(unfinished, target)
    except OSError as error:
        if os.path.exists(unfinished):
            os.unlink(unfinished)
        raise ReadError(f"{target}: cannot write the file: {error.strerror}") from error
