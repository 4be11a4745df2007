"""Hypothesis strategies for files that your code must survive.

>>> from hypothesis import given
>>> from torchproof import strategies
>>> @given(strategies.attacked())
... def survives(attacked):
...     torchproof.check(attacked.bytes)
>>> survives()
"""

from __future__ import annotations

from hypothesis import strategies as st

from . import _torchproof

SEEDS = st.integers(0, 2**64 - 1)

# Keep files small, so that an example is quick to make and to read.
SMALL = {"tables": "2000..2000", "data_bytes": "65536..65536"}


def files(kind: str = "pte", **settings: object) -> st.SearchStrategy[dict[str, bytes]]:
    """Valid files, as from `torchproof.generate`. Hypothesis shrinks the seed, not the file."""
    chosen = SMALL | settings
    return SEEDS.map(lambda seed: _torchproof.generate(seed, kind, **chosen))


def attacked(kind: str = "pte", *names: str) -> st.SearchStrategy[_torchproof.Attacked]:
    """Files with one fault, and a label that describes it, as from `torchproof.attack`."""

    def change(made: dict[str, bytes], seed: int) -> _torchproof.Attacked | None:
        return _torchproof.attack(next(iter(made.values())), seed, *names)

    found = st.builds(change, files(kind), SEEDS).filter(lambda changed: changed is not None)
    return found  # type: ignore[return-value]  # the filter removes None


def damaged(file: bytes) -> st.SearchStrategy[bytes]:
    """Your own file with a few bytes replaced, or with its end cut off."""
    ends = st.integers(0, len(file)).map(lambda end: file[:end])
    patches = st.lists(st.tuples(st.integers(0, max(len(file) - 1, 0)), st.binary(min_size=1, max_size=8)), max_size=4)

    def patched(changes: list[tuple[int, bytes]]) -> bytes:
        changed = bytearray(file)
        for at, new in changes:
            changed[at : at + len(new)] = new
        return bytes(changed)

    return ends | patches.map(patched)


def cases(verdict: str | None = None) -> st.SearchStrategy[_torchproof.Case]:
    """Cases of the corpus: all cases, or those that a reader must ``accept`` or ``reject``."""
    return st.sampled_from([case for case in _torchproof.cases() if verdict in (None, case.verdict)])
