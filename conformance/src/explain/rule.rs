//! A rule's explanation.

use std::fmt::Write;

use torchproof::rules;

use crate::catalogue::{Entry, address_or_path, reference_address, title};
use crate::page::Page;

pub(super) fn text(entry: &Entry, page: Page) -> String {
    let Entry { rule, known, cases, untested, page: path } = entry;
    let mut out = String::new();
    let strength = page.verdict(rule.strength.name());
    let _ = writeln!(out, "{}  {strength}\n", page.strong(rule.id));
    out += &page.paragraph("    ", rule.statement);
    out.push('\n');
    out += &page.paragraph("    ", known.rationale);
    out.push('\n');
    out += &page.labeled("source", known.source);
    out += &page.labeled("basis", &format!("{}: {}", rule.basis, rule.basis.meaning()));
    out += &page.labeled("broken by", &format!("a {}", rule.subject.name()));
    out += &page.labeled("stage", &format!("{}, the latest stage at which a reader can safely reject", rule.stage));
    out += &page.labeled("section", &format!("{} ({})", title(rule.section).unwrap_or_default(), rule.section));
    out += &weaknesses(known.cwe, page);
    out += &references(known.refs, page);
    out += &page.labeled("page", &address_or_path(path.clone()));
    let longest = cases.iter().map(|case| case.id.len()).max().unwrap_or_default();
    let lines = cases.iter().map(|case| {
        let verdict = page.verdict(case.verdict.name());
        format!("{verdict}  {:longest$}  {}", case.id, case.title)
    });
    out += &page.list("cases", lines);
    if cases.is_empty() {
        out += &page.labeled("cases", &untested.map_or("none".to_owned(), |reason| format!("none: {reason}")));
    }
    let named = named_in(entry);
    if !named.is_empty() {
        out += &page.labeled("see", &named.join(", "));
    }
    out
}

/// Other rules that the rule's texts mention.
fn named_in(Entry { rule, known, .. }: &Entry) -> Vec<&'static str> {
    let texts = [rule.statement, known.rationale, known.source];
    let quoted = texts.into_iter().flat_map(|text| text.split('`').skip(1).step_by(2));
    let mut named: Vec<&str> =
        quoted.filter_map(rules::get).map(|other| other.id).filter(|id| *id != rule.id).collect();
    named.sort_unstable();
    named.dedup();
    named
}

pub(super) fn weaknesses(ids: &[impl AsRef<str>], page: Page) -> String {
    page.list("weakness", ids.iter().map(|id| addressed(id.as_ref())))
}

pub(super) fn references(refs: &[impl AsRef<str>], page: Page) -> String {
    let (patterns, public): (Vec<&str>, Vec<&str>) =
        refs.iter().map(AsRef::as_ref).partition(|id| rules::pattern(id).is_some());
    let patterns = patterns.into_iter().filter_map(rules::pattern);
    let mut out = page.list("patterns", patterns.map(|pattern| format!("{}  {}", pattern.id, pattern.title)));
    out += &page.list("refs", public.into_iter().map(addressed));
    out
}

fn addressed(id: &str) -> String {
    reference_address(id).map_or_else(|| id.to_owned(), |address| format!("{id}  {address}"))
}
