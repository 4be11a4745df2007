#!/usr/bin/env python3
"""Orders cases by how many missing checks they notice per byte: choose.py MANIFEST NOTICED...

MANIFEST is the manifest of the corpus; each NOTICED is the file noticed.tsv of a run of mutants.py. The next case is always the one with
the most checks that no case above it notices, per byte of source code: its edits, its title, and its base unless a case above it has the
same one. When no check is left, the rest is ordered in the same way again. The script prints a table with the id, the number of checks,
and the number of them that are new. It leaves out cases that the loader test of `torchproof corpus export --as gtest` cannot run.
"""

import collections
import json
import sys

ENTRY = 300  # bytes of a vector without its edits: id, rule and reason


def main():
    if len(sys.argv) < 3:
        sys.exit(f"choose.py: found {len(sys.argv) - 1} arguments, expected at least 2: MANIFEST NOTICED...")
    with open(sys.argv[1]) as file:
        cases = {case["id"]: case for case in json.load(file)["cases"] if is_for_loader(case)}
    noticed = collections.defaultdict(set)
    for number, path in enumerate(sys.argv[2:]):
        for line in open(path):
            case, check = line.rstrip("\n").split("\t")
            if case in cases:
                noticed[case].add((number, check))
    print("case", "checks", "new", sep="\t")
    left, seen, stored = dict(noticed), set(), set()
    while left:
        best = max(left, key=lambda id: (len(left[id] - seen) / cost(cases, cases[id], stored), id))
        if left[best] <= seen:
            if not seen:
                break
            seen = set()
            continue
        print(best, len(left[best]), len(left[best] - seen), sep="\t")
        seen |= left.pop(best)
        stored |= files(cases, cases[best])


def is_for_loader(case):
    return (
        case["status"] == "active"
        and case["verdict"] != "either"
        and set(case.get("needs", [])) <= {"pairs"}
        and len(case["files"]) <= 2
        and "target_bits" not in case
        and case.get("stage") != "execute"
        and not case["id"].startswith("ptd-legacy/")
    )


def files(cases, case):
    """Returns the stored files of a case with their sizes. If the case has a base, it comes first."""
    first = cases.get(case.get("recipe", {}).get("base"), case)["files"][0]
    return {(file["path"], file["size"]) for file in [first, *case["files"][1:]]}


def cost(cases, case, stored):
    edits = sum(len(edit["now"]) // 2 for edit in case.get("recipe", {}).get("edits", []))
    return ENTRY + edits + sum(size for _path, size in files(cases, case) - stored)


main()
