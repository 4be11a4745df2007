"""The functions `check` and `needs`, and their results."""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from . import _torchproof
from ._files import expect_file
from .errors import RejectedError, TorchproofError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concurrent.futures import Future
    from typing import Any

IN_MEMORY = "model"


@dataclass(frozen=True)
class Finding:
    """A broken rule, which `torchproof.explain` explains. ``strength`` is ``must`` (the file is rejected), ``should`` or ``may``.

    ``path`` is the path of the field. ``offset`` and ``length`` locate the bytes in question. If they are in a data file of the
    program, ``companion`` is the name of that file.
    """

    rule: str
    strength: str
    basis: str
    path: str
    offset: int
    length: int
    message: str
    companion: str | None = None

    def __str__(self) -> str:
        place = ": ".join(filter(None, (self.companion, self.path, self.message)))
        return f"{self.strength} {self.rule}: {place} (at {self.offset:#x})"


@dataclass(frozen=True)
class Report:
    """The result of a check.

    ``verdict`` is ``accept``, ``reject`` or, if the check could not finish, ``unexamined``; ``error`` then says why.
    ``unresolved`` is the number of external tensors without a data file. ``runtime`` and ``builds`` have the predictions for the
    releases and builds that you named. ``data`` is the report as JSON: an item of `torchproof check --format json`.
    """

    path: str
    kind: str
    verdict: str
    findings: tuple[Finding, ...] = ()
    error: str | None = None
    unresolved: int | None = None
    note: str | None = None
    runtime: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    builds: tuple[dict[str, Any], ...] = field(default=(), hash=False)
    data: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def accepted(self) -> bool:
        return self.verdict == "accept"

    @property
    def rejected(self) -> bool:
        return self.verdict == "reject"

    def raise_if_rejected(self) -> Report:
        """Raise `errors.RejectedError` unless the file is accepted; return the report otherwise."""
        if self.accepted:
            return self
        first = next((finding for finding in self.findings if finding.strength == "must"), None)
        place = (first.rule, first.offset, first.path) if first else ()
        rejected = RejectedError(str(self), *place)
        rejected.report = self
        raise rejected

    def __str__(self) -> str:
        import json

        lines = [f"{self.path}: {self.verdict} ({self.kind})", *map(str, self.findings)]
        lines += [text for text in (self.error, self.note) if text]
        lines += [f"in the build {build['build']}: {json.dumps(build['methods'])}" for build in self.builds if self.rejected]
        return "\n  ".join(lines)

    def _repr_html_(self) -> str:
        import html

        rows = [(f.strength, f.rule, f.path, f"{f.offset:#x}", f.message) for f in self.findings]
        cells = ["".join(f"<td>{html.escape(cell)}" for cell in row) for row in rows]
        head = "<tr><th>strength<th>rule<th>field<th>offset<th>message"
        table = f"<table>{head}{''.join(f'<tr>{row}' for row in cells)}</table>" if rows else ""
        notes = "".join(f"<p>{html.escape(text)}</p>" for text in (self.error, self.note) if text)
        return f"<p><b>{html.escape(self.verdict)}</b> {html.escape(self.path)}</p>{table}{notes}"


@dataclass(frozen=True)
class Needs:
    """What a program needs from the build that loads it.

    ``operators`` (outside delegates) and ``backends`` are dictionaries by name; ``methods`` lists each method's inputs, outputs
    and memory. ``text`` is what `torchproof needs` prints, and ``data`` is its JSON.
    """

    operators: dict[str, Any]
    backends: dict[str, Any]
    methods: list[dict[str, Any]]
    report: Report
    text: str
    data: dict[str, Any]

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Needs(operators=[{', '.join(self.operators)}], backends=[{', '.join(self.backends)}])"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.text)}</pre>"


def _report(found: dict[str, Any]) -> Report:
    def finding(item: dict[str, Any]) -> Finding:
        same: dict[str, Any] = {name: item.get(name) for name in ("rule", "strength", "basis", "path", "message", "companion")}
        return Finding(offset=item["span"]["offset"], length=item["span"]["len"], **same)

    same: dict[str, Any] = {name: found.get(name) for name in ("path", "kind", "verdict", "error", "unresolved", "note")}
    lists: dict[str, Any] = {name: tuple(found.get(name, ())) for name in ("runtime", "builds")}
    return Report(findings=tuple(map(finding, found["findings"])), data=found, **same, **lists)


