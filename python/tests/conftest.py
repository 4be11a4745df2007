"""The files that the tests share."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REAL = ROOT / "corpus" / "real"


@pytest.fixture(scope="session")
def files():
    return REAL


@pytest.fixture(scope="session")
def every_file():
    """The files by official exporters and the files of the corpus."""
    return sorted(path for folder in ("real", "files") for path in (ROOT / "corpus" / folder).rglob("*.*pt[ed]"))
