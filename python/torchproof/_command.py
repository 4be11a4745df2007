"""The command. The launcher of readers starts this file again, without the package and its site."""

from __future__ import annotations

import os
import signal
import sys
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec
from importlib.util import module_from_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# `-I -S` finds no packages, but starts in a third of the time.
OWN = [sys.executable, "-I", "-S", os.path.abspath(__file__)]


def _extension() -> Any:
    """Load the extension by its path, because its package may not be found."""
    paths = [os.path.join(os.path.dirname(OWN[-1]), f"_torchproof{suffix}") for suffix in EXTENSION_SUFFIXES]
    path = next(filter(os.path.exists, paths), None)
    if path is None:
        sys.exit(f"torchproof: found none of {', '.join(paths)}; install the package torchproof again")
    loader = ExtensionFileLoader("_torchproof", path)
    module = module_from_spec(ModuleSpec("_torchproof", loader, origin=path))
    loader.exec_module(module)
    return module


def main() -> None:
    # The command and the readers expect the signals of the system, not those of the interpreter.
    for name in ("SIGINT", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    sys.exit(_extension().command(sys.argv[1:], OWN))


if __name__ == "__main__":
    main()
