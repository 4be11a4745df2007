//! The byte map of a case's file, with brackets around the bytes its recipe changed.

use torchproof::Span;
use torchproof::annotate::ByteMap;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::{Case, Recipe};

use super::{ChangedBytes, ShownRows, render};

/// The maximum number of rows for a file without a base.
const ROWS: usize = 400;

/// `base` is the file that the recipe edits. If `all` is false, the map has only the rows near the edits or, for a file
/// without a base, the first rows. For a rejected file, it has the rows of the base, because a defect can make all
/// later bytes undecodable.
pub fn render_case(case: &Case, bytes: &[u8], base: Option<&[u8]>, all: bool) -> String {
    let (mut map, mut changes, mut shown) = (None, Vec::new(), ShownRows::First(ROWS));
    if let (Some(recipe), Some(base)) = (&case.recipe, base) {
        changes = edited(recipe);
        shown = ShownRows::Changed(&recipe.base);
        if case.verdict == Verdict::Reject {
            let map = map.insert(ByteMap::of(base));
            for edit in &recipe.edits {
                map.splice(edit.at, hex_len(&edit.was), hex_len(&edit.now));
            }
        }
    }
    let map = map.unwrap_or_else(|| ByteMap::of(bytes));
    render(bytes, &map, &changes, if all { ShownRows::All } else { shown })
}

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

pub fn replaced(recipe: &Recipe) -> Vec<ChangedBytes> {
    let replaced = recipe.edits.iter().enumerate().map(|(at, edit)| {
        let (was, now) = (hex_len(&edit.was), hex_len(&edit.now));
        // An edit's offset is relative to the file after the earlier edits, so undo these, last to first, to get the
        // offset in the base.
        let before = recipe.edits[..at].iter().rev();
        let span = before
            .fold(Span::new(edit.at, was), |span, edit| span.spliced(edit.at, hex_len(&edit.now), hex_len(&edit.was)));
        ChangedBytes { span, longer: was.cast_signed() - now.cast_signed() }
    });
    replaced.collect()
}

fn hex_len(hex: &str) -> u64 {
    hex.len() as u64 / 2
}
