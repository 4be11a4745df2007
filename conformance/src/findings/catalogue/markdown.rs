//! The rules as a page: what `conformance/RULES.md` holds.

use std::fmt::Write;

use torchproof::rules::Rule;

use super::{Entry, ORDER, by_section, total};

const HEAD: &str = "\
<!-- Written by `torchproof rules --format markdown`; change the declarations in src/rules instead. -->

# Rules

A **must** is what a file is rejected for, a **should** is what writers always keep and a break of it is a warning, and a
**may** is unwritten or readers differ in it. The subject is who can break the rule: a file, a reader that refuses or misreads
what it must accept, or a writer that lets its caller ask for what no file may hold. The stage is the latest one at which a
reader can refuse in time: open, header, structure, meta, method, data. Cases are counted by what a reader must do with them.

`torchproof explain RULE` says why a rule is one, what readers do, where it comes from, and which cases are about it.
";

/// One table an area, one line a rule.
#[must_use]
pub fn index(rules: &[Entry]) -> String {
    let mut out = format!("{HEAD}\n{}.\n", total(rules));
    for (_, title, rules) in by_section(rules) {
        let _ = writeln!(out, "\n## {title}\n");
        out += "| rule | strength | subject | stage | statement | cases |\n|---|---|---|---|---|---|\n";
        for entry in rules {
            let Rule { id, statement, strength, subject, stage, .. } = entry.rule;
            let (subject, statement) = (subject.name(), statement.replace('|', "\\|"));
            let _ = writeln!(out, "| `{id}` | {strength} | {subject} | {stage} | {statement} | {} |", cases(entry));
        }
    }
    out
}

fn cases(rule: &Entry) -> String {
    let counts = ORDER.map(|verdict| (verdict, rule.count(verdict)));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
    if counts.is_empty() { "–".to_owned() } else { counts.join(", ") }
}
