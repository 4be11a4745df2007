//! A case's explanation.

use std::fmt::Write;

use serde::Serialize;
use torchproof::corpus::{self, Verdict};
use torchproof::rules;
use torchproof_harness::corpus::build::Tree;
use torchproof_harness::corpus::{Case, Edit};
use torchproof_harness::text::counted;

use super::rule::{references, weaknesses};
use crate::byte_map::render_case;
use crate::catalogue::{address_or_path, case_page};
use crate::page::Page;

const SHOWN: usize = 12;

/// A case with the statement of its rule.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct CaseEntry {
    /// The manifest's entry.
    #[serde(flatten)]
    pub(crate) case: Case,
    /// The statement of the case's rule.
    pub(crate) statement: Option<&'static str>,
    /// The path of the case's page in the book; only for cases of this release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<String>,
    /// The bytes of the case's first file.
    #[serde(skip)]
    bytes: Vec<u8>,
    /// The bytes of the recipe's base.
    #[serde(skip)]
    base: Option<Vec<u8>>,
}

impl CaseEntry {
    pub(super) fn find(corpus: &Tree, id: &str) -> Option<Self> {
        let entry = |id: &str| corpus.manifest.cases.iter().find(|case| case.id == id);
        let bytes = |case: &Case| corpus.files.get(&case.files.first()?.path).cloned();
        let case = entry(id)?;
        let base = case.recipe.as_ref().and_then(|recipe| entry(&recipe.base)).and_then(bytes);
        Some(Self::of(case.clone(), bytes(case).unwrap_or_default(), base))
    }

    pub(crate) fn of(case: Case, bytes: Vec<u8>, base: Option<Vec<u8>>) -> Self {
        let statement = case.rule.as_deref().and_then(rules::get).map(|rule| rule.statement);
        let page = corpus::find(&case.id).map(|case| case_page(case.id));
        CaseEntry { case, statement, page, bytes, base }
    }

    pub(crate) fn text(&self, page: Page, all: bool) -> String {
        let case = &self.case;
        let mut out = String::new();
        let verdict = page.verdict(case.verdict.name());
        let _ = writeln!(out, "{}  {verdict}\n", page.strong(&case.id));
        out += &page.paragraph("    ", &case.title);
        out.push('\n');
        out += &page.labeled("why", &case.why);
        out.push('\n');
        if let (Some(rule), Some(statement)) = (&case.rule, self.statement) {
            let relation = if case.verdict == Verdict::Reject { "breaks" } else { "about" };
            out += &page.labeled(relation, &format!("{rule}: {statement}"));
        }
        if let Some(stage) = case.stage {
            out += &page.labeled("stage", &format!("{stage}, the latest stage at which a reader can safely reject"));
        }
        if let Some(bits) = case.target_bits {
            out += &page.labeled("host", &format!("hosts with {bits}-bit sizes only"));
        }
        let field = match case.path.as_deref() {
            None => "outside any field",
            Some("") => "the root table",
            Some(path) => path,
        };
        if let Some(at) = &case.at {
            out += &page.labeled("at", &format!("{field}: {} at {:#x}", counted(at.len, "byte"), at.offset));
        }
        let files = case.files.iter().map(|file| format!("{}, {}", file.path, counted(file.size, "byte")));
        out += &page.list(if case.files.len() == 1 { "file" } else { "files" }, files);
        if let Some(recipe) = &case.recipe {
            let control = if case.verdict == Verdict::Reject { "control" } else { "base" };
            out += &page.labeled(control, &recipe.base);
            out += &page.list("edit", recipe.edits.iter().map(edit));
        }
        if !case.needs.is_empty() {
            out += &page.labeled("needs", &case.needs.join(", "));
        }
        out += &weaknesses(&case.cwe, page);
        out += &references(&case.refs, page);
        if let Some(path) = &self.page {
            out += &page.labeled("page", &address_or_path(path.clone()));
        }
        out.push('\n');
        let rows = |all| render_case(case, &self.bytes, self.base.as_deref(), all);
        let shown = rows(all);
        out += &rows_on(&shown, page);
        if !all && shown != rows(true) {
            let _ = writeln!(out, "\n{}", page.dim("--all shows every part of the file"));
        }
        out
    }
}

fn rows_on(rows: &str, page: Page) -> String {
    let line = |line: &str| if line.starts_with('>') { page.marked(line) } else { line.to_owned() };
    rows.lines().map(|row| line(row) + "\n").collect()
}

fn edit(edit: &Edit) -> String {
    let Edit { at, was, now } = edit;
    match (was.as_str(), now.as_str()) {
        ("", now) => format!("{at:#x}: {} inserted: {}", counted(now.len() / 2, "byte"), spaced(now)),
        (was, "") => format!("{at:#x}: {} removed: {}", counted(was.len() / 2, "byte"), spaced(was)),
        (was, now) => format!("{at:#x}: {} -> {}", spaced(was), spaced(now)),
    }
}

fn spaced(hex: &str) -> String {
    let pairs: Vec<&str> = (0..hex.len() / 2).take(SHOWN).filter_map(|at| hex.get(2 * at..2 * at + 2)).collect();
    let dots = if hex.len() > 2 * SHOWN { " …" } else { "" };
    pairs.join(" ") + dots
}
