"""The pages of rules, in Markdown, and of cases, in HTML."""

import html
import json
import re

from page_bytes import compared

MEANING = {
    "accept": "Every reader must accept the file and load the expected values.",
    "reject": "Every reader must reject the file with an error, at stage <code>{stage}</code> or earlier.",
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


def inline(text):
    """The Markdown of the declarations, which has only code, as HTML."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text, quote=False))


def named(title):
    """Marks the names of fields and operators in the title of a case as code."""
    return re.sub(r"(?<![\w`.])_?[a-z]+(?:[_.][A-Za-z]+)+(?!\w)", r"`\g<0>`", title)


def link(path, page):
    """A Markdown link from the page `page` to that of a rule or case."""
    id = path.partition("/")[2].removesuffix(".html")
    target = path.removesuffix(".html") + ".md" if path.startswith("rules/") else path
    return f"[`{id}`]({'../' * page.count('/')}{target})"


def linked(corpus, text, rule):
    """Turns the ids of other rules into links."""
    pages = {f"`{other['id']}`": link(other["page"], rule["page"]) for other in corpus.rules if other is not rule}
    return re.sub("`[^`]+`", lambda match: pages.get(match[0], match[0]), text)


def anchor(path, page):
    id = path.partition("/")[2].removesuffix(".html")
    return f'<a href="{"../" * page.count("/")}{path}"><code>{id}</code></a>'


def labels(entry, *kinds):
    return " ".join(f'<small class="{entry[kind]}" title="{kind}">{entry[kind]}</small>' for kind in kinds if entry.get(kind))


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


def counted(count, noun):
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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
    heads = f"The {word} {anchor(base['page'], page)}, then {anchor(case['page'], page)}, with the difference in color."
    return f"<p>{heads}</p>\n" + compared(corpus.bytes(base), corpus.bytes(case), case["recipe"]["edits"])


def case_page(corpus, case, rule):
    id, page = case["id"], case["page"]
    title = named(case["title"])
    title = title[0].upper() + title[1:]
    facts = [("Breaks" if case["verdict"] == "reject" else "About") + f" {anchor(rule['page'], page)}: {inline(rule['statement'])}"]
    facts.append(MEANING[case["verdict"]].format(stage=case.get("stage")))
    if place := case.get("at"):
        field = {None: "outside any field", "": "the root table"}.get(case.get("path"), f"<code>{case.get('path')}</code>")
        facts.append(f"The defect: {field}, {counted(place['len'], 'byte')} at <code>{place['offset']:#x}</code>")
    if bits := case.get("target_bits"):
        facts.append(f"Only for hosts with {bits}-bit sizes")
    if needs := case.get("needs"):
        facts.append(f"Needs: {', '.join(needs)}")
    if refs := [*case.get("refs", ()), *case.get("cwe", ())]:
        facts.append(f"References: {references(refs)}")
    out = f"<h1 id=\"case\"><a class=\"header\" href=\"#case\"><code>{id}</code></a></h1>\n<p>{inline(title)}.</p>\n"
    out += f"<p>{labels(case, 'verdict', 'stage')} {labels(rule, 'strength', 'basis')}</p>\n<p>{inline(case['why'])}</p>\n"
    out += "<ul>" + "".join(f"<li>{fact}</li>\n" for fact in facts) + "</ul>\n"
    rows = corpus.maps[id]
    if case.get("recipe"):
        edits = [[f"<code>{at:#x}</code>", spaced(was), spaced(now), field_at(rows, at)] for at, was, now in map(dict.values, case["recipe"]["edits"])]
        out += f"<h2>Bytes</h2>\n{beside_control(corpus, case, page)}"
        out += "<h2>Recipe</h2>\n" + html_table(["at", "replace", "by", "which is then"], edits)
    fields = block(rows)
    out += "<h2>Fields</h2>\n" + (folded(f"{rows.count(chr(10))} rows", fields) if rows.count("\n") > 40 else fields)
    files = [[f"<code>{file['path']}</code><br><code>{file['sha256']}</code>", file["role"], str(file["size"])] for file in case["files"]]
    out += "<h2>Files</h2>\n" + html_table(["file and SHA-256", "role", "bytes"], files)
    commands = [f"explain {id}", f"corpus export --as hex {id}", f"run --cases {id} --reader 'once:./my_reader'"]
    out += block("\n".join(f"torchproof {command}" for command in commands), "sh")
    entry = {key: value for key, value in case.items() if key not in ("statement", "page")}
    return out + folded("JSON, as in the manifest", block(json.dumps(entry, indent=2), "json"))


def rule_page(corpus, rule, section):
    page = rule["page"]
    out = f"# `{rule['id']}`\n\n{rule['statement']}\n\n"
    out += labels(rule, "strength", "basis", "stage", "subject") + "\n\n"
    correct = CORRECT.get((rule["strength"], rule["subject"]), WRITER).format(stage=rule["stage"])
    out += f"**What goes wrong.** {linked(corpus, rule['rationale'], rule)}\n\n**What a correct reader does.** {correct}\n\n"
    if patterns := [corpus.patterns[ref] for ref in rule["refs"] if ref in corpus.patterns]:
        out += "**Patterns that break it.**\n\n"
        out += "".join(f"* {pattern['id']}, {pattern['title']}: {pattern['text']}\n" for pattern in patterns) + "\n"
    cases = [corpus.cases[case["id"]] for case in rule["cases"]]
    refs = [ref for ref in rule["refs"] if ref not in corpus.patterns]
    refs += list(dict.fromkeys(weakness for case in cases if case["verdict"] == "reject" for weakness in case.get("cwe", ())))
    out += f"**Source.** {linked(corpus, rule['source'], rule)}" + (f" {references(refs)}." if refs else "")
    out += f" Chapter: [{section[1]}](../formats/{section[0]}.md)\n\n"
    example = next((case for case in cases if case.get("recipe")), None)
    if example:
        out += f"## Example\n\n{beside_control(corpus, example, page)}\n"
    out += "## Cases\n\n"
    for case in cases:
        out += f"### {link(case['page'], page)} {{.case}}\n\n{labels(case, 'verdict', 'stage')} {named(case['title'])}\n\n"
    return out + (f"No {'reject case' if cases else 'case'}: {rule['untested']}\n" if "untested" in rule else "")


