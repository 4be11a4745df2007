//! A cache for the signatures of a method's operators.

use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::brief::Operator;
use crate::pte::signatures::{SIGNATURES, Signature, position};

/// How many operators are cached. Official exporters write only a few, in the order in which they are first called.
const REMEMBERED: usize = if cfg!(target_os = "none") { 64 } else { 512 };

/// A byte for each of the first operators: 0 if it has not been looked up yet, 1 if it has no known signature, and
/// otherwise the signature's index plus 2.
#[derive(Clone, Copy)]
pub(super) struct Signatures([u8; REMEMBERED]);

impl Signatures {
    pub(super) const NONE: Signatures = Signatures([0; REMEMBERED]);

    #[inline]
    pub(super) fn get<'a>(&mut self, index: usize, all: Vector<'a, Operator<'a>>) -> Option<&'static Signature> {
        let mut found = self.0.get(index).copied().unwrap_or(0);
        if found == 0 {
            found = search(all.get(index)?.ok()?);
            if let Some(remembered) = self.0.get_mut(index) {
                *remembered = found;
            }
        }
        SIGNATURES.get(usize::from(found).checked_sub(2)?)
    }
}

fn search(operator: Operator<'_>) -> u8 {
    let overload = operator.overload().map(|overload| overload.map_or(&[][..], Str::as_bytes));
    let name = operator.name().ok().flatten();
    let found = name.zip(overload.ok()).and_then(|(name, overload)| position(name.as_bytes(), overload));
    found.and_then(|index| u8::try_from(index + 2).ok()).unwrap_or(1)
}
