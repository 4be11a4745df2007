//! The rules as Markdown, for the book, `explain --format markdown` and SARIF.

use std::collections::BTreeSet;
use std::fmt::Write;

use torchproof::corpus::UNTESTED_RULES;
use torchproof::prediction::{ErrorCause, RuntimeError};
use torchproof::rules::{self, Pattern, Rule, Strength};

use super::web::{book_address, reference_address};
use super::{Entry, ORDER, SECTIONS, by_section, total};

fn linked(text: &str, address: Option<String>) -> String {
    address.map_or_else(|| text.to_owned(), |address| format!("[{text}]({address})"))
}

/// The rules in one table for each section, as `explain --format markdown` prints them.
pub(crate) fn index(rules: &[Entry]) -> String {
    let mut out = format!("{}.\n", total(rules));
    for (section, title, rules) in by_section(rules) {
        let _ = writeln!(out, "\n## {title}\n");
        out += "| rule | strength | basis | broken by | stage | statement | cases |\n|---|---|---|---|---|---|---|\n";
        for entry in rules {
            let Rule { id, strength, basis, subject, stage, .. } = entry.rule;
            let rule = linked(&format!("`{id}`"), book_address(&format!("rules/{section}"), id));
            let (subject, statement) = (subject.name(), cell(entry.rule.statement));
            let _ = writeln!(
                out,
                "| {rule} | {strength} | {basis} | {subject} | {stage} | {statement} | {} |",
                counts(entry)
            );
        }
    }
    out
}

/// The sections with their ids and counts, and the patterns that no rule covers, for the page about all rules.
pub fn sections() -> String {
    let mut out = "| rules | ids begin with | must | should | may |\n|---|---|---|---|---|\n".to_owned();
    for (section, title) in SECTIONS {
        let rules: Vec<&Rule> = rules::all().filter(|rule| rule.section == section).collect();
        let prefixes: BTreeSet<_> = rules.iter().filter_map(|rule| rule.id.split('-').next()).collect();
        let prefixes: Vec<String> = prefixes.into_iter().map(|prefix| format!("`{prefix}-`")).collect();
        let count = |strength| rules.iter().filter(|rule| rule.strength == strength).count();
        let [must, should, may] = [Strength::Must, Strength::Should, Strength::May].map(count);
        let prefixes = prefixes.join(", ");
        let _ = writeln!(out, "| [{title}](rules/{section}.md) | {prefixes} | {must} | {should} | {may} |");
    }
    out += "\n## Patterns without a rule\n\n";
    for Pattern { id, title, text, outside, .. } in rules::patterns() {
        if let Some(reason) = outside {
            let _ = writeln!(out, "* {id}, {title}: {text} {reason}");
        }
    }
    out
}

/// The error codes of the runtime with their causes.
pub fn errors() -> String {
    let mut out = String::new();
    for RuntimeError { code, name, meaning, causes } in RuntimeError::all() {
        let _ = writeln!(out, "### 0x{code:02x} `{name}` ({code} in decimal)\n\n{meaning}\n");
        out += "| at | cause | sign | cure |\n|---|---|---|---|\n";
        for ErrorCause { stage, description, sign, cure, .. } in causes {
            let _ = writeln!(out, "| {stage} | {description} | {sign} | {cure} |");
        }
        out.push('\n');
    }
    out
}

/// The table of a chapter. Links to a rule in the same chapter lead to its row.
pub fn table(section: &str) -> String {
    let mut out = "| rule: strength, basis, stage | statement |\n|---|---|\n".to_owned();
    for Rule { id, strength, basis, stage, statement, .. } in rules::all().filter(|rule| rule.section == section) {
        let link = format!("<a id=\"{id}\"></a>[`{id}`](../rules/{section}.md#{id})");
        let labels =
            format!("<small class=\"{strength}\">{strength}</small> <small>{basis}</small> <small>{stage}</small>");
        let _ = writeln!(out, "| {link}<br>{labels} | {} |", cell(statement));
    }
    out
}

/// All rules of a section with their texts and cases.
pub fn section(name: &str) -> String {
    let rules = Entry::all(|rule| rule.section == name);
    let texts = rules.iter().map(|entry| {
        let mut out = format!("## `{}`\n\n{}", entry.rule.id, rule(entry.rule));
        for verdict in ORDER {
            let cases = entry.cases.iter().filter(|case| case.verdict == verdict).map(|case| format!("`{}`", case.id));
            out += &list(verdict.name(), cases);
        }
        if let Some((_, reason)) = UNTESTED_RULES.iter().find(|(id, _)| *id == entry.rule.id) {
            let _ = writeln!(out, "* No case: {reason}");
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub(crate) fn rule(rule: &Rule) -> String {
    let (Rule { strength, basis, subject, stage, statement, .. }, known) = (rule, rule.explanation());
    let mut out = format!("{statement}\n\n{}\n\n", known.rationale);
    let (meaning, subject) = (basis.meaning(), subject.name());
    let _ = writeln!(out, "* {strength}, {basis} ({meaning}), broken by a {subject}, latest stage: {stage}");
    let _ = writeln!(out, "* Source: {}", known.source);
    for Pattern { id, title, text, .. } in known.refs.iter().copied().filter_map(rules::pattern) {
        let _ = writeln!(out, "* {id}, {title}: {text}");
    }
    let public = known.refs.iter().copied().filter(|id| rules::pattern(id).is_none());
    out += &list("References", public.chain(known.cwe.iter().copied()).map(reference));
    out
}

fn list(label: &str, items: impl Iterator<Item = String>) -> String {
    let items = items.collect::<Vec<_>>().join(", ");
    if items.is_empty() { items } else { format!("* {label}: {items}\n") }
}

fn reference(id: &str) -> String {
    linked(id, reference_address(id))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn counts(rule: &Entry) -> String {
    let counts = ORDER.map(|verdict| (verdict, rule.count(verdict)));
    let counts = counts.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<String> = counts.map(|(verdict, count)| format!("{count} {}", verdict.name())).collect();
    if counts.is_empty() { "–".to_owned() } else { counts.join(", ") }
}
