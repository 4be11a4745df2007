#!/usr/bin/env python3
"""Adds a page for each rule and each case to the book.

mdBook runs this script twice. As a preprocessor, it adds the pages of the rules as chapters. As a renderer, it then writes the pages
of the cases beside the built ones: as chapters, they would make the build thirty times slower, because mdBook's work for each page
grows with the number of pages. The texts come from the built command and from `corpus/`, so build the command first.

`pages.py --check FOLDER` checks that a built book has a page for each rule and case, and that the search finds their ids.
"""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or REPOSITORY / "target")
COMMAND = os.environ.get("TORCHPROOF") or TARGET / "debug/torchproof"
WIDTH = 16
ROWS = 8
MEANING = {
    "accept": "Every reader must accept the file and load the expected values.",
    "reject": "Every reader must reject the file with an error, at this stage or an earlier one.",
    "either": "Readers may accept or reject the file, but must not crash or hang.",
}
CORRECT = {
    ("must", "file"): "It rejects a file that breaks the rule, at stage `{stage}` or earlier: after that, it has already used what is wrong.",
    ("should", "file"): "It may load a file that breaks the rule or reject it, but must not crash or hang. `torchproof check` warns.",
    ("may", "file"): "It may load such a file or reject it, but must not crash or hang. `torchproof check` prints a note.",
    ("must", "reader"): "It does what the rule says. No file can break the rule, so cases test the reader's behavior, at stage `{stage}`.",
    ("may", "reader"): "It has the choice that the rule describes, as long as it neither crashes nor hangs.",
}
WRITER = "Only a writer can break the rule, and its files don't show it, so readers have nothing to check."


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
        self.maps = byte_maps(torchproof("explain", *ids), self.cases)

    def bytes(self, case):
        return (REPOSITORY / "corpus" / case["files"][0]["path"]).read_bytes()


def byte_maps(text, cases):
    """The rows that `explain` prints at the end of each case."""
    verdicts = "|".join({case["verdict"] for case in cases.values()})
    parts = re.split(rf"^(\S+)  (?:{verdicts})$", text, flags=re.MULTILINE)
    rows = {id: part.partition("\n  offset  ")[2].partition("\n\n")[0].rstrip() for id, part in zip(parts[1::2], parts[2::2])}
    return {id: "  offset  " + rows[id] for id in cases}


# Text


def inline(text):
    """The Markdown of the declarations, which has only code, as HTML."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def link(path, page):
    """A Markdown link from the page `page` to that of a rule or case."""
    id = path.partition("/")[2].removesuffix(".html")
    target = path.removesuffix(".html") + ".md" if path.startswith("rules/") else path
    return f"[`{id}`]({'../' * page.count('/')}{target})"


def anchor(path, page):
    id = path.partition("/")[2].removesuffix(".html")
    return f'<a href="{"../" * page.count("/")}{path}"><code>{id}</code></a>'


def labels(*words):
    return " ".join(f'<small class="{word}">{word}</small>' for word in words if word)


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def html_table(heads, rows):
    out = "".join(f"<th>{head}</th>" for head in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows)
    return f'<div class="table-wrapper"><table><thead><tr>{out}</tr></thead><tbody>\n{body}</tbody></table></div>\n'


def cell(text):
    return text.replace("|", "\\|")


def folded(summary, content):
    return f"<details><summary>{summary}</summary>\n{content}\n</details>\n"


def block(text, language="nohighlight"):
    return f'<pre><code class="language-{language}">{html.escape(text, quote=False)}</code></pre>\n'


def references(refs):
    """Links in HTML, which is Markdown as well."""
    return ", ".join(f'<a href="{url}">{ref}</a>' if (url := address(ref)) else ref for ref in refs)


def address(ref):
    repository, _, number = ref.partition("#")
    if number:
        return f"https://github.com/{repository}/issues/{number}"
    kind, _, number = ref.partition("-")
    known = {
        "CVE": f"https://www.cve.org/CVERecord?id={ref}",
        "GHSA": f"https://github.com/advisories/{ref}",
        "CWE": f"https://cwe.mitre.org/data/definitions/{number}.html",
    }
    return known.get(kind)


# Bytes


def changes(control, case):
    """The regions that the edits changed, as ranges of the control and of the file."""
    origin = list(range(len(control)))
    for edit in case["recipe"]["edits"]:
        origin[edit["at"] : edit["at"] + len(edit["was"]) // 2] = [None] * (len(edit["now"]) // 2)
    found, before, at = [], -1, 0
    for at, source in enumerate([*origin, len(control)]):
        if source is None:
            continue
        begin = at
        while begin and origin[begin - 1] is None:
            begin -= 1
        if begin < at or source != before + 1:
            found.append((before + 1, source, begin, at))
        before = source
    return found


def hunks(regions):
    """Joins regions whose lines touch."""
    joined = []
    for region in regions:
        if joined and region[2] - joined[-1][-1][3] < 2 * WIDTH:
            joined[-1].append(region)
        else:
            joined.append([region])
    return joined


def row(data, begin, end, regions, side, tag):
    """A line of at most 16 bytes. It has no blanks, because mdBook's search leaves out words of more than 80 letters."""
    out = f"<i>{begin:#07x}</i>"
    for at in range(begin, min(end, len(data))):
        changed = any(region[side] <= at < region[side + 1] for region in regions)
        out += f"<{tag}>{data[at]:02x}</{tag}>" if changed else f"<b>{data[at]:02x}</b>"
    return f"<p>{out}</p>" if begin < min(end, len(data)) else "<p></p>"


