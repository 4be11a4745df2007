//! The details of a case in the HTML report.

use std::io::Read;

use serde::Serialize;
use torchproof::annotate::ByteMap;
use torchproof::corpus::Verdict;
use torchproof::rules::{self, Rule};

use crate::byte_map::{self, Shown};
use crate::corpus::{Case, Corpus, Recipe};
use crate::text::escape::{plain, plain_line};

/// The maximum size of a file in bytes. The page shows no byte map for a larger file.
const LARGEST: u64 = 4 << 20;
/// The maximum number of byte-map rows that the page shows for a file.
pub(super) const ROWS: usize = 100;
/// The maximum number of byte-map rows for a file if every usable reader passes or skips the case. The limit is low,
/// because most cases have only such results.
pub(super) const FEW_ROWS: usize = 16;
/// If the page omits rows of a byte map, it shows at most this number of rows before the first marked row.
const BEFORE: usize = 6;

/// The details of a case.
#[derive(Serialize)]
pub(super) struct Detail {
    why: String,
    /// The path of the field with the defect and the byte range of the defect, as text.
    place: String,
    files: Vec<String>,
    /// The byte map of the case's first file; empty if the file is missing or too large.
    rows: Vec<Rows>,
    /// The id of the case's base; empty for a case without a base. If the case must be rejected, the base is its
    /// control.
    control: String,
    control_is: &'static str,
    control_rows: Vec<Rows>,
    rule: Option<Explained>,
}

/// Consecutive rows of a byte map. Either all of these rows are marked, or none of them is.
#[derive(Serialize)]
struct Rows {
    marked: bool,
    text: String,
}

/// The details of a rule.
#[derive(Serialize)]
struct Explained {
    id: &'static str,
    strength: &'static str,
    statement: &'static str,
    /// The paragraphs of the rule's explanation, as pairs of title and text.
    paragraphs: Vec<(&'static str, &'static str)>,
    references: String,
}

/// Returns the required outcome of the case as a phrase.
pub(super) fn demand(case: &Case) -> String {
    match (case.verdict, case.stage) {
        (Verdict::Accept, _) => "must be accepted".to_owned(),
        (Verdict::Reject, Some(stage)) => format!("must be rejected by {stage}"),
        (Verdict::Reject, None) => "must be rejected".to_owned(),
        (Verdict::Either, _) => "may be accepted or rejected".to_owned(),
    }
}

impl Detail {
    /// Creates the details of a case. Each byte map has at most `most` rows.
    pub(super) fn of(case: &Case, corpus: &Corpus, most: usize) -> Self {
        let own = bytes(case, corpus);
        let source = case.recipe.as_ref().and_then(|recipe| bytes(corpus.case(&recipe.base)?, corpus));
        let text = own.map(|own| byte_map::render_case(case, &own, source.as_deref(), false)).unwrap_or_default();
        let field = case.path.as_deref().map(|path| if path.is_empty() { "the root table" } else { path });
        let bytes = case.at.as_ref().map(|at| format!("{:#x} to {:#x}", at.offset, at.offset.saturating_add(at.len)));
        let place: Vec<String> = field.map(|field| plain_line(field, usize::MAX)).into_iter().chain(bytes).collect();
        let base = case.recipe.as_ref().map(|recipe| (&recipe.base, recipe));
        Detail {
            why: case.why.clone(),
            place: place.join(", "),
            files: case.files.iter().map(|file| format!("{} ({} bytes)", file.path, file.size)).collect(),
            rows: rows(&text, most),
            control: base.map(|(id, _)| id.clone()).unwrap_or_default(),
            control_is: if case.verdict == Verdict::Reject { "the control" } else { "the base of the case" },
            control_rows: base.and_then(|(_, recipe)| Some(beside(case, &source?, recipe, most))).unwrap_or_default(),
            rule: case.rule.as_deref().and_then(rules::get).map(Explained::of),
        }
    }
}

impl Explained {
    fn of(rule: &'static Rule) -> Self {
        let known = rule.explanation();
        let paragraphs = [("Rationale", known.rationale), ("Readers", known.readers), ("Source", known.source)];
        Explained {
            id: rule.id,
            strength: rule.strength.name(),
            statement: rule.statement,
            paragraphs: paragraphs.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
            references: known.refs.join(", "),
        }
    }
}

/// Returns the bytes of a case's first file, or `None` if the file is missing or too large.
fn bytes(case: &Case, corpus: &Corpus) -> Option<Vec<u8>> {
    let file = case.files.first().filter(|file| file.size <= LARGEST)?;
    let mut bytes = Vec::new();
    corpus.open_file(&file.path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the byte map of `base`, the file that `recipe` changes into the case's file. The byte map contains at most
/// `most` rows near the changed bytes, and these bytes are marked.
fn beside(case: &Case, base: &[u8], recipe: &Recipe, most: usize) -> Vec<Rows> {
    let text = byte_map::render(base, &ByteMap::of(base), &byte_map::replaced(recipe), Shown::Changed(&case.id));
    rows(&text.replace("bytes removed here", "bytes inserted here"), most)
}

/// Returns at most `most` rows of the byte map `text`. If the byte map has more rows, the function keeps the rows near
/// the first marked row.
fn rows(text: &str, most: usize) -> Vec<Rows> {
    let mut rows: Vec<Rows> = Vec::new();
    let text = plain(text);
    let lines: Vec<&str> = text.lines().collect();
    let is_marked = |line: &str| line.starts_with('>');
    let first = lines.iter().position(|line| is_marked(line)).unwrap_or(0);
    let start = first.saturating_sub(BEFORE.min(most / 3)).min(lines.len().saturating_sub(most));
    let end = lines.len().min(start + most);
    let left_out =
        |rows: usize| (rows > 0).then(|| format!("… {rows} more {}", if rows == 1 { "row" } else { "rows" }));
    let shown = lines[start..end].iter().map(|line| (*line).to_owned());
    for line in left_out(start).into_iter().chain(shown).chain(left_out(lines.len() - end)) {
        let marked = is_marked(&line);
        match rows.last_mut() {
            Some(last) if last.marked == marked => last.text.push_str(&format!("\n{line}")),
            _ => rows.push(Rows { marked, text: line }),
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_rows_around_the_first_marked_one() {
        let shown = [(3, 1, 3), (4, 0, 2), (4, 3, 2), (500, 300, 10), (3, 9, 2)].map(|(lines, marked, most)| {
            let line = |at: usize| format!("{} {at}\n", if at == marked { '>' } else { ' ' });
            let text: String = (0..lines).map(line).collect();
            rows(&text, most).iter().map(|rows| format!("marked: {}\n{}\n", rows.marked, rows.text)).collect::<String>()
        });
        insta::assert_snapshot!(shown.join("\n"));
    }
}
