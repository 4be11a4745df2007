"""Exceptions. They have one base class, which says where in a file the reason is.

>>> try:
...     torchproof.open(b"not a model, but long enough to have a header and an identifier: ")
... except torchproof.errors.TorchproofError as error:
...     print(error.code, error.offset, error.stage)
fb-identifier-exact 4 header
"""


class TorchproofError(Exception):
    """The base class.

    ``code`` is the id of the broken rule, or a word such as ``missing``; ``offset`` the position of the wrong bytes; ``path`` that
    of the field, such as ``execution_plan[0].name``; and ``stage`` the stage of reading: ``open``, ``header``, ``structure``,
    ``meta``, ``method`` or ``data``. An error that is not about the content of a file has none of these.
    """

    def __init__(
        self, message: str, code: str | None = None, offset: int | None = None, path: str = "", stage: str | None = None
    ) -> None:
        super().__init__(message, code, offset, path, stage)
        self.code, self.offset, self.path, self.stage = code, offset, path, stage

    def __str__(self) -> str:
        return str(self.args[0])


class FormatError(TorchproofError, ValueError):
    """The file is broken where it was read: truncated, for example, or with an offset past its end."""


class LimitError(TorchproofError, ValueError):
    """The tables of the file are larger than a limit, so they were not read."""


class DtypeError(TorchproofError, TypeError):
    """No array has this element type or shape, or the package that defines the type is not installed."""


class MissingKeyError(TorchproofError, KeyError):
    """The file has no tensor of this name, or not its bytes."""


class NotFoundError(TorchproofError, FileNotFoundError):
    """There is no file at this path."""


class ReadError(TorchproofError, OSError):
    """The file cannot be read or written."""


class ClosedError(TorchproofError, ValueError):
    """The file has been closed."""


class WriteError(TorchproofError, ValueError):
    """A file with this content would be invalid."""


class ArgumentError(TorchproofError, ValueError):
    """An argument is unknown; the message names those that exist."""


class RejectedError(TorchproofError, ValueError):
    """A check rejected the file; ``report`` says why."""

    report: object = None
