//! Checks lists of indexes into a method's values.

use crate::error::OutOfRange;
use crate::flatbuffer::Vector;
use crate::flatbuffer::walk::{Flow, Path};
use crate::rules::RuleKey;

use super::super::finding::Reporter;

#[inline]
pub(super) fn outside(index: i32, count: usize) -> bool {
    usize::try_from(index).map_or(true, |index| index >= count)
}

/// Reports the first invalid item of a list of value indexes.
#[inline]
pub(super) fn expect_inside(
    rule: RuleKey,
    items: Vector<'_, i32>,
    count: usize,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    // As an unsigned number, a negative index is large, so a single comparison finds it too.
    let (words, _) = items.as_bytes().as_chunks::<4>();
    match words.iter().position(|word| u32::from_le_bytes(*word) as usize >= count) {
        None => Ok(()),
        Some(index) => not_inside(rule, items, index, count, path, reporter),
    }
}

#[cold]
fn not_inside(
    rule: RuleKey,
    items: Vector<'_, i32>,
    index: usize,
    count: usize,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let item = items.get(index).unwrap_or_default();
    let message = format_args!("{}", OutOfRange::new(item, count));
    reporter.report(rule, &path.index(index), items.element_span(index), message)
}
