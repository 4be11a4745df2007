"""The examples in docstrings and in the pages of the book."""

import doctest
import importlib
import shutil

import pytest
import torchproof
from conftest import REAL, ROOT

MODULES = ["", ".errors", "._arrays", "._files", "._reports", "._torchproof", ".strategies"]
PAGES = [*sorted((ROOT / "docs" / "src").glob("python-*.md")), ROOT / "python" / "README.md"]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def names(tmp_path, monkeypatch):
    pytest.importorskip("numpy")
    for end in ("pte", "ptd"):
        shutil.copy(REAL / f"mlp_external.{end}", tmp_path / f"mlp.{end}")
    monkeypatch.chdir(tmp_path)
    return {"files": REAL, "folder": tmp_path, "torchproof": torchproof}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name, names):
    if name == ".strategies":
        pytest.importorskip("hypothesis")
    module = importlib.import_module(f"torchproof{name}")
    tried = doctest.testmod(module, extraglobs=names, optionflags=OPTIONS)
    assert tried.attempted and not tried.failed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page, names):
    if page.name == "python-many.md":
        pytest.importorskip("fsspec")
    # The end of a block is no output.
    text = "\n".join("" if line.startswith("```") else line for line in page.read_text(encoding="utf-8").splitlines())
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    tried = doctest.DocTestRunner(optionflags=OPTIONS).run(examples)
    assert tried.attempted and not tried.failed
