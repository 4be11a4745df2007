//! Names that a list has twice.

use super::finding::Scratch;
use crate::Limit;
use crate::flatbuffer::Str;
use crate::flatbuffer::walk::{Flow, Stop};
use crate::names::SeenNames;

/// So few names are compared without scratch memory.
pub(super) const FEW: usize = 32;

/// As [`SeenNames::equal_names`], of a list of `count` names, of which `name` leaves some out.
pub(super) fn equal_names<'a>(
    count: usize,
    name: &dyn Fn(usize) -> Option<Str<'a>>,
    scratch: &mut dyn Scratch,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    let mut few = [0; FEW];
    let words = match few.get_mut(..count) {
        Some(words) => words,
        None => scratch.words(count).ok_or(Stop::Limit(Limit::Scratch))?,
    };
    let mut seen = SeenNames::new(words);
    for index in 0..count {
        if let Some(own) = name(index) {
            seen.insert(own.as_bytes(), index);
        }
    }
    seen.equal_names(name, equal)
}
