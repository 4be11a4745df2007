"""Starts the command: `python -m torchproof`."""

from torchproof._command import main

if __name__ == "__main__":
    main()
