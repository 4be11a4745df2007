#!/usr/bin/env python3
"""Adds a page for each rule and each case to the book.

mdBook runs this script twice. As a preprocessor, it adds the pages of the rules as chapters. As a renderer, it then writes the pages
of the cases beside the built ones: as chapters, they would make the build thirty times slower, because mdBook's work for each page
grows with the number of pages. The texts come from the built command and from `corpus/`, so build the command first.

`pages.py --check FOLDER` checks that a built book has a page for each rule and case, and that the search finds their ids.
"""

import functools
import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

from page_content import case_page, cell, labels, link, rule_page, table
from page_reference import commands, settings

REPOSITORY = Path(__file__).resolve().parent.parent
SCHEMAS = REPOSITORY / "conformance/schema"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
COMMAND = os.environ.get("TORCHPROOF") or TARGET / "debug/torchproof"


def torchproof(*arguments):
    try:
        return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        sys.exit(f"{COMMAND}: found no command, expected the built one: run `cargo build`, or set TORCHPROOF to its path")


class Corpus:
    def __init__(self):
        self.rules = json.loads(torchproof("explain", "--format", "json"))["rules"]
        ids = [case["id"] for case in json.loads((REPOSITORY / "corpus/manifest.json").read_text())["cases"]]
        explained = json.loads(torchproof("explain", "--format", "json", *ids))["explained"]
        self.cases = {item["case"]["id"]: item["case"] for item in explained}
        patterns = sorted({ref for rule in self.rules for ref in rule["refs"] if re.fullmatch(r"[A-Z]-\d+", ref)})
        explained = json.loads(torchproof("explain", "--format", "json", *patterns))["explained"]
        self.patterns = {item["pattern"]["id"]: item["pattern"] for item in explained}

    @functools.cached_property
    def maps(self):
        return byte_maps(torchproof("explain", *self.cases), self.cases)

    def bytes(self, case):
        return (REPOSITORY / "corpus" / case["files"][0]["path"]).read_bytes()


def byte_maps(text, cases):
    """The rows that `explain` prints at the end of each case."""
    verdicts = "|".join({case["verdict"] for case in cases.values()})
    parts = re.split(rf"^(\S+)  (?:{verdicts})$", text, flags=re.MULTILINE)
    rows = {id: part.partition("\n  offset  ")[2].partition("\n\n")[0].rstrip() for id, part in zip(parts[1::2], parts[2::2])}
    return {id: "  offset  " + rows[id] for id in cases}


def section_page(rules, section):
    name, title = section
    out = f"# Rules: {title}\n\nThe [chapter](../formats/{name}.md) explains the format, [Rules](../rules.md) the words.\n\n"
    rows = []
    for rule in rules:
        words = labels(rule, "strength", "basis", "stage")
        rows.append([f"{link(rule['page'], rule['page'])}<br>{words}", cell(rule["statement"]), str(len(rule["cases"]))])
    return out + table(["rule: strength, basis, stage", "statement", "cases"], rows)


def sections_table(sections):
    def row(section, rules):
        prefixes = sorted({rule["id"].split("-")[0] for rule in rules})
        counts = [str(sum(rule["strength"] == strength for rule in rules)) for strength in ("must", "should", "may")]
        return [f"[{section[1]}](rules/{section[0]}.md)", ", ".join(f"`{prefix}-`" for prefix in prefixes), *counts]

    return table(["rules", "ids begin with", "must", "should", "may"], [row(*item) for item in sections])


def listed(corpus, ids, page):
    return "<br>".join(link(corpus.cases[id]["page"], page) for id in ids)


def cases_by_rule(corpus, sections):
    out = "# Cases by rule\n\nEach rule with its cases, first those that readers must reject. [Cases by stage](stages.md) sorts these by time.\n"
    for (_, title), rules in sections:
        rows = [[link(rule["page"], ""), listed(corpus, [case["id"] for case in rule["cases"]], "")] for rule in rules if rule["cases"]]
        if rows:
            out += f"\n## {title}\n\n" + table(["rule", "cases"], rows)
    return out


def cases_by_stage(corpus):
    schema = json.loads((SCHEMAS / "explain.schema.json").read_text())["$defs"]["Stage"]
    out = "# Cases by stage\n\nWhen must a reader have rejected which file? These are the latest safe stages, in the order in which a reader reaches them.\n"
    for stage in schema["oneOf"]:
        rows = []
        for rule in corpus.rules:
            ids = [case["id"] for case in rule["cases"] if corpus.cases[case["id"]].get("stage") == stage["const"]]
            if ids:
                rows.append([link(rule["page"], ""), listed(corpus, ids, "")])
        out += f"\n## `{stage['const']}`\n\n{stage['description']}\n\n" + table(["rule", "cases"], rows)
    return out


def chapter(name, page, content, parents):
    path = page.removesuffix(".html") + ".md"
    return {"Chapter": {
        "name": name, "content": content, "number": None, "sub_items": [], "path": path, "source_path": None, "parent_names": parents,
    }}  # fmt: skip


def add(parent, child):
    child["Chapter"]["number"] = [*parent["number"], len(parent["sub_items"]) + 1]
    parent["sub_items"].append(child)
    return child["Chapter"]


