//! The plain pass: answers whether a file is plainly good, or whether the checker has to look closer.
//!
//! A plainly good file has no finding of any strength, and its check is complete. The answer `None` says nothing: the
//! checker then runs the verification pass, which reports the findings. The pass knows the files that exporters
//! usually write. It answers `None` for everything rare.
//!
//! Each rule is a condition in the visit of the table to which the rule applies. The pass builds no paths, spans or
//! messages. It reads every table once, allocates nothing, and its time is linear in the length of the file.

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

use super::Options;
use super::segments::SegmentBase;
use super::structure::MOST_TABLES;
use crate::Image;
use crate::flatbuffer::walk::{SCHEMA_DEPTH, Tally};
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

/// Checks that the file and the options are of the kinds that the pass knows.
fn known(image: Image<'_>, options: &Options) -> Option<()> {
    require!(image.len() >= 64);
    // Below this limit, the checker counts how deep tables are nested.
    require!(options.limits.depth >= SCHEMA_DEPTH);
    Some(())
}

/// Checks the numbers of visited tables and bytes.
///
/// The pass itself stops before it visits more bytes than the FlatBuffer has.
fn within_limits(tally: Tally, region: &[u8], options: &Options) -> Option<()> {
    require!(tally.tables <= options.limits.tables.min(MOST_TABLES));
    require!(tally.apparent_size <= options.limits.apparent_size_of(region.len()));
    Some(())
}
