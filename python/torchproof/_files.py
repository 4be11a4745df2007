"""Open files: programs, data files and bundled programs as lazy objects over a memory map."""

from __future__ import annotations

import builtins
import mmap as memory_map
import os
from collections.abc import Iterator
from functools import cached_property

from . import _torchproof
from .errors import ArgumentError, MissingKeyError, NotFoundError, ReadError

# `typing` takes as long to import as this module and the extension.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, TypeAlias

    Given: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview | memory_map.mmap

PREFIX = "metadata."


def _encoded(key: str) -> bytes:
    return key.encode("utf-8", "surrogateescape")


def expect_file(path: str) -> None:
    """Raise instead of starting a read that would wait forever, such as a read from a pipe."""
    if not os.path.isfile(path):
        if os.path.exists(path):
            raise ReadError(f"{path}: not a regular file; expected a file")
        raise NotFoundError(f"{path}: no such file; check the path, and your access to its folder")


class File(_torchproof.File):
    """The base class of all files. ``root`` is the root table; the fields of its schema are attributes."""

    _looked_up = False

    @cached_property
    def named_data(self) -> dict[str, _torchproof.Entry]:
        """Everything that a reader looks up by key: tensors and blobs. If keys are equal, the first entry wins."""
        return self._entries()

    def _tensors(self) -> dict[str, _torchproof.Entry]:
        return {key: entry for key, entry in self.named_data.items() if entry.scalar_type is not None}

    def keys(self) -> list[str]:
        """The names of the tensors. ``named_data`` also contains the blobs."""
        return list(self._tensors())

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors())

    def __len__(self) -> int:
        return len(self._tensors())

    def get_slice(self, key: str) -> _torchproof.Entry:
        """The tensor with this name, before its array is made: its type, its shape, and slices of it."""
        # The first lookup needs no index. Later lookups use one.
        is_first, self._looked_up = not self._looked_up, True
        entry = self._find(_encoded(key)) if is_first else self.named_data.get(key)
        if entry is None:
            raise MissingKeyError(f"{key}: no tensor has this key; `keys()` lists the tensors", "missing")
        return entry

    def get_tensor(self, key: str) -> Any:
        """The array with this name: a read-only NumPy array or, with ``framework="pt"``, a PyTorch tensor."""
        return self.get_slice(key).array()

    __getitem__ = get_tensor

    def metadata(self) -> dict[str, Any]:
        """The decoded values of the keys that begin with ``metadata.``, by key without this prefix."""
        found = {key: bytes(entry.data or b"") for key, entry in self.named_data.items() if key.startswith(PREFIX)}
        return {key.removeprefix(PREFIX): _torchproof.decode_metadata(_encoded(key), value) for key, value in found.items()}

    def close(self) -> None:
        """Release the map. It stays mapped until the last array over it is gone."""
        self.__dict__.pop("named_data", None)
        super().close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path or 'in memory'}: {self.nbytes} bytes>"


class DataFile(File):
    """A data file (`.ptd`), in the current or the legacy layout."""


class Program(File):
    """A program (`.pte`)."""

    @property
    def methods(self) -> dict[str, _torchproof.Method]:
        return self._methods()

    def _tensors(self) -> dict[str, _torchproof.Entry]:
        """The tensors that have a name and whose bytes are in this file."""
        every = [tensor for method in self.methods.values() for tensor in method.tensors.values()]
        return {tensor.name: tensor for tensor in every if tensor.name and tensor.data is not None}

    def get_slice(self, key: str) -> _torchproof.Entry:
        return self._tensors().get(key) or super().get_slice(key)


class BundledProgram(File):
    """A program with test cases (`.bpte`)."""

    @property
    def program(self) -> Program:
        return Program(self._program(), self.path, self._is_torch)

    @property
    def tests(self) -> list[_torchproof.Table]:
        """The test cases of each method."""
        return list(self.root.method_test_suites)


def _mapped(path: str, is_torch: bool, mmap: bool) -> memoryview:
    expect_file(path)
    try:
        with builtins.open(path, "rb", buffering=0) as file:
            if not mmap or not os.fstat(file.fileno()).st_size:
                content = file.read()
                return memoryview(bytearray(content) if is_torch else content)
            # PyTorch tensors have no read-only mode, so map private pages: otherwise, a write would end the process.
            access = memory_map.ACCESS_COPY if is_torch else memory_map.ACCESS_READ
            return memoryview(memory_map.mmap(file.fileno(), 0, access=access))
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot read the file: {error}") from None


def open(file: Given, *, framework: str = "np", mmap: bool = True) -> Program | DataFile | BundledProgram:
    """Open a program, a data file or a bundled program from a path or from bytes.

    Only the header and the tables are read. Arrays are views of the memory map, so they cost no memory until you use them. The
    file must not shrink while it is open, because the operating system ends a process that reads a lost page. With
    ``mmap=False``, the file is first copied into memory. If the file is already truncated, an exception is raised.

    >>> with torchproof.open(files / "linear_external.ptd") as data:
    ...     print(data.keys(), data.get_slice("l.weight").get_shape())
    ...     print(data["l.weight"].dtype)
    ['l.weight', 'l.bias'] [4, 8]
    float32
    """
    if framework not in ("np", "pt"):
        raise ArgumentError(f"found framework {framework!r}, expected np or pt")
    path, is_torch = None, framework == "pt"
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
        view = _mapped(path, is_torch, mmap)
    else:
        view = memoryview(file).cast("B") if mmap else memoryview(bytes(memoryview(file)))
    kind = _torchproof.kind_of(view)
    if kind == "ptd":
        return DataFile(view, path, is_torch)
    return (BundledProgram if kind == "bpte" else Program)(view, path, is_torch)
