"""Reads every attribute of a file, for the tests and for the fuzzer."""

import torchproof
from torchproof import errors
from torchproof._torchproof import Table, Tables


def touch(value, budget):
    """Read every attribute below a value. The budget ends a walk over tables that a file shares millions of times."""
    if budget[0] <= 0:
        return
    budget[0] -= 1
    if isinstance(value, Table):
        repr(value)
        for name in dir(value):
            attempt(lambda name=name: touch(getattr(value, name), budget))
    elif isinstance(value, Tables):
        repr(value)
        for index in range(min(len(value), 50)):
            attempt(lambda index=index: touch(value[index], budget))
    elif isinstance(value, memoryview):
        value[:1].tobytes(), value[-1:].tobytes()
    else:
        repr(value)


def attempt(read):
    """Only the package's own exceptions may leave it."""
    try:
        return read()
    except errors.TorchproofError as error:
        assert error.code or not isinstance(error, errors.FormatError)
        return None


def touch_file(content):
    file = attempt(lambda: torchproof.open(content))
    if file is None:
        return False
    attempt(lambda: touch(file.root, [3000]))
    for name in ("kind", "header", "segments", "named_data", "methods", "program", "tests"):
        if hasattr(type(file), name):
            attempt(lambda name=name: repr(getattr(file, name)))
    for call in (file.keys, file.metadata, file.to_dict):
        attempt(call)
    tensors = list((attempt(lambda: file.named_data) or {}).values())
    for method in (attempt(lambda: getattr(file, "methods", {})) or {}).values():
        for name in ("inputs", "outputs", "operators", "delegates", "instructions"):
            attempt(lambda name=name: repr(getattr(method, name)))
        for delegate in attempt(lambda: method.delegates) or ():
            attempt(lambda: delegate.data)
            attempt(lambda: delegate.compile_specs)
        tensors += (attempt(lambda: method.tensors) or {}).values()
    for tensor in tensors[:200]:
        repr(tensor.name)
        attempt(lambda: repr(tensor))
        attempt(lambda: tensor.data)
        attempt(lambda: tensor.numpy().sum())
    return True
