#!/usr/bin/env python3
"""Switches the checks of a C or C++ reader off, one at a time, and reports which of them the corpus notices.

The script copies the source tree of the reader to a folder, rewrites the checks in the copy so that an environment variable selects
the one that is off, and builds the copy once. It then runs each case to learn which checks fire, and for each check that fires, runs
those cases again without it. A check is noticed if one of these cases fails now, but not before.

A check is an `if` whose branch leaves (return, throw, goto, abort), or a call that --holds names. README.md has examples.
"""

import argparse
import collections
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

# If a check fails, it writes its number to the file TORCHPROOF_FIRED, once per process. Check TORCHPROOF_OFF then passes.
RUNTIME = """\
#ifndef TORCHPROOF_MUTANTS_H
#define TORCHPROOF_MUTANTS_H
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static inline int torchproof_broken(int id, int broken) {
    static unsigned char fired[%d];
    const char *off = getenv("TORCHPROOF_OFF"), *path = getenv("TORCHPROOF_FIRED");
    if (broken && path && !fired[id]) {
        char text[16];
        int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (file < 0 || write(file, text, (size_t)snprintf(text, sizeof text, "%%d\\n", id)) < 0) abort();
        close(file);
        fired[id] = 1;
    }
    return broken && !(off && atoi(off) == id);
}
#endif
"""
# The grades of a case that does not fail. Whatever else a reader may do with the files of a case, it must not crash.
SOUND = {"pass", "ungraded", "skip"}
LEAVES = re.compile(r"(?:co_)?return\b|throw\b|goto\b|(?:std::)?(?:abort|exit|_exit)\s*\(")
# Leave out a condition with an assignment or a declaration: in parentheses, it would mean something else or not compile.
DECLARES = re.compile(r"(?<![=!<>+\-*/%&|^])=(?!=)|;")


@dataclass
class Check:
    path: Path
    line: int
    condition: str
    start: int
    end: int
    must_hold: bool
    fires: list = field(default_factory=list)
    noticed: list = field(default_factory=list)


def code_only(text):
    """Returns the text with comments, literals and preprocessor lines replaced by spaces, so that positions stay the same."""
    tokens = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#(?:\\\n|[^\n])*'
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(tokens, blank, text, flags=re.DOTALL | re.MULTILINE)


