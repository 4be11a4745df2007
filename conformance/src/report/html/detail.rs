//! What the page shows of a case that is worth a look.

use std::fs;

use serde::Serialize;
use torchproof::Span;
use torchproof::annotate::ByteMap;
use torchproof::corpus::{Case, Recipe, Verdict};
use torchproof::rules::{self, Rule};

use crate::byte_map::{self, Change, Shown};
use crate::report::{plain, plain_line};
use crate::run::Corpus;

/// A control of more bytes than this is not shown: what its edits are beside would be as long.
const LARGEST: u64 = 4 << 20;
/// Rows that are shown of a file.
const ROWS: usize = 100;

/// A case at length.
#[derive(Serialize)]
pub(super) struct Detail {
    why: String,
    /// The field and the bytes of the defect.
    place: String,
    files: Vec<String>,
    /// The annotated bytes of the first file; empty where the corpus folder has none.
    rows: Vec<Rows>,
    /// The case that its file was made from, what that is to it, and its annotated bytes.
    control: String,
    control_is: &'static str,
    control_rows: Vec<Rows>,
    rule: Option<Explained>,
}

/// Rows of bytes that are marked, or not, one after the other.
#[derive(Serialize)]
struct Rows {
    marked: bool,
    text: String,
}

/// A rule at length.
#[derive(Serialize)]
struct Explained {
    id: &'static str,
    strength: &'static str,
    statement: &'static str,
    /// Paragraphs with the words in front of them.
    paragraphs: Vec<(&'static str, &'static str)>,
    references: String,
}

/// What the case demands, in a few words.
pub(super) fn demand(case: &Case) -> String {
    match (case.verdict, case.stage) {
        (Verdict::Accept, _) => "must be accepted".to_owned(),
        (Verdict::Reject, Some(stage)) => format!("must be rejected by {stage}"),
        (Verdict::Reject, None) => "must be rejected".to_owned(),
        (Verdict::Either, _) => "may be accepted or rejected".to_owned(),
    }
}

impl Detail {
    pub(super) fn of(case: &Case, corpus: &Corpus) -> Self {
        let text = fs::read(corpus.dir().join("annotated").join(format!("{}.txt", case.id))).unwrap_or_default();
        let field = case.path.as_deref().map(|path| if path.is_empty() { "the root table" } else { path });
        let bytes = case.at.as_ref().map(|at| format!("{:#x} to {:#x}", at.offset, at.offset.saturating_add(at.len)));
        let place: Vec<String> = field.map(|field| plain_line(field, usize::MAX)).into_iter().chain(bytes).collect();
        let base = case.recipe.as_ref().map(|recipe| (&recipe.base, recipe));
        Detail {
            why: case.why.clone(),
            place: place.join(", "),
            files: case.files.iter().map(|file| format!("{} ({} bytes)", file.path, file.size)).collect(),
            rows: rows(byte_map::rows_of(&String::from_utf8_lossy(&text))),
            control: base.map(|(id, _)| id.clone()).unwrap_or_default(),
            control_is: if case.verdict == Verdict::Reject { "the control" } else { "which it was made from" },
            control_rows: base
                .and_then(|(id, recipe)| beside(case, corpus.case(id)?, recipe, corpus))
                .unwrap_or_default(),
            rule: case.rule.as_deref().and_then(rules::find).map(Explained::of),
        }
    }
}

impl Explained {
    fn of(rule: &'static Rule) -> Self {
        let known = rule.explanation();
        let paragraphs = [("Why", known.why), ("Readers", known.readers), ("Source", known.source)];
        Explained {
            id: rule.id,
            strength: rule.strength.name(),
            statement: rule.statement,
            paragraphs: paragraphs.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
            references: known.refs.join(", "),
        }
    }
}

/// The control's bytes where the case's differ, those marked that the edits replace.
fn beside(case: &Case, control: &Case, recipe: &Recipe, corpus: &Corpus) -> Option<Vec<Rows>> {
    let file = control.files.first().filter(|file| file.size <= LARGEST)?;
    let bytes = fs::read(corpus.dir().join(&file.path)).ok()?;
    let text = byte_map::render(&bytes, &ByteMap::of(&bytes), &replaced(recipe), Shown::Changed(&case.id));
    Some(rows(&text.replace("bytes were taken out here", "bytes are put in here")))
}

/// What the edits replace, in the file before the first of them.
fn replaced(recipe: &Recipe) -> Vec<Change> {
    let len = |hex: &str| hex.len() as u64 / 2;
    let replaced = recipe.edits.iter().enumerate().map(|(at, edit)| {
        let (was, now) = (len(&edit.was), len(&edit.now));
        // Back over the edits before it, the last of them first.
        let before = recipe.edits[..at].iter().rev();
        let span =
            before.fold(Span::new(edit.at, was), |span, edit| span.spliced(edit.at, len(&edit.now), len(&edit.was)));
        Change { span, longer: was.cast_signed().saturating_sub(now.cast_signed()) }
    });
    replaced.collect()
}

fn rows(text: &str) -> Vec<Rows> {
    let mut rows: Vec<Rows> = Vec::new();
    let text = plain(text);
    for line in text.lines().take(ROWS) {
        let marked = line.starts_with('>');
        match rows.last_mut() {
            Some(last) if last.marked == marked => last.text.push_str(&format!("\n{line}")),
            _ => rows.push(Rows { marked, text: line.to_owned() }),
        }
    }
    let more = text.lines().count().saturating_sub(ROWS);
    if more > 0 {
        rows.push(Rows { marked: false, text: format!("… {more} more rows") });
    }
    rows
}
