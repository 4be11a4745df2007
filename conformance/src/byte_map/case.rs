//! The byte map of a case's file, with the bytes that its recipe changed in brackets.

use torchproof::Span;
use torchproof::annotate::ByteMap;
use torchproof::corpus::Verdict;

use super::{ChangedBytes, Shown, render};
use crate::corpus::{Case, Recipe};

/// The maximum number of rows of a file without a base.
const ROWS: usize = 400;

/// The byte map of a case's file; `base` has the bytes of the recipe's base.
///
/// `all` shows every row. Otherwise it shows the rows near the edits, or the first rows of a file without a base. A rejected file may
/// not be decodable after its defect, so its rows have the names of its control's rows, moved by the edits.
#[must_use]
pub fn render_case(case: &Case, bytes: &[u8], base: Option<&[u8]>, all: bool) -> String {
    let (mut map, mut changes, mut shown) = (None, Vec::new(), Shown::First(ROWS));
    if let (Some(recipe), Some(base)) = (&case.recipe, base) {
        changes = edited(recipe);
        shown = Shown::Changed(&recipe.base);
        if case.verdict == Verdict::Reject {
            let map = map.insert(ByteMap::of(base));
            for edit in &recipe.edits {
                map.splice(edit.at, hex_len(&edit.was), hex_len(&edit.now));
            }
        }
    }
    let map = map.unwrap_or_else(|| ByteMap::of(bytes));
    render(bytes, &map, &changes, if all { Shown::All } else { shown })
}

/// The spans of the edits' bytes in the case's file.
fn edited(recipe: &Recipe) -> Vec<ChangedBytes> {
    let mut changes: Vec<ChangedBytes> = Vec::new();
    for edit in &recipe.edits {
        let (was, now) = (hex_len(&edit.was), hex_len(&edit.now));
        for change in &mut changes {
            change.span = change.span.spliced(edit.at, was, now);
        }
        changes.push(ChangedBytes { span: Span::new(edit.at, now), longer: now.cast_signed() - was.cast_signed() });
    }
    changes
}

/// The bytes of the base that the edits replace, at their positions in the base.
#[must_use]
pub fn replaced(recipe: &Recipe) -> Vec<ChangedBytes> {
    let replaced = recipe.edits.iter().enumerate().map(|(at, edit)| {
        let (was, now) = (hex_len(&edit.was), hex_len(&edit.now));
        // Undoes the earlier edits, last one first.
        let before = recipe.edits[..at].iter().rev();
        let span = before
            .fold(Span::new(edit.at, was), |span, edit| span.spliced(edit.at, hex_len(&edit.now), hex_len(&edit.was)));
        ChangedBytes { span, longer: was.cast_signed() - now.cast_signed() }
    });
    replaced.collect()
}

/// The number of bytes in a hex string.
fn hex_len(hex: &str) -> u64 {
    hex.len() as u64 / 2
}
