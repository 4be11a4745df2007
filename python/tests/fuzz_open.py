#!/usr/bin/env python3
"""Fuzzes `open`, `check`, `needs` and every attribute with atheris: python fuzz_open.py LEARNED CORPUS -max_total_time=60

Any exception but the package's own is a finding, and so is the end of the interpreter. Every second change is an attack of the
library, because random bytes seldom get past a header.
"""

import sys

import atheris

with atheris.instrument_imports(include=["torchproof"]):
    import torchproof
    from attributes import attempt, touch_file

    for name in torchproof.__all__:  # the modules behind the names
        getattr(torchproof, name)


def one(content):
    touch_file(content)
    attempt(lambda: torchproof.check(content))
    attempt(lambda: torchproof.needs(content))


def change(content, most, seed):
    attacked = torchproof.attack(content, seed) if seed % 2 else None
    return attacked.bytes if attacked and len(attacked.bytes) <= most else atheris.Mutate(content, most)


atheris.Setup(sys.argv, one, custom_mutator=change)
atheris.Fuzz()
