//! **annotated/ID.txt**: a case's file for people, with the defect in brackets.

use std::fmt::Write;

use torchproof::Span;
use torchproof::annotate::ByteMap;
use torchproof::cases::Built;
use torchproof::corpus::{Case, Recipe, Verdict};

use crate::byte_map::{self, Change, Shown};

/// Rows that are shown of a file that was made from no other; of one with more, the first of them.
const ROWS: usize = 400;
/// Columns of prose.
const WIDTH: usize = 100;
/// How much of the bytes of an edit is shown.
const EDIT: usize = 16;

/// The byte map of a case's file; `base` is what it was made from.
///
/// A file that must be accepted is mapped as it is. In one that must be rejected, what follows the defect may be nonsense: its
/// map is its control's, carried along with the edits, so that the two texts differ in the defect alone. Of a file that was
/// edited only what is around the edits is shown, and of a long one only the beginning, unless all are wanted.
pub(super) fn render(case: &Case, built: &Built, base: Option<&[u8]>, all: bool) -> String {
    let mut map = ByteMap::of(&built.bytes);
    let mut changes = Vec::new();
    let mut shown = Shown::First(ROWS);
    if let (Some(recipe), Some(base)) = (&case.recipe, base) {
        changes = changed(recipe);
        shown = Shown::Changed(&recipe.base);
        if case.verdict == Verdict::Reject {
            map = ByteMap::of(base);
            for edit in &recipe.edits {
                map.splice(edit.at, hex_len(&edit.was), hex_len(&edit.now));
            }
        }
    }
    let shown = if all { Shown::All } else { shown };
    head(case) + "\n" + &byte_map::render(&built.bytes, &map, &changes, shown)
}

/// What the file is, and how it came from its base.
fn head(case: &Case) -> String {
    let mut text = format!("{}: {}\n\n{}\n", case.id, case.title, wrapped(&case.why));
    let rule = case.rule.as_deref().unwrap_or_default();
    let _ = match (case.verdict, case.stage) {
        (Verdict::Accept, _) => writeln!(text, "verdict  accept; about {rule}"),
        (Verdict::Reject, Some(stage)) => writeln!(text, "verdict  reject, by stage {stage}; breaks {rule}"),
        (Verdict::Reject, None) => writeln!(text, "verdict  reject; breaks {rule}"),
        (Verdict::Either, _) => writeln!(text, "verdict  either; about {rule}"),
    };
    if let Some(Recipe { base, edits }) = &case.recipe {
        let how = if edits.len() == 1 { "this edit" } else { "these edits, each to the result of the one before" };
        let _ = writeln!(text, "made of  {base}, by {how}:");
        for edit in edits {
            let was = hex_len(&edit.was);
            let now = hex_len(&edit.now);
            let _ = match (was, now) {
                (0, _) => writeln!(text, "    {:#8x}  put in {}: {}", edit.at, count(now), spaced(&edit.now)),
                (_, 0) => writeln!(text, "    {:#8x}  take out {}: {}", edit.at, count(was), spaced(&edit.was)),
                _ => writeln!(text, "    {:#8x}  {} -> {}", edit.at, spaced(&edit.was), spaced(&edit.now)),
            };
        }
    }
    text
}

/// Where the edits' bytes ended up.
fn changed(recipe: &Recipe) -> Vec<Change> {
    let mut changes: Vec<Change> = Vec::new();
    for edit in &recipe.edits {
        let (was, now) = (hex_len(&edit.was), hex_len(&edit.now));
        for change in &mut changes {
            change.span = change.span.spliced(edit.at, was, now);
        }
        let longer = i64::try_from(now).unwrap_or(i64::MAX) - i64::try_from(was).unwrap_or(i64::MAX);
        changes.push(Change { span: Span::new(edit.at, now), longer });
    }
    changes
}

/// Prose in lines that fit a page.
fn wrapped(prose: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in prose.split(' ') {
        let len = word.chars().count();
        if width + 1 + len > WIDTH {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += len;
    }
    text + "\n"
}

fn count(bytes: u64) -> String {
    if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") }
}

/// How many bytes the hex stands for.
fn hex_len(hex: &str) -> u64 {
    hex.len() as u64 / 2
}

/// Hex with a space between bytes, cut short.
fn spaced(hex: &str) -> String {
    let shown = hex.get(..2 * EDIT).unwrap_or(hex);
    let bytes: Vec<&str> = (0..shown.len() / 2).filter_map(|at| shown.get(2 * at..2 * at + 2)).collect();
    let dots = if shown.len() < hex.len() { " …" } else { "" };
    bytes.join(" ") + dots
}
