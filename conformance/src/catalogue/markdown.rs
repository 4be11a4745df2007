//! The rules and the malformed patterns as Markdown, for the book, `explain --format markdown` and SARIF.

use std::collections::BTreeSet;
use std::fmt::Write;

use torchproof::corpus::UNTESTED_RULES;
use torchproof::prediction::{ErrorCause, RuntimeError};
use torchproof::rules::{self, Pattern, Rule};

use super::web::{book_address, reference_address};
use super::{Entry, ORDER, SECTIONS, by_section, total};

/// Where the Markdown will appear, which determines the links to rules and patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkContext {
    /// A chapter of the book about the formats.
    Chapter,
    /// A page of the book in the parent folder of the format chapters.
    Page,
    /// A place outside the book; links are possible only if the book is published.
    Elsewhere,
}

impl LinkContext {
    fn rule(self, rule: &Rule) -> String {
        let Rule { id, section, .. } = rule;
        match self {
            LinkContext::Chapter => format!("[`{id}`]({section}.md#{id})"),
            LinkContext::Page => format!("[`{id}`](formats/{section}.md#{id})"),
            LinkContext::Elsewhere => linked(&format!("`{id}`"), book_address(&format!("formats/{section}"), id)),
        }
    }

    fn pattern(self, pattern: &Pattern) -> String {
        let Pattern { id, title, .. } = pattern;
        // Anchors of headings are lowercase, but ids such as `H-04` have a capital.
        let anchor = id.to_ascii_lowercase();
        match self {
            LinkContext::Chapter => format!("[{id}](../patterns.md#{anchor})"),
            LinkContext::Page => format!("[{id}](patterns.md#{anchor})"),
            LinkContext::Elsewhere => linked(&format!("{id} ({title})"), book_address("patterns", id)),
        }
    }
}

fn linked(text: &str, address: Option<String>) -> String {
    address.map_or_else(|| text.to_owned(), |address| format!("[{text}]({address})"))
}

pub fn index(rules: &[Entry], context: LinkContext) -> String {
    let mut out = format!("{}.\n", total(rules));
    for (_, title, rules) in by_section(rules) {
        let _ = writeln!(out, "\n## {title}\n");
        out += "| rule | strength | basis | broken by | stage | statement | cases |\n|---|---|---|---|---|---|---|\n";
        for entry in rules {
            let Rule { strength, basis, subject, stage, .. } = entry.rule;
            let (subject, statement) = (subject.name(), cell(entry.rule.statement));
            let _ = writeln!(
                out,
                "| {} | {strength} | {basis} | {subject} | {stage} | {statement} | {} |",
                context.rule(entry.rule),
                counts(entry)
            );
        }
    }
    out
}

/// The prefixes of rule ids, for the chapter that introduces the rules.
pub fn prefixes() -> String {
    let mut out = "| the id of a rule begins with | chapter |\n|---|---|\n".to_owned();
    for (section, title) in SECTIONS {
        let ids = rules::all().filter(|rule| rule.section == section).filter_map(|rule| rule.id.split('-').next());
        let prefixes: BTreeSet<String> = ids.map(|prefix| format!("`{prefix}-`")).collect();
        let _ = writeln!(out, "| {} | [{title}]({section}.md) |", Vec::from_iter(prefixes).join(", "));
    }
    out
}

/// The error codes of the runtime with their causes.
pub fn errors() -> String {
    let mut out = String::new();
    for RuntimeError { code, name, meaning, causes } in RuntimeError::all() {
        let _ = writeln!(out, "### 0x{code:02x} `{name}`\n\n{meaning} In decimal: {code}.\n");
        out += "| at | cause | sign | cure |\n|---|---|---|---|\n";
        for ErrorCause { stage, description, sign, cure, .. } in causes {
            let _ = writeln!(out, "| {stage} | {description} | {sign} | {cure} |");
        }
        out.push('\n');
    }
    out
}

pub fn section(name: &str) -> String {
    let rules = Entry::all(|rule| rule.section == name);
    let texts = rules.iter().map(|entry| {
        let mut out = format!("### `{}`\n\n{}", entry.rule.id, rule(entry.rule, LinkContext::Chapter));
        for verdict in ORDER {
            let cases = entry.cases.iter().filter(|case| case.verdict == verdict).map(|case| format!("`{}`", case.id));
            out += &list(&format!("Cases with verdict {}", verdict.name()), cases);
        }
        if let Some((_, reason)) = UNTESTED_RULES.iter().find(|(id, _)| *id == entry.rule.id) {
            let _ = writeln!(out, "* No case: {reason}");
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
}

pub fn rule(rule: &Rule, context: LinkContext) -> String {
    let known = rule.explanation();
    let mut out = format!("**{}.** {}\n", rule.strength.name().to_ascii_uppercase(), rule.statement);
    for (label, text) in [("Rationale", known.rationale), ("Readers", known.readers), ("Source", known.source)] {
        if !text.is_empty() {
            let _ = write!(out, "\n**{label}.** {text}\n");
        }
    }
    let (patterns, public): (Vec<_>, Vec<_>) = known.refs.iter().partition(|id| rules::pattern(id).is_some());
    let patterns = patterns.into_iter().filter_map(|id| rules::pattern(id)).map(|pattern| context.pattern(pattern));
    let _ = write!(out, "\n* Basis: {} ({})\n", rule.basis, rule.basis.meaning());
    let _ = write!(out, "* Broken by: a {}\n* Latest stage of rejection: {}\n", rule.subject.name(), rule.stage);
    out += &list("Malformed patterns", patterns);
    out += &list("References", public.into_iter().map(reference));
    out += &list("Weaknesses", known.cwe.iter().copied().map(reference));
    out
}

pub fn patterns() -> String {
    let texts = rules::patterns().map(|pattern| {
        let Pattern { id, title, text, refs, outside, .. } = pattern;
        let mut out = format!("### {id}\n\n**{title}.** {text}\n");
        let broken = rules::all().filter(|rule| rule.explanation().refs.contains(id));
        out.push('\n');
        out += &list("Rules", broken.map(|rule| format!("{} ({})", LinkContext::Page.rule(rule), rule.strength)));
        out += &list("References", refs.iter().copied().map(reference));
        if let Some(reason) = outside {
            let _ = write!(out, "\n{reason}\n");
        }
        out
    });
    texts.collect::<Vec<_>>().join("\n")
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
