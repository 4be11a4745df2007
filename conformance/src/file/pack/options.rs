//! The options of packing.

use std::path::{Path, PathBuf};

use super::error::SpecError;
use crate::file::{Segment, SegmentPlace};
use crate::text::size::Size;

/// The default size limit of a file (16 GiB).
pub const MAX_SIZE: u64 = 16 << 30;

/// Options of [`read`](super::read).
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// The folder for relative paths. An empty path means the current folder.
    pub folder: PathBuf,
    /// Whether `pack` is allowed to read files outside the folder.
    pub allow_outside: bool,
    /// The size limit of the file in bytes; [`MAX_SIZE`] by default.
    pub max_size: u64,
    /// The alignment of segments without an offset: a power of two. The default is 128, or 16 for the legacy layout.
    ///
    /// Given offsets must be multiples of this alignment. The segment base is a multiple of this alignment and of 16.
    pub segment_alignment: Option<u64>,
    /// The minimum alignment of constants and delegate blobs inside a program's FlatBuffer. The value is a power of two, at
    /// least 16.
    ///
    /// Without this option, `pack` selects the alignment that reproduces `header.program_size`, or 16 if the specification
    /// omits this number.
    pub inline_alignment: Option<usize>,
}

impl PackOptions {
    /// Returns the default options for this folder.
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

    /// Returns an error if a given position is not a multiple of the requested alignment.
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

    /// Formats the size limit for the end of an error message.
    pub(super) fn limit(&self) -> String {
        format!("at most {:#}; pass a larger --max-size", Size(self.max_size))
    }
}
