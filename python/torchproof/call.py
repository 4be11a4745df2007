"""Calls a function as a reader: ``once:python -m torchproof.call module:function``.

The function gets the path of a file, and the paths of its data files. It accepts the files if it returns anything but ``False``.
An exception means that it rejects them, but exhausted memory or an exhausted stack counts as a crash. ``NotImplementedError``
means that the reader does not support these files.
"""

from __future__ import annotations

import importlib
import sys

ACCEPT, REJECT, UNSUPPORTED, CRASH = 0, 1, 2, 3


def main() -> int:
    name, *paths = sys.argv[1:]
    module, _, function = name.partition(":")
    if not function:
        print(f"found reader {name!r}, expected module:function", file=sys.stderr)
        return CRASH
    reader = getattr(importlib.import_module(module), function)
    try:
        answer = reader(*paths)
    except NotImplementedError:
        return UNSUPPORTED
    except Exception as error:
        print(f"{type(error).__name__}: {error}".replace("\n", " "), file=sys.stderr)
        return CRASH if isinstance(error, (MemoryError, RecursionError)) else REJECT
    return REJECT if answer is False else ACCEPT


if __name__ == "__main__":
    sys.exit(main())