def closing(code, start):
    """Returns the position of the bracket that closes the one at `start`, or None."""
    depth = 0
    for at in range(start, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at
    return None


def arguments(code, start, end):
    """Yields the start and the end of each argument between two parentheses."""
    depth, begin = 0, start + 1
    for at in range(start + 1, end):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if code[at] == "," and depth == 0:
            yield begin, at
            begin = at + 1
    yield begin, end


def leaves(code, after):
    """Returns whether the statement or block at `after` always leaves the function or the block around it."""
    body = re.compile(r"\s*").match(code, after).end()
    if code.startswith("{", body):
        last, depth = body + 1, 0
        end = code.rindex(";", body, closing(code, body)) if code[body : closing(code, body)].rstrip().endswith(";") else body
        for at in range(body + 1, end):
            depth += (code[at] in "([{") - (code[at] in ")]}")
            # A brace before one of these characters ends a value, not a block.
            if depth == 0 and (code[at] == ";" or code[at] == "}" and code[at + 1 :].lstrip()[:1] not in ";,.)"):
                last = at + 1
        return bool(LEAVES.match(code[last:end].lstrip()))
    return bool(LEAVES.match(code, body))


def checks_in(path, text, holds, skip):
    code = code_only(text)
    calls = "|".join(re.escape(name) for name in holds) or r"(?!)"
    for match in re.finditer(rf"\bif\s*(\()|\b({calls})\s*(\()", code):
        name, start = match.group(2), match.start(1) if match.group(1) else match.start(3)
        end = closing(code, start)
        if end is None:
            continue
        if name is None:
            begin, stop = start + 1, end
            found = leaves(code, end + 1)
        else:
            spans = list(arguments(code, start, end))
            # A declaration or a definition of the function has no statement before it ends.
            found = len(spans) > holds[name] and not code[end + 1 :].lstrip().startswith("{")
            begin, stop = spans[holds[name]] if found else (0, 0)
        condition = " ".join(text[begin:stop].split())
        if found and condition and not DECLARES.search(code[begin:stop]) and not (skip and skip.search(condition)):
            yield Check(path, text.count("\n", 0, match.start()) + 1, condition, begin, stop, name is not None)


def rewritten(text, checks, header):
    pieces, at = [f'#include "{header}"\n#line 1\n'], 0
    for number, check in checks:
        condition = text[check.start : check.end]
        wrapped = f"!torchproof_broken({number}, !({condition}))" if check.must_hold else f"torchproof_broken({number}, ({condition}) ? 1 : 0)"
        pieces += [text[at : check.start], wrapped]
        at = check.end
    return "".join(pieces) + text[at:]


def outermost(checks):
    """Drops each check inside the condition of another check, because the outer check covers it."""
    kept, end = [], -1
    for check in checks:
        if check.start >= end:
            kept.append(check)
            end = check.end
    return kept


def build(options, copy, checks):
    """Builds the copy. If a check does not compile (for example in a constant expression), drops it and builds again."""
    texts = {path: (options.source / path).read_text() for path in {check.path for check in checks}}
    while True:
        header = copy / "torchproof_mutants.h"
        header.write_text(RUNTIME % max(1, len(checks)))
        for path, text in texts.items():
            own = [(number, check) for number, check in enumerate(checks) if check.path == path]
            (copy / path).write_text(rewritten(text, own, header))
        result = subprocess.run(options.build, shell=True, cwd=copy, text=True, capture_output=True, errors="replace")
        if result.returncode == 0:
            return checks
        broken = re.findall(r"^(\S+?):(\d+):\d+: error", result.stdout + result.stderr, re.MULTILINE)
        concerns = lambda check, path, line: ("/" + path).endswith("/" + str(check.path)) and 0 <= int(line) - check.line < 4
        kept = [check for check in checks if not any(concerns(check, path, line) for path, line in broken)]
        if len(kept) == len(checks):
            sys.exit(f"the build failed, expected exit code 0: {options.build}\n{result.stdout[-2000:]}{result.stderr[-4000:]}")
        print(f"{len(checks) - len(kept)} checks do not compile with a switch, so they are left alone", file=sys.stderr)
        checks = kept


class Runner:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder

    def grades(self, cases, off=None, fired=None):
        """Runs cases, and returns the grade of each."""
        with tempfile.TemporaryDirectory(dir=self.folder) as scratch:
            report, results = Path(scratch, "report.json"), Path(scratch, "results.jsonl")
            environment = os.environ | {"TORCHPROOF_OFF": "-1" if off is None else str(off)}
            environment |= {"TORCHPROOF_FIRED": str(fired)} if fired else {}
            command = [self.options.torchproof, "run", "--reader", self.options.reader, "--no-sandbox", "--jobs", "1"]
            command += ["--env", "TORCHPROOF_OFF", "--env", "TORCHPROOF_FIRED", "--results", str(results)]
            command += ["--report", f"json={report}", *self.options.run]
            command += [word for case in cases for word in ("--cases", case)]
            result = subprocess.run(command, env=environment, text=True, capture_output=True, errors="replace")
            if result.returncode not in (0, 1):
                sys.exit(f"`torchproof run` ended with {result.returncode}, expected 0 or 1:\n{shlex.join(command)}\n{result.stderr[-4000:]}")
            return {row["case"]: row["grade"] for row in json.loads(report.read_text())["results"]}


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], epilog="Every path in --build and --reader is relative to the copy.")
    parser.add_argument("source", type=Path, help="the folder of the reader's sources; it is copied, never changed")
    parser.add_argument("files", nargs="+", type=Path, help="the files whose checks are switched off, relative to the folder")
    parser.add_argument("--build", required=True, help="the shell command that builds the reader in the copy")
    parser.add_argument("--reader", required=True, help="the address of the reader for `torchproof run`, with {copy} for the copy")
    parser.add_argument("--holds", action="append", default=[], metavar="NAME[:N]", help="a function or macro whose argument N (default 1) must hold")
    parser.add_argument("--skip", type=re.compile, metavar="REGEX", help="leave out checks whose condition matches, such as checks that only pass on an error")
    parser.add_argument("--run", type=shlex.split, default=[], metavar="OPTIONS", help="more options for `torchproof run`")
    parser.add_argument("--torchproof", default="torchproof", help="the command `torchproof`")
    parser.add_argument("--output", type=Path, default=Path("target/mutants"), help="the folder for the copy and the table [%(default)s]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args(words)


def main():
    options = parse(sys.argv[1:])
    copy = (options.output / "copy").resolve()
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(options.source, copy, symlinks=True, ignore=shutil.ignore_patterns(".git", "target"))
    options.reader = options.reader.replace("{copy}", str(copy))
    holds = {name: int(number or 1) - 1 for name, _, number in (word.partition(":") for word in options.holds)}
    checks = []
    for path in options.files:
        checks += outermost(checks_in(path, (options.source / path).read_text(), holds, options.skip))
    if not checks:
        sys.exit("found no check; expected an `if` whose branch leaves, or a call that --holds names")
    checks = build(options, copy, checks)

    runner = Runner(options, options.output.resolve())
    usual = runner.grades([])
    cases = list(usual)

    def fired_by(case):
        with tempfile.TemporaryDirectory(dir=runner.folder) as scratch:
            fired = Path(scratch, "fired")
            runner.grades([case], fired=fired)
            return case, {int(line) for line in fired.read_text().split()} if fired.exists() else set()

    def without(number):
        return number, runner.grades(checks[number].fires, off=number)

    with ThreadPoolExecutor(options.jobs) as pool:
        for case, fired in pool.map(fired_by, cases):
            for number in fired:
                checks[number].fires.append(case)
        for number, grades in pool.map(without, [number for number, check in enumerate(checks) if check.fires]):
            checks[number].noticed = [case for case, grade in grades.items() if usual[case] in SOUND and grade not in SOUND]
    report(options, checks)


def report(options, checks):
    table = options.output / "checks.tsv"
    with (options.output / "noticed.tsv").open("w") as pairs:
        for number, check in enumerate(checks):
            for case in check.noticed:
                print(case, f"{check.path}:{check.line}:{number}", sep="\t", file=pairs)
    totals = collections.defaultdict(lambda: [0, 0, 0])
    with table.open("w") as out:
        print("file", "line", "fires", "noticed", "condition", "cases", sep="\t", file=out)
        for check in checks:
            cases = " ".join(check.noticed[:8] or check.fires[:8])
            print(check.path, check.line, len(check.fires), len(check.noticed), check.condition, cases, sep="\t", file=out)
            for key in (str(check.path), "all files"):
                totals[key] = [sum(pair) for pair in zip(totals[key], (1, bool(check.fires), bool(check.noticed)))]
            if not check.noticed:
                print(f"{check.path}:{check.line}: {'survived' if check.fires else 'never fired'}: {check.condition}")
    totals["all files"] = totals.pop("all files")
    for name, (all_checks, fire, noticed) in totals.items():
        print(f"{name}: {all_checks} checks, {fire} fire, {noticed} noticed")
    print(f"the table with the cases of each check is {table}")


if __name__ == "__main__":
    main()
