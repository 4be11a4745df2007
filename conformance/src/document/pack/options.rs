//! The options of packing.

use std::path::{Path, PathBuf};

use super::error::SpecError;
use crate::document::{Segment, SegmentPlace};
use crate::page::size::Size;

pub const MAX_SIZE: u64 = 16 << 30;

#[derive(Clone, Debug)]
pub struct PackOptions {
    /// The folder for relative paths. An empty path means the current folder.
    pub folder: PathBuf,
    pub allow_outside: bool,
    pub max_size: u64,
    /// The alignment of segments without an offset. Offsets in the specification and the segment base must be multiples
    /// of it. The default is 128, or 16 for the legacy layout.
    pub segment_alignment: Option<u64>,
    /// The alignment of constants and delegate blobs inside a program's FlatBuffer: a power of two, at least 16. The
    /// default reproduces `header.program_size`, or is 16 if the specification omits this number.
    pub inline_alignment: Option<usize>,
}

impl PackOptions {
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            allow_outside: false,
            max_size: MAX_SIZE,
            segment_alignment: None,
            inline_alignment: None,
        }
    }

    pub(super) fn expect_aligned(&self, base: Option<u64>, segments: &[Segment]) -> Result<(), SpecError> {
        let Some(alignment) = self.segment_alignment else { return Ok(()) };
        let base = base.map(|at| ("header.segment_base_offset".to_owned(), at));
        let offsets = segments.iter().enumerate().filter_map(|(index, segment)| match segment.place {
            SegmentPlace::At(offset) => Some((format!("segments[{index}].offset"), offset)),
            SegmentPlace::Aligned(_) => None,
        });
        match base.into_iter().chain(offsets).find(|(_, at)| !at.is_multiple_of(alignment)) {
            None => Ok(()),
            Some((path, at)) => Err(SpecError::at(path, format!("found {at}, expected a multiple of {alignment}"))),
        }
    }

    pub(super) fn limit(&self) -> String {
        format!("at most {:#}; pass a larger --max-size", Size(self.max_size))
    }
}