def compared(control, file, case):
    """The changed bytes in lines of 16, those of the control on the left."""
    out = []
    for hunk in hunks(changes(control, case)):
        begin = max(hunk[0][2] // WIDTH - 1, 0) * WIDTH
        starts = (hunk[0][0] - (hunk[0][2] - begin), begin)
        ends = (hunk[-1][1] + WIDTH, -(-(hunk[-1][3] + 1) // WIDTH) * WIDTH + WIDTH)
        count = max(-(-(min(end, len(data)) - start) // WIDTH) for start, end, data in zip(starts, ends, (control, file)))
        rows = []
        for index in range(max(count, 1)):
            left, right = (start + index * WIDTH for start in starts)
            rows.append(
                row(control, left, min(left + WIDTH, ends[0]), hunk, 0, "del")
                + row(file, right, min(right + WIDTH, ends[1]), hunk, 2, "ins")
            )
        out.append('<div class="bytes">' + "\n".join(rows[:ROWS]) + "</div>\n")
        if len(rows) > ROWS:
            rest = '<div class="bytes">' + "\n".join(rows[ROWS:]) + "</div>"
            out.append(folded(f"{len(rows) - ROWS} more lines", rest))
    return "\n".join(out)


def spaced(digits):
    if not digits:
        return "nothing"
    shown = " ".join(re.findall("..", digits)[:8])
    return f"<code>{shown}</code>" + (f" … ({len(digits) // 2} bytes)" if len(digits) > 16 else "")


def field_at(rows, offset):
    """What the marked row of the byte map at the offset contains."""
    found = ""
    for match in re.finditer(r"^> +(0x[0-9a-f]+) (?:\[[^]]*\]|.{25}) *(.*)$", rows, re.MULTILINE):
        if int(match[1], 16) <= offset:
            found = match[2]
    return f"<code>{html.escape(found)}</code>" if found else ""


def beside_control(corpus, case, page):
    base = corpus.cases[case["recipe"]["base"]]
    word = "control" if case["verdict"] == "reject" else "base"
    heads = f"On the left the {word} {anchor(base['page'], page)}, on the right {anchor(case['page'], page)}."
    return f"<p>{heads}</p>\n" + compared(corpus.bytes(base), corpus.bytes(case), case)


# Pages


def case_page(corpus, case, rule):
    id, page = case["id"], case["page"]
    title = case["title"][0].upper() + case["title"][1:]
    facts = [("Breaks" if case["verdict"] == "reject" else "About") + f" {anchor(rule['page'], page)}: {inline(rule['statement'])}"]
    facts.append(MEANING[case["verdict"]])
    if place := case.get("at"):
        field = {None: "outside any field", "": "the root table"}.get(case.get("path"), f"<code>{case.get('path')}</code>")
        facts.append(f"The defect: {field}, {place['len']} bytes at <code>{place['offset']:#x}</code>")
    if bits := case.get("target_bits"):
        facts.append(f"Only for hosts with {bits}-bit sizes")
    if needs := case.get("needs"):
        facts.append(f"Needs: {', '.join(needs)}")
    if refs := [*case.get("refs", ()), *case.get("cwe", ())]:
        facts.append(f"References: {references(refs)}")
    out = f"<h1><code>{id}</code></h1>\n<p>{inline(title)}.</p>\n"
    out += f"<p>{labels(case['verdict'], case.get('stage'), rule['strength'], rule['basis'])}</p>\n<p>{inline(case['why'])}</p>\n"
    out += "<ul>" + "".join(f"<li>{fact}</li>\n" for fact in facts) + "</ul>\n"
    rows = corpus.maps[id]
    if case.get("recipe"):
        edits = [[f"<code>{at:#x}</code>", spaced(was), spaced(now), field_at(rows, at)] for at, was, now in map(dict.values, case["recipe"]["edits"])]
        out += f"<h2>Bytes</h2>\n{beside_control(corpus, case, page)}"
        out += "<h2>Recipe</h2>\n" + html_table(["at", "replace", "by", "which is then"], edits)
    fields = block(rows)
    out += "<h2>Fields</h2>\n" + (folded(f"{rows.count(chr(10))} rows", fields) if rows.count("\n") > 40 else fields)
    heads = ["file", "role", "bytes", "SHA-256"]
    files = [[f"<code>{file['path']}</code>", file["role"], str(file["size"]), f"<code>{file['sha256']}</code>"] for file in case["files"]]
    out += "<h2>Files</h2>\n" + html_table(heads, files)
    commands = [f"explain {id}", f"corpus export --as hex {id}", f"run --cases {id} --reader 'once:./my_reader'"]
    out += block("\n".join(f"torchproof {command}" for command in commands), "sh")
    entry = {key: value for key, value in case.items() if key not in ("statement", "page")}
    return out + folded("JSON, as in the manifest", block(json.dumps(entry, indent=2), "json"))


def rule_page(corpus, rule, section):
    page = rule["page"]
    out = f"# `{rule['id']}`\n\n{rule['statement']}\n\n"
    out += labels(rule["strength"], rule["basis"], rule["stage"], rule["subject"]) + "\n\n"
    correct = CORRECT.get((rule["strength"], rule["subject"]), WRITER).format(stage=rule["stage"])
    out += f"**What goes wrong.** {rule['rationale']}\n\n**What a correct reader does.** {correct}\n\n"
    if patterns := [corpus.patterns[ref] for ref in rule["refs"] if ref in corpus.patterns]:
        out += "**Patterns that break it.**\n\n"
        out += "".join(f"* {pattern['id']}, {pattern['title']}: {pattern['text']}\n" for pattern in patterns) + "\n"
    cases = [corpus.cases[case["id"]] for case in rule["cases"]]
    refs = [ref for ref in rule["refs"] if ref not in corpus.patterns]
    refs += list(dict.fromkeys(weakness for case in cases if case["verdict"] == "reject" for weakness in case.get("cwe", ())))
    out += f"**Source.** {rule['source']}" + (f" {references(refs)}." if refs else "")
    out += f" Chapter: [{section[1]}](../formats/{section[0]}.md)\n\n"
    example = next((case for case in cases if case.get("recipe")), None)
    if example:
        out += f"## Example\n\n{beside_control(corpus, example, page)}\n"
    out += "## Cases\n\n"
    for case in cases:
        out += f"### {link(case['page'], page)}\n\n{labels(case['verdict'], case.get('stage'))} {case['title']}\n\n"
    return out + (f"No case: {rule['untested']}\n" if "untested" in rule else "")


def section_page(rules, section):
    name, title = section
    out = f"# Rules: {title}\n\nThe [chapter](../formats/{name}.md) explains the format, [Rules](../rules.md) the words.\n\n"
    rows = []
    for rule in rules:
        words = labels(rule["strength"], rule["basis"], rule["stage"])
        rows.append([f"{link(rule['page'], rule['page'])}<br>{words}", cell(rule["statement"]), str(len(rule["cases"]))])
    return out + table(["rule: strength, basis, stage", "statement", "cases"], rows)


def sections_table(sections):
    def row(section, rules):
        prefixes = sorted({rule["id"].split("-")[0] for rule in rules})
        counts = [str(sum(rule["strength"] == strength for rule in rules)) for strength in ("must", "should", "may")]
        return [f"[{section[1]}](rules/{section[0]}.md)", ", ".join(f"`{prefix}-`" for prefix in prefixes), *counts]

    return table(["rules", "ids begin with", "must", "should", "may"], [row(*item) for item in sections])


def listed(corpus, ids, page):
    return ", ".join(link(corpus.cases[id]["page"], page) for id in ids)


def cases_by_rule(corpus, sections):
    out = "# Cases by rule\n\nEach rule with its cases, first those that readers must reject. [Cases by stage](stages.md) sorts these by time.\n"
    for (_, title), rules in sections:
        rows = [[link(rule["page"], ""), listed(corpus, [case["id"] for case in rule["cases"]], "")] for rule in rules if rule["cases"]]
        out += f"\n## {title}\n\n" + table(["rule", "cases"], rows)
    return out


def cases_by_stage(corpus):
    schema = json.loads((REPOSITORY / "conformance/schema/explain.schema.json").read_text())["$defs"]["Stage"]
    out = "# Cases by stage\n\nWhen must a reader have rejected which file? These are the latest stages that are safe, in the order of reading.\n"
    for stage in schema["oneOf"]:
        rows = []
        for rule in corpus.rules:
            ids = [case["id"] for case in rule["cases"] if corpus.cases[case["id"]].get("stage") == stage["const"]]
            if ids:
                rows.append([link(rule["page"], ""), listed(corpus, ids, "")])
        out += f"\n## `{stage['const']}`\n\n{stage['description']}\n\n" + table(["rule", "cases"], rows)
    return out


# The book


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
    """Adds the pages below the chapter about the rules. The sidebar folds them."""
    chapters = [item["Chapter"] for item in book["items"] if "Chapter" in item]
    rules = next(item for item in chapters if item["path"] == "rules.md")
    titles = {sub["Chapter"]["path"]: sub["Chapter"]["name"] for item in chapters for sub in item["sub_items"]}
    sections = {}
    for rule in corpus.rules:
        sections.setdefault((rule["section"], titles[f"formats/{rule['section']}.md"]), []).append(rule)
    rules["content"] = rules["content"].replace("<!-- sections -->", sections_table(sections.items()))
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
        text = f"{before}<main>{case_page(corpus, case, rule)}</main>{after}".replace(f"<title>{corpus.rules[1]['id']}", f"<title>{case['id']}")
        for rel, near in (("prev", pages[at - 1]), ("next prefetch", pages[(at + 1) % len(pages)])):
            text = re.sub(rf'rel="{rel}" href="[^"]*"', f'rel="{rel}" href="../{near[0]["page"]}"', text)
        up = "../" * page.count("/")
        (folder / page).parent.mkdir(parents=True, exist_ok=True)
        (folder / page).write_text(text.replace('="../', f'="{up}').replace('path_to_root = "../"', f'path_to_root = "{up}"'))
    search = next(folder.glob("searchindex-*.js"))
    results = {f"{rule['page']}#{re.sub('[^a-z0-9_-]', '', case['id'])}": case["page"] for case, rule in pages}
    text = re.sub(r'"(rules/[^"]*)"', lambda match: f'"{results.get(match[1], match[1])}"', search.read_text())
    search.write_text(text)


def check(folder):
    """Fails if the built book lacks a page, or its search an id."""
    corpus, wrong = Corpus(), []
    index = next(folder.glob("searchindex-*.js")).read_text()
    for entry in [*corpus.rules, *corpus.cases.values()]:
        path = folder / entry["page"]
        if not path.is_file() or f">{entry['id']}<" not in path.read_text():
            wrong.append(f"{entry['page']}: found no page of {entry['id']}")
        elif not re.search(rf'"{entry["page"]}["#]', index):
            wrong.append(f"{entry['page']}: the search does not have it")
    printed = re.findall(r"^page +(\S+)$", torchproof("explain", *(entry["id"] for entry in [*corpus.rules, *corpus.cases.values()])), re.MULTILINE)
    wrong += [f"{page}: `explain` prints it, but the book has no such page" for page in printed if not (folder / page).is_file()]
    if len(printed) != len(corpus.rules) + len(corpus.cases):
        wrong.append(f"found {len(printed)} pages in the output of `explain`, expected one of each rule and case")
    print(f"{len(corpus.rules)} rules, {len(corpus.cases)} cases: {len(wrong)} errors")
    sys.exit("\n".join(wrong))


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
