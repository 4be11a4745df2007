#!/usr/bin/env python3
"""Runs fuzz targets and adds the results to fuzz/RESULTS.md: fuzz/record.py [--seconds N] [--jobs N] [TARGET...].

The default is all targets, 600 seconds each. Executions, time and findings are added to the row of each target, and the other columns
replaced. libFuzzer keeps new inputs in fuzz/corpus, so the next call continues the work. You can interrupt the script at any time,
because finished targets are already recorded. The sources must be committed, because the table names the commit.

The exit code is 1 if a target found a failure, whose input is then in fuzz/artifacts.
"""

import argparse
import configparser
import datetime
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FUZZ = ROOT / "fuzz"
RESULTS = FUZZ / "RESULTS.md"
TARGETS = sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))
ROW = re.compile(r"^\| `(\w+)` \|(.*)\|$")
OPEN = "Open findings:"
# The heading before the tables that fuzz/compare.py writes, which come last.
COMPARED = "## Fuzzers on readers with planted defects"
COLUMNS = "| target | executions | executions per second | edges | seconds | findings | date | commit |"


def options_of(target):
    """Returns the libFuzzer options of a target, from the file that OSS-Fuzz uses too."""
    parser = configparser.ConfigParser()
    parser.read(FUZZ / f"oss-fuzz/{target}.options")
    options = dict(parser["libfuzzer"])
    if "dict" in options:
        own = FUZZ / "dict" / options["dict"]
        options["dict"] = own if own.exists() else ROOT / "corpus/dict" / options["dict"]
    return [f"-{name}={value}" for name, value in options.items()]


def seeds_of(target):
    """Returns the folders with the seeds of a target: its own folder, or the corpus."""
    name = "generate" if target == "attack" else target
    own = FUZZ / "seeds" / name
    return [own] if own.is_dir() else [ROOT / "corpus/files", ROOT / "corpus/real"]


def run(folder, target, seconds):
    """Runs a target. Returns the executions, the edges, the seconds, and whether the target found a failure."""
    learned, artifacts = FUZZ / "corpus" / target, FUZZ / "artifacts" / target
    learned.mkdir(parents=True, exist_ok=True)
    artifacts.mkdir(parents=True, exist_ok=True)
    command = [Path(folder) / target, learned, *seeds_of(target), *options_of(target), f"-max_total_time={seconds}"]
    command += [f"-artifact_prefix={artifacts}/", "-print_final_stats=1"]
    begin = time.monotonic()
    ended = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", ended.stderr) or re.findall(r"^#(\d+)", ended.stderr, re.M)
    edges = re.findall(r" cov: (\d+)", ended.stderr)
    if ended.returncode:
        print("\n".join(ended.stderr.splitlines()[-40:]), file=sys.stderr)
    ran = max(round(time.monotonic() - begin), 1)
    return int(executed[-1]) if executed else 0, int(edges[-1]) if edges else 0, ran, ended.returncode != 0


def number(cell):
    """Parses a cell with a number."""
    return int(re.sub(r"\D", "", cell) or 0)


def record(target, executions, edges, seconds, failed, commit):
    """Adds a run to the row of the target, and updates the total."""
    before, rows, after, seen = [], {}, [], False
    own, heading, compared = RESULTS.read_text().partition(COMPARED)
    for line in own.splitlines():
        row = ROW.match(line)
        if row and row[1] in TARGETS:
            rows[row[1]] = [cell.strip() for cell in row[2].split("|")]
        elif failed and line.startswith(OPEN):
            before.append(f"{line.removesuffix(' none.')} `{target}` at `{commit}`.")
        elif line != COLUMNS and not line.startswith(("|---", "| all ")):
            (after if seen else before).append(line)
        seen = seen or line == COLUMNS
    old = rows.get(target, ["0"] * 7)
    rows[target] = [
        f"{number(old[0]) + executions:,}",
        f"{executions // seconds:,}",
        f"{edges:,}",
        f"{number(old[3]) + seconds:,}",
        str(number(old[4]) + failed),
        datetime.date.today().isoformat(),
        f"`{commit}`",
    ]
    table = [f"| `{name}` | {' | '.join(cells)} |" for name, cells in sorted(rows.items())]
    executed, ran, found = (sum(number(cells[at]) for cells in rows.values()) for at in (0, 3, 4))
    total = f"| all targets | {executed:,} | | | {ran:,} | {found} | | |"
    RESULTS.write_text("\n".join([*before, COLUMNS, "|---" * 8 + "|", *table, total, *after]) + f"\n{heading}{compared}")


def main():
    """Builds the targets, runs them, and records each result at once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", choices=[*TARGETS, []], help="a fuzz target")
    parser.add_argument("--seconds", type=int, default=600, help="time for each target")
    parser.add_argument("--jobs", type=int, default=1, help="number of targets that run at the same time")
    args = parser.parse_args()
    targets = args.targets or TARGETS
    changed = subprocess.run(["git", "status", "--porcelain", "-uno"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    if set(changed.stdout.splitlines()) - {" M fuzz/RESULTS.md"}:
        sys.exit(f"found sources that are not committed; commit them first:\n{changed.stdout}")
    head = subprocess.run(["git", "rev-parse", "--short=8", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    built = subprocess.run([FUZZ / "build", *targets], stdout=subprocess.PIPE, text=True, check=True)
    folder, commit, failures = built.stdout.strip(), head.stdout.strip(), 0
    with ThreadPoolExecutor(max(args.jobs, 1)) as pool:
        runs = {pool.submit(run, folder, target, args.seconds): target for target in targets}
        for done in as_completed(runs):
            target, (executions, edges, ran, failed) = runs[done], done.result()
            record(target, executions, edges, ran, failed, commit)
            print(f"{target}: {executions:,} executions, {edges:,} edges{', FAILED' if failed else ''}", flush=True)
            failures += failed
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
