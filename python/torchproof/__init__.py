"""Check, read, write and attack ExecuTorch .pte and .ptd files.

>>> torchproof.check(files / "linear.pte").verdict
'accept'
"""

from __future__ import annotations

from . import errors

# Do not import `typing`, which takes as long as the rest of this package.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._arrays import save_data
    from ._files import BundledProgram, DataFile, File, Program, open
    from ._reports import Finding, Needs, Report, check, check_many, check_program, needs
    from ._torchproof import Attacked, Case, Delegate, Entry, Method, Table, Tables, __version__
    from ._torchproof import attack, attacks, cases, explain, generate

# fmt: off
__all__ = [
    "Attacked", "BundledProgram", "Case", "DataFile", "Delegate", "Entry", "File", "Finding", "Method", "Needs", "Program", "Report",
    "Table", "Tables", "__version__", "attack", "attacks", "cases", "check", "check_many", "check_program", "errors", "explain",
    "generate", "needs", "open", "save_data",
]
# fmt: on

# The modules that define these names, imported when a name is first used. All other names are in the extension.
_MODULES = {
    "_arrays": ("save_data",),
    "_files": ("BundledProgram", "DataFile", "File", "Program", "open"),
    "_reports": ("Finding", "Needs", "Report", "check", "check_many", "check_program", "needs"),
}


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = next((module for module, names in _MODULES.items() if name in names), "_torchproof")
    value = globals()[name] = getattr(import_module(f".{module}", __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
