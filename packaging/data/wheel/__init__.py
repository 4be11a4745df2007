"""The torchproof corpus: valid and broken ExecuTorch .pte, .ptd and .bpte files, each with the verdict that a reader must reach.

    for case in torchproof_corpus.corpus().cases:
        data = case.files[0].read()
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from importlib import resources

__all__ = ["Case", "Corpus", "File", "corpus", "manifest_schema", "read", "rules"]


@dataclass(frozen=True)
class File:
    role: str
    """program, data or bundled"""
    path: str
    sha256: str
    size: int

    def read(self) -> bytes:
        return read(self.path)


@dataclass(frozen=True)
class Case:
    id: str
    title: str
    why: str
    files: tuple[File, ...]
    """The program comes before its data files."""
    verdict: str
    """accept, reject, or either: accept or reject, but without a crash or a hang"""
    status: str
    """active, disputed or retired; only active cases count"""
    rule: str | None = None
    stage: str | None = None
    """The latest stage at which a reader can safely reject the file."""
    control: str | None = None
    """The accepted case that differs only in the defect."""
    needs: tuple[str, ...] = ()
    """What a reader must support for this case."""
    expect: str | None = None
    """The path of the JSON with an accepted file's content."""


@dataclass(frozen=True)
class Corpus:
    version: str
    digest: str
    cases: tuple[Case, ...]


def read(path: str) -> bytes:
    """Returns the content of a path that the manifest names."""
    return resources.files(__name__).joinpath(path).read_bytes()


@functools.cache
def corpus() -> Corpus:
    manifest = json.loads(read("manifest.json"))
    return Corpus(manifest["version"], manifest["digest"], tuple(_case(case) for case in manifest["cases"]))


def manifest_schema() -> dict:
    """Returns the JSON schema of the manifest, which has more members than Case."""
    return json.loads(read("manifest.schema.json"))


def rules() -> list[dict]:
    """Returns the rules that the cases test, for the schema in rules.schema.json."""
    return json.loads(read("rules.json"))["rules"]


def _case(case: dict) -> Case:
    members = {name: case[name] for name in Case.__dataclass_fields__ if name in case}
    members["files"] = tuple(File(**file) for file in case["files"])
    members["needs"] = tuple(case.get("needs", ()))
    return Case(**members)
