//! Packing of files from their parts. A packed file is checked, so it violates no must-rule.

mod package;
pub(crate) mod ptd;
pub(crate) mod pte;

pub use package::Package;
use package::SegmentParts;
