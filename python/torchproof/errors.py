"""Exceptions. Their common base class says where in a file the error is.

>>> try:
...     torchproof.open(b"not a model, but long enough to have a header and an identifier: ")
... except torchproof.errors.TorchproofError as error:
...     print(error.code, error.offset, error.stage)
fb-identifier-exact 4 header
"""


class TorchproofError(Exception):
    """The base class.

    ``code`` is the id of the broken rule, or a word such as ``missing``. ``offset`` is the position of the wrong bytes.
    ``path`` is the path of the field, such as ``execution_plan[0].name``. ``stage`` is the stage of reading: ``open``, ``header``,
    ``structure``, ``meta``, ``method`` or ``data``. If an error is not about the content of a file, none of these is set.
    """

    def __init__(
        self, message: str, code: str | None = None, offset: int | None = None, path: str = "", stage: str | None = None
    ) -> None:
        super().__init__(message, code, offset, path, stage)
        self.code, self.offset, self.path, self.stage = code, offset, path, stage

    def __str__(self) -> str:
        return str(self.args[0])


class FormatError(TorchproofError, ValueError):
    """The part of the file that was read is broken: for example, it is truncated, or an offset leads past the end of the file."""


class LimitError(TorchproofError, ValueError):
    """The file's tables exceed a limit, so they were not read."""


class DtypeError(TorchproofError, TypeError):
    """No array can have this element type or shape, or the package that defines the type is not installed."""


class MissingKeyError(TorchproofError, KeyError):
    """The file has no tensor with this name, or does not contain its bytes."""


class NotFoundError(TorchproofError, FileNotFoundError):
    """There is no file at this path."""


class ReadError(TorchproofError, OSError):
    """The file cannot be read or written."""


class ClosedError(TorchproofError, ValueError):
    """The file has been closed."""


class WriteError(TorchproofError, ValueError):
    """A file with this content would be invalid."""


class ArgumentError(TorchproofError, ValueError):
    """An argument has an unknown value; the message lists the known values."""


class RejectedError(TorchproofError, ValueError):
    """A check rejected the file; ``report`` says why."""

    report: object = None
