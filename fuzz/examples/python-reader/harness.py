#!/usr/bin/env python3
"""The harness: atheris calls `read` with each input, and calls the mutator to make new inputs."""

import ctypes
import os
import sys

import atheris

with atheris.instrument_imports():
    import reader

library = ctypes.CDLL(os.environ["TORCHPROOF_MUTATOR_LIBRARY"])
text, size, number = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint64
library.torchproof_mutate.argtypes = [text, size, number, text, size, text, size]
library.torchproof_mutate.restype = size
library.LLVMFuzzerCustomCrossOver.argtypes = [text, size, text, size, text, size, ctypes.c_uint]
library.LLVMFuzzerCustomCrossOver.restype = size


def mutate(data, max_size, seed):
    """Mutates an input. A quarter of the mutations are libFuzzer's own."""
    if seed % 4 == 0:
        return atheris.Mutate(data, max_size)
    out = ctypes.create_string_buffer(max_size)
    return out.raw[: library.torchproof_mutate(data, len(data), seed, out, max_size, None, 0)]


def cross(data, other, max_size, seed):
    """Combines two inputs."""
    out = ctypes.create_string_buffer(max_size)
    return out.raw[: library.LLVMFuzzerCustomCrossOver(data, len(data), other, len(other), out, max_size, seed)]


def read(data):
    """Reads an input. Any other exception is a crash."""
    try:
        reader.methods(data)
    except reader.Rejected:
        pass


atheris.Setup(sys.argv, read, custom_mutator=mutate, custom_crossover=cross)
atheris.Fuzz()
