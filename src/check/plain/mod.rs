//! The plain pass: answers whether a file is plainly good, or whether the checker has to look closer.
//!
//! A plainly good file has no finding of any strength, and its check is complete. The answer `None` says nothing: the
//! checker then runs the verification pass, which reports the findings. The pass knows the files that exporters
//! usually write. It answers `None` for everything rare.
//!
//! Each rule is a condition in the visit of the table to which the rule applies. The pass builds no paths, spans or
//! messages. It visits every table once and reads some of them again. It allocates nothing, and its time is linear in
//! the length of the file.

mod blobs;
mod instructions;
mod lists;
mod method;
mod names;
mod object;
mod ptd;
mod pte;
mod segments;
mod state;
mod tensor;
#[cfg(test)]
#[cfg(all(feature = "attack", feature = "corpus"))]
mod tests;

pub(super) use ptd::data_file;
pub(super) use pte::program;

use super::segments::SegmentBase;
use crate::flatbuffer::walk::Tally;
use crate::pte::schema::Program;

/// Returns `None` from the function if a condition is false.
///
/// Tests can skip a condition, to show that some file breaks the pass without the condition.
macro_rules! require {
    ($condition:expr) => {
        if !$condition && !$crate::check::plain::is_skipped(file!(), line!()) {
            return None;
        }
    };
}
use require;

#[cfg(not(all(test, feature = "attack", feature = "corpus")))]
#[inline(always)]
const fn is_skipped(_file: &str, _line: u32) -> bool {
    false
}
#[cfg(all(test, feature = "attack", feature = "corpus"))]
use tests::is_skipped;

/// What the checker needs to know about a plainly good file.
pub(super) struct Plain<'a> {
    pub(super) tally: Tally,
    /// The number of tensors whose data is in a data file.
    pub(super) external: u32,
    /// The program, if a delegate has an XNNPACK blob. The keys in such blobs are not counted yet.
    pub(super) xnnpack: Option<(Program<'a>, SegmentBase)>,
}
