//! The extended header `eh00`, which says how large the program is and where its segments are.
//!
//! ```text
//!   8        12       16               24                    32                  40
//!   +--------+--------+----------------+---------------------+-------------------+---
//!   | "eh00" | length | program_size   | segment_base_offset | segment_data_size | zeros
//!   +--------+--------+----------------+---------------------+-------------------+---
//!                                                             only if length >= 32
//! ```

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::error::broken;
use crate::flatbuffer::{u32_at, u64_at};
use crate::{Error, Span};

/// The values of an `eh00` header, unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedHeader {
    /// The header's length in bytes, including its magic: 24, 32, or more.
    pub length: u32,
    /// The number of bytes from the file's start to the FlatBuffer's end, including the header.
    pub program_size: u64,
    /// Where the segment data begins in the file, or 0 if there is none.
    pub segment_base_offset: u64,
    /// How many bytes of segment data there are, or `None` if the header is too short for this field.
    pub segment_data_size: Option<u64>,
}

impl ExtendedHeader {
    /// The header's four magic bytes, at bytes 8 to 11.
    pub const MAGIC: [u8; 4] = *b"eh00";
    /// Where the header begins.
    pub const OFFSET: u64 = 8;
    /// The minimum valid header length, which includes all fields except `segment_data_size`.
    pub const MIN_LENGTH: u32 = 24;
    /// The minimum length of a header with `segment_data_size`.
    pub const LENGTH_WITH_DATA_SIZE: u32 = 32;

    /// The span of the magic bytes.
    pub const MAGIC_SPAN: Span = Span::new(8, 4);
    /// The span of `length`.
    pub const LENGTH_SPAN: Span = Span::new(12, 4);
    /// The span of `program_size`.
    pub const PROGRAM_SIZE_SPAN: Span = Span::new(16, 8);
    /// The span of `segment_base_offset`.
    pub const SEGMENT_BASE_OFFSET_SPAN: Span = Span::new(24, 8);
    /// The span of `segment_data_size`, when `length` is at least 32.
    pub const SEGMENT_DATA_SIZE_SPAN: Span = Span::new(32, 8);

    #[cfg(feature = "alloc")]
    pub(crate) const FIELDS: [(&str, Span); 5] = [
        ("magic", Self::MAGIC_SPAN),
        ("length", Self::LENGTH_SPAN),
        ("program_size", Self::PROGRAM_SIZE_SPAN),
        ("segment_base_offset", Self::SEGMENT_BASE_OFFSET_SPAN),
        ("segment_data_size", Self::SEGMENT_DATA_SIZE_SPAN),
    ];

    /// Returns how many bytes of segment data there are, or `None` if that is unknown.
    ///
    /// A size of 0 means unknown, because the padding after a 24-byte header is also 0.
    #[must_use]
    pub fn data_size(&self) -> Option<u64> {
        self.segment_data_size.filter(|size| *size > 0)
    }

    /// Reads the header at byte 8 of a file.
    ///
    /// `head` is the file's first 40 bytes, or the whole file if it is shorter. Returns `None` if the file has no
    /// header and is only a FlatBuffer. `find` does not check the header's values; [`check`](mod@crate::check) does.
    ///
    /// # Errors
    ///
    /// Returns a violation of `eh-magic-exact` if the magic belongs to another version, and of `eh-truncated` if the
    /// file ends inside the header.
    #[inline]
    pub fn find(head: &[u8]) -> Result<Option<Self>, Error> {
        let Some(magic) = head.get(8..).and_then(|rest| rest.first_chunk::<4>()) else { return Ok(None) };
        if *magic != Self::MAGIC {
            let other_version = magic.starts_with(b"eh") && magic[2].is_ascii_digit() && magic[3].is_ascii_digit();
            return if other_version {
                Err(Error::magic(broken::EH_MAGIC_EXACT, Self::MAGIC_SPAN, "header.magic", *magic, Self::MAGIC))
            } else {
                Ok(None)
            };
        }
        let len = head.len() as u64;
        let truncated = |needed| Error::broken(broken::EH_TRUNCATED, Span::new(len, 0), "header", len, needed);
        let (Some(length), Some(program_size), Some(segment_base_offset)) =
            (u32_at(head, 12), u64_at(head, 16), u64_at(head, 24))
        else {
            return Err(truncated(32));
        };
        let segment_data_size = if length >= Self::LENGTH_WITH_DATA_SIZE {
            match u64_at(head, 32) {
                None => return Err(truncated(40)),
                some => some,
            }
        } else {
            None
        };
        Ok(Some(Self { length, program_size, segment_base_offset, segment_data_size }))
    }

    /// Returns the header's bytes. In a file, they start at byte 8.
    ///
    /// The result has 24 bytes, or 32 with `segment_data_size`. In the file, zeros follow up to `length`.
    ///
    /// ```
    /// use torchproof::pte::ExtendedHeader;
    ///
    /// let header =
    ///     ExtendedHeader { length: 32, program_size: 4096, segment_base_offset: 4096, segment_data_size: Some(100) };
    /// let mut head = vec![0; 8]; // the start of the FlatBuffer
    /// head.extend(header.to_bytes());
    /// assert_eq!(head.len(), 40);
    /// assert_eq!(ExtendedHeader::find(&head), Ok(Some(header)));
    /// ```
    #[cfg(feature = "alloc")]
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let words = [Some(self.program_size), Some(self.segment_base_offset), self.segment_data_size];
        let words = words.into_iter().flatten().flat_map(u64::to_le_bytes);
        Self::MAGIC.into_iter().chain(self.length.to_le_bytes()).chain(words).collect()
    }
}
