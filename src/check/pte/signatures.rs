//! A cache of the signatures of a method's operators.

use crate::flatbuffer::{Str, Vector};
use crate::pte::schema::brief::Operator;
use crate::pte::signatures::position;

/// An index into [`SIGNATURES`](crate::pte::signatures::SIGNATURES); `None` for operators without a known signature.
#[derive(Clone, Copy)]
pub(super) struct CachedSignature(pub(super) Option<u8>);

impl CachedSignature {
    fn of(operator: Operator<'_>) -> Self {
        let overload = operator.overload().map(|overload| overload.map_or(&[][..], Str::as_bytes));
        let name = operator.name().ok().flatten();
        let found = name.zip(overload.ok()).and_then(|(name, overload)| position(name.as_bytes(), overload));
        Self(found.and_then(|index| u8::try_from(index).ok()))
    }
}

/// The number of operators in the cache. A small cache is enough, because a method calls a few operators many times.
const REMEMBERED: usize = if cfg!(target_os = "none") { 4 } else { 16 };

/// The cache. Each entry stores the index and the signature of an operator of the method.
#[derive(Clone, Copy)]
pub(super) struct Signatures([Option<(usize, CachedSignature)>; REMEMBERED]);

impl Signatures {
    pub(super) const NONE: Signatures = Signatures([None; REMEMBERED]);

    #[inline]
    pub(super) fn get<'a>(&mut self, index: usize, all: Vector<'a, Operator<'a>>) -> Option<CachedSignature> {
        match self.0[index % REMEMBERED] {
            Some((own, signature)) if own == index => Some(signature),
            _ => {
                let signature = CachedSignature::of(all.get(index)?.ok()?);
                self.0[index % REMEMBERED] = Some((index, signature));
                Some(signature)
            }
        }
    }
}
