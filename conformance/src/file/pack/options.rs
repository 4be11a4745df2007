//! The options of packing.

use std::path::{Path, PathBuf};

use super::error::SpecError;
use crate::file::{Segment, SegmentPlace};
use crate::text::size::Size;

/// The default size limit of a file: 16 GiB.
pub const MOST_SIZE: u64 = 16 << 30;

/// How a specification is read.
#[derive(Clone, Debug)]
pub struct PackOptions {
    /// The folder of its files; empty for the current folder.
    pub folder: PathBuf,
    /// Whether files outside the folder may be read.
    pub allow_outside: bool,
    /// Whether every given number is written unchecked.
    pub raw: bool,
    /// The size limit of the file in bytes; [`MOST_SIZE`] by default.
    pub max_size: u64,
    /// What segments are aligned to where the specification does not say where they are, a power of two; 128, in the older
    /// layout 16, unless it is said. Where it does say, it must not say otherwise. Their base is aligned to it too, and to 16.
    pub segment_alignment: Option<u64>,
    /// What constants and delegate blobs inside a program's FlatBuffer are aligned to at least, a power of two from 16 on; 16
    /// unless it is said, or told by `header.program_size`.
    pub inline_alignment: Option<usize>,
}

impl PackOptions {
    /// The defaults: files of this folder, not raw, 16 GiB.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            allow_outside: false,
            raw: false,
            max_size: MOST_SIZE,
            segment_alignment: None,
            inline_alignment: None,
        }
    }

    /// Rejects a given position that is no multiple of the requested alignment.
    pub(super) fn expect_aligned(&self, base: Option<u64>, segments: &[Segment]) -> Result<(), SpecError> {
        let Some(alignment) = self.segment_alignment.filter(|_| !self.raw) else { return Ok(()) };
        let base = base.map(|at| ("header.segment_base_offset".to_owned(), at));
        let offsets = segments.iter().enumerate().filter_map(|(index, segment)| match segment.place {
            SegmentPlace::At(offset) => Some((format!("segments[{index}].offset"), offset)),
            SegmentPlace::Aligned(_) => None,
        });
        match base.into_iter().chain(offsets).find(|(_, at)| !at.is_multiple_of(alignment)) {
            None => Ok(()),
            Some((path, at)) => {
                Err(SpecError::at(path, format!("{at} is given, and multiples of {alignment} are asked for")))
            }
        }
    }

    /// How large the file may be, for a sentence that ends with it.
    pub(super) fn most(&self) -> String {
        format!("{:#}; --max-size allows more", Size(self.max_size))
    }
}
