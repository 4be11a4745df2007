"""Starts the command: `python -m torchproof`."""

import os
import subprocess
import sys
import sysconfig


def command():
    """Returns the path of the installed command."""
    name = "torchproof" + (sysconfig.get_config_var("EXE") or "")
    user = sysconfig.get_preferred_scheme("user")
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user)]
    # `pip install --target FOLDER` writes the command to FOLDER/bin.
    folders.append(os.path.join(os.path.dirname(__file__), os.pardir, "bin"))
    paths = [os.path.join(folder, name) for folder in folders]
    for path in paths:
        if os.path.isfile(path):
            return path
    sys.exit(f"torchproof: found no command at {', '.join(paths)}; install the package torchproof again")


def main():
    arguments = [command(), *sys.argv[1:]]
    if sys.platform == "win32":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()