def extend(book, corpus):
    """Fills in the generated parts, and adds the rules below the chapter about them. The sidebar folds them."""
    chapters = [item["Chapter"] for item in book["items"] if "Chapter" in item]
    titles = {sub["Chapter"]["path"]: sub["Chapter"]["name"] for item in chapters for sub in item["sub_items"]}
    sections = {}
    for rule in corpus.rules:
        sections.setdefault((rule["section"], titles[f"formats/{rule['section']}.md"]), []).append(rule)
    generated = {
        "rules.md": ("<!-- sections -->", sections_table(sections.items())),
        "commands.md": ("<!-- commands -->", commands(torchproof)),
        "settings.md": ("<!-- settings -->", settings(SCHEMAS / "settings.schema.json")),
    }
    for path, (mark, text) in generated.items():
        item = next(item for item in chapters if item["path"] == path)
        assert mark in item["content"], f"{path}: found no line `{mark}`"
        item["content"] = item["content"].replace(mark, text)
    rules = next(item for item in chapters if item["path"] == "rules.md")
    add(rules, chapter("Cases by rule", "cases.html", cases_by_rule(corpus, sections.items()), ["Rules"]))
    add(rules, chapter("Cases by stage", "stages.html", cases_by_stage(corpus), ["Rules"]))
    for section, members in sections.items():
        index = add(rules, chapter(section[1], f"rules/{section[0]}.html", section_page(members, section), ["Rules"]))
        for rule in members:
            page = chapter(rule["id"], rule["page"], rule_page(corpus, rule, section), ["Rules"])
            add(index, page)


def write_cases(folder, corpus):
    """Writes the pages of the cases, in the frame of a rule's page, and leads the search to them."""
    pages = [(corpus.cases[case["id"]], rule) for rule in corpus.rules for case in rule["cases"]]
    frame = (folder / corpus.rules[1]["page"]).read_text()
    before, _, rest = frame.partition("<main>")
    after = rest.partition("</main>")[2]
    for at, (case, rule) in enumerate(pages):
        page = case["page"]
        up = "../" * page.count("/")
        head = before.replace(f"<title>{corpus.rules[1]['id']}", f"<title>{case['id']}").replace('"../', f'"{up}')
        tail = after.replace('"../', f'"{up}')
        for rel, near in (("prev", pages[at - 1]), ("next prefetch", pages[(at + 1) % len(pages)])):
            tail = re.sub(rf'rel="{rel}" href="[^"]*"', f'rel="{rel}" href="{up}{near[0]["page"]}"', tail)
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(f"{head}<main>{case_page(corpus, case, rule)}</main>{tail}")
    search = next(folder.glob("searchindex-*.js"))
    results = {f"{rule['page']}#{re.sub('[^a-z0-9_-]', '', case['id'])}": case["page"] for case, rule in pages}
    text = re.sub(r'"(rules/[^"]*)"', lambda match: f'"{results.get(match[1], match[1])}"', search.read_text())
    search.write_text(text)


def check(folder):
    """Fails if the book lacks the page of a rule or case, the search an id, or a link its target."""
    corpus = Corpus()
    entries = [*corpus.rules, *corpus.cases.values()]
    found = set(re.findall(r'"((?:rules|cases)/[^"#]*)', next(folder.glob("searchindex-*.js")).read_text()))
    pages = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.html")}
    wrong = broken_links(folder, pages)
    for entry in entries:
        page = entry["page"]
        if f">{entry['id']}<" not in pages.get(page, ""):
            wrong.append(f"{page}: expected the page of {entry['id']}, found {'another' if page in pages else 'none'}")
        if page not in found:
            wrong.append(f"{page}: the search does not find it")
    printed = re.findall(r"^page +(\S+)$", torchproof("explain", *(entry["id"] for entry in entries)), re.MULTILINE)
    wrong += [f"{page}: `explain` prints it, but the book has no such page" for page in printed if page not in pages]
    if len(printed) != len(entries):
        wrong.append(f"found {len(printed)} pages in the output of `explain`, expected {len(entries)}: one of each rule and case")
    print(f"{len(pages)} pages, of these {len(corpus.rules)} of rules and {len(corpus.cases)} of cases: {len(wrong)} errors")
    sys.exit("\n".join(wrong) or 0)


def broken_links(folder, pages):
    """The links to a file or an anchor that does not exist. Links to other sites are not followed."""
    targets = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    for page, text in pages.items():
        targets.update(f"{page}#{id}" for id in re.findall(r'<[^>]* (?:id|name)="([^"]*)"', text))
    wrong = []
    for page, text in pages.items():
        for link in sorted(set(re.findall(r'<[a-z]+ (?:[^>]* )?(?:href|src)="([^":/][^":]*)"', text))):
            path, hash, anchor = unquote(html.unescape(link)).partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if path + hash * bool(anchor) + anchor not in targets:
                wrong.append(f"{page}: links to {link}, which does not exist")
    return wrong


if __name__ == "__main__":
    if sys.argv[1:2] == ["supports"]:
        sys.exit(sys.argv[2] != "html")
    if sys.argv[1:2] == ["--check"]:
        check(Path(sys.argv[2]))
    context = json.load(sys.stdin)
    if isinstance(context, list):
        extend(context[1], Corpus())
        json.dump(context[1], sys.stdout)
    else:
        write_cases(Path(context["destination"]).parent / "html", Corpus())
