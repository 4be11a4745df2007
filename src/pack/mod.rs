//! Packs files from their parts. A packed file is checked, so it violates no must-rule.

mod packed_file;
pub(crate) mod ptd;
pub(crate) mod pte;

pub use packed_file::PackedFile;
use packed_file::SegmentParts;