def _named(file: Any, default: str = IN_MEMORY) -> tuple[str, Any]:
    """A name for reports, and a path, bytes or a memoryview."""
    if isinstance(file, tuple):
        name, file = file
        return str(name), _named(file)[1]
    if isinstance(file, (str, os.PathLike)):
        path = os.fspath(file)
        expect_file(path)
        return path, path
    return default, file if isinstance(file, bytes) else memoryview(file).cast("B")


def _data(data: Any) -> list[tuple[str, Any]]:
    several = [data] if isinstance(data, (str, bytes, bytearray, memoryview, os.PathLike)) else list(data)
    return [_named(file, f"data-{index}") for index, file in enumerate(several)]


def _words(words: str | Iterable[str] | None) -> list[str]:
    return [] if words is None else [words] if isinstance(words, str) else list(words)


def check(
    file: Any,
    *,
    data: Any = (),
    build: str | Iterable[str] | None = None,
    runtime: str | Iterable[str] | None = None,
    limits: Mapping[str, int] | None = None,
) -> Report:
    """Check a file: a path, bytes, a memoryview, or a pair of a name and one of these.

    ``data`` has the data files of a program; if one of them is rejected, so is the program. ``build`` names builds of the
    runtime, such as ``wheel:1.5.1`` or a profile's path, and rejects programs that they do not load. ``runtime`` names releases
    for predictions, such as ``executorch:1.5.1``.

    >>> torchproof.check(files / "linear.pte").verdict
    'accept'
    >>> report = torchproof.check((files / "linear.pte").read_bytes()[:1000])
    >>> report.rejected, report.findings[0].rule
    (True, 'eh-program-size-range')
    """
    named, limited = _named(file), list((limits or {}).items())
    return _report(_torchproof.check(named, _data(data), _words(runtime), _words(build), limited))


def needs(file: Any, *, data: Any = ()) -> Needs:
    """Return what a program needs from a build: operators, backends, memory, data files and releases.

    >>> list(torchproof.needs(files / "linear.pte").operators)
    ['aten::addmm.out', 'aten::permute_copy.out']
    """
    found, text = _torchproof.needs(_named(file), _data(data))
    (program,) = found["programs"]
    return Needs(found["operators"], found["backends"], program["methods"], _report(program), text, found)


def check_program(program: Any, **options: Any) -> Report:
    """Check the result of ``to_executorch()``, with its external tensors, before you write it to a file.

    The options are the same as for `check`.
    """
    external = getattr(program, "_tensor_data", None) or {}
    data = [(f"{name.removesuffix('.ptd')}.ptd", bytes(cord)) for name, cord in external.items()]
    return check(("program", bytes(program.buffer)), data=data, **options)


def check_many(files: Iterable[Any], *, jobs: int | None = None, **options: Any) -> Iterator[Report]:
    """Check many files on ``jobs`` threads, and yield the reports in order.

    Each item can be anything that `check` accepts. An item that cannot be read gets a report with the verdict ``unexamined``.
    The iterable is consumed as you take the reports, so it need not fit into memory.

    >>> [report.verdict for report in torchproof.check_many(sorted(files.glob("linear*.pte")))]
    ['accept', 'accept', 'accept', 'accept', 'accept']
    """
    from concurrent.futures import ThreadPoolExecutor

    count = jobs or os.cpu_count() or 1

    def one(file: Any) -> Report:
        try:
            return check(file, **options)
        except TorchproofError as error:
            name = file[0] if isinstance(file, tuple) else file if isinstance(file, (str, os.PathLike)) else IN_MEMORY
            return Report(path=str(name), kind="unknown", verdict="unexamined", error=str(error))

    remaining = iter(files)
    with ThreadPoolExecutor(count) as threads:
        waiting: deque[Future[Report]] = deque(threads.submit(one, file) for file in itertools.islice(remaining, 2 * count))
        while waiting:
            report = waiting.popleft().result()
            waiting.extend(threads.submit(one, file) for file in itertools.islice(remaining, 1))
            yield report
