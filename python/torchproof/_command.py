"""The command. To launch readers, it starts this file again, without the package and without `site`."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module

# With `-I -S`, the interpreter finds no packages, but starts in a third of the time.
OWN = [sys.executable, "-I", "-S", os.path.abspath(__file__)]


def main() -> None:
    # The command and the readers expect the system's default signal handlers, not those of the interpreter.
    for name in ("SIGINT", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    # The extension is next to this file, but its package may not be found.
    sys.path.insert(0, os.path.dirname(OWN[-1]))
    sys.exit(import_module("_torchproof").command(sys.argv[1:], OWN))


if __name__ == "__main__":
    main()
