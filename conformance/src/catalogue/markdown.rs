//! The rules as Markdown, for the book, `explain --format markdown` and SARIF.

use std::fmt::Write;

use torchproof::prediction::{ErrorCause, RuntimeError};
use torchproof::rules::{self, Pattern, Rule};

use super::web::{book_address, reference_address, rule_page};
use super::{Entry, ORDER, by_section, total};

fn linked(text: &str, address: Option<String>) -> String {
    address.map_or_else(|| text.to_owned(), |address| format!("[{text}]({address})"))
}

/// The rules in one table for each section, as `explain --format markdown` prints them.
pub(crate) fn index(rules: &[Entry]) -> String {
    let mut out = format!("{}.\n", total(rules));
    for (_, title, rules) in by_section(rules) {
        let _ = writeln!(out, "\n## {title}\n");
        out += "| rule | strength | basis | broken by | stage | statement | cases |\n|---|---|---|---|---|---|---|\n";
        for entry in rules {
            let Rule { id, strength, basis, subject, stage, .. } = entry.rule;
            let rule = linked(&format!("`{id}`"), book_address(&rule_page(id)));
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

/// The patterns that no rule covers, for the page that lists all rules.
pub fn outside_patterns() -> String {
    let outside = rules::patterns().filter_map(|pattern| Some((pattern, pattern.outside?)));
    outside.map(|(Pattern { id, title, text, .. }, reason)| format!("* {id}, {title}: {text} {reason}\n")).collect()
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

/// A chapter's table of rules. Links to a rule lead to its row, which links to the rule's page.
pub fn table(section: &str) -> String {
    let mut out = "| rule: strength, basis, stage | statement |\n|---|---|\n".to_owned();
    for Rule { id, strength, basis, stage, statement, .. } in rules::all().filter(|rule| rule.section == section) {
        let link = format!("<a id=\"{id}\"></a>[`{id}`](../rules/{id}.md)");
        let labels =
            format!("<small class=\"{strength}\">{strength}</small> <small>{basis}</small> <small>{stage}</small>");
        let _ = writeln!(out, "| {link}<br>{labels} | {} |", cell(statement));
    }
    out
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
