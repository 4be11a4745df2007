//! The extended header `eh00`: where the program ends and where its segments begin.
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

/// The values of an `eh00` header, as they stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExtendedHeader {
    /// The header's own length in bytes, from its magic; 24, 32, or more.
    pub length: u32,
    /// Bytes from the file's start to the end of the FlatBuffer, the header included.
    pub program_size: u64,
    /// Where the data behind the FlatBuffer begins, from the file's start; 0 when there is none.
    pub segment_base_offset: u64,
    /// Bytes of that data; `None` in the older, 24-byte header, which does not say.
    pub segment_data_size: Option<u64>,
}

impl ExtendedHeader {
    /// The header's four magic bytes, at bytes 8 to 11.
    pub const MAGIC: [u8; 4] = *b"eh00";
    /// Where the header begins.
    pub const OFFSET: u64 = 8;
    /// The shortest length a header can give: everything but `segment_data_size`.
    pub const MIN_LENGTH: u32 = 24;
    /// The length from which on `segment_data_size` is part of the header.
    pub const LENGTH_WITH_DATA_SIZE: u32 = 32;

    /// Place of the magic.
    pub const MAGIC_SPAN: Span = Span::new(8, 4);
    /// Place of `length`.
    pub const LENGTH_SPAN: Span = Span::new(12, 4);
    /// Place of `program_size`.
    pub const PROGRAM_SIZE_SPAN: Span = Span::new(16, 8);
    /// Place of `segment_base_offset`.
    pub const SEGMENT_BASE_OFFSET_SPAN: Span = Span::new(24, 8);
    /// Place of `segment_data_size`, where `length` is at least 32.
    pub const SEGMENT_DATA_SIZE_SPAN: Span = Span::new(32, 8);

    /// Bytes of the data behind the program, where the header says.
    ///
    /// A size of 0 says nothing: with a base, it is what the padding of an older header looks like.
    #[must_use]
    pub fn data_size(&self) -> Option<u64> {
        self.segment_data_size.filter(|size| *size > 0)
    }

    /// Reads what stands at byte 8 of `head`, the first bytes of a file, 40 of them or all there are.
    ///
    /// `None` when there is no header: the FlatBuffer goes on at byte 8, and is the whole file. `check` judges the values.
    ///
    /// # Errors
    ///
    /// `eh-magic-exact` for a header of another version, `eh-truncated` when the file ends inside the header.
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

    /// The header as it stands in a file from byte 8 on.
    ///
    /// There are 24 bytes, or 32 with `segment_data_size`. If `length` asks for more, those are zeros, and not among them.
    ///
    /// ```
    /// use torchproof::pte::ExtendedHeader;
    ///
    /// let header =
    ///     ExtendedHeader { length: 32, program_size: 4096, segment_base_offset: 4096, segment_data_size: Some(100) };
    /// let mut head = vec![0; 8]; // where the FlatBuffer begins
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
