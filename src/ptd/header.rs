//! The `FH01` header, which says how large the FlatBuffer is and where the segments are.
//!
//! ```text
//!   8        12       16                  24                32                    40                  48       56
//!   +--------+--------+-------------------+-----------------+---------------------+-------------------+--------+---
//!   | "FH01" | length | flatbuffer_offset | flatbuffer_size | segment_base_offset | segment_data_size | zeros  | FlatBuffer
//!   +--------+--------+-------------------+-----------------+---------------------+-------------------+--------+---
//! ```

use crate::error::broken;
use crate::flatbuffer::{u32_at, u64_at};
use crate::{Error, Span};

/// The values of an `FH01` header, unchecked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatTensorHeader {
    /// The header's length in bytes, including its magic: 40.
    pub length: u32,
    /// The length in bytes of the header and its padding: 48. Despite its name, this is not where the FlatBuffer
    /// begins.
    pub flatbuffer_offset: u64,
    /// The length in bytes of the FlatBuffer, without the header and its padding.
    pub flatbuffer_size: u64,
    /// Where the segment data begins in the file.
    pub segment_base_offset: u64,
    /// How many bytes of segment data there are.
    pub segment_data_size: u64,
}

impl FlatTensorHeader {
    /// The header's four magic bytes, at bytes 8 to 11.
    pub const MAGIC: [u8; 4] = *b"FH01";
    /// Where the header begins.
    pub const OFFSET: u64 = 8;
    /// The minimum valid header length, which all writers use.
    pub const MIN_LENGTH: u32 = 40;

    /// The span of the magic bytes.
    pub const MAGIC_SPAN: Span = Span::new(8, 4);
    /// The span of `length`.
    pub const LENGTH_SPAN: Span = Span::new(12, 4);
    /// The span of `flatbuffer_offset`.
    pub const FLATBUFFER_OFFSET_SPAN: Span = Span::new(16, 8);
    /// The span of `flatbuffer_size`.
    pub const FLATBUFFER_SIZE_SPAN: Span = Span::new(24, 8);
    /// The span of `segment_base_offset`.
    pub const SEGMENT_BASE_OFFSET_SPAN: Span = Span::new(32, 8);
    /// The span of `segment_data_size`.
    pub const SEGMENT_DATA_SIZE_SPAN: Span = Span::new(40, 8);

    #[cfg(feature = "alloc")]
    pub(crate) const FIELDS: [(&str, Span); 6] = [
        ("magic", Self::MAGIC_SPAN),
        ("length", Self::LENGTH_SPAN),
        ("flatbuffer_offset", Self::FLATBUFFER_OFFSET_SPAN),
        ("flatbuffer_size", Self::FLATBUFFER_SIZE_SPAN),
        ("segment_base_offset", Self::SEGMENT_BASE_OFFSET_SPAN),
        ("segment_data_size", Self::SEGMENT_DATA_SIZE_SPAN),
    ];

    /// Reads the header at byte 8 of a file.
    ///
    /// `head` is the file's first 48 bytes, or the whole file if it is shorter. `find` does not check the header's
    /// values; [`check`](mod@crate::check) does.
    ///
    /// # Errors
    ///
    /// Returns a violation of `fh-required` if there is no header, of `fh-magic-exact` if the magic belongs to another
    /// version, and of `fh-truncated` if the file ends inside the header.
    #[inline]
    pub fn find(head: &[u8]) -> Result<Self, Error> {
        let magic = u32_at(head, 8).map(u32::to_le_bytes);
        if magic != Some(Self::MAGIC) {
            let magic = magic.unwrap_or_default();
            let other_version = magic.starts_with(b"FH") && magic[2].is_ascii_digit() && magic[3].is_ascii_digit();
            let rule = if other_version { broken::FH_MAGIC_EXACT } else { broken::FH_REQUIRED };
            return Err(Error::magic(rule, Self::MAGIC_SPAN, "header.magic", magic, Self::MAGIC));
        }
        match (u32_at(head, 12), u64_at(head, 16), u64_at(head, 24), u64_at(head, 32), u64_at(head, 40)) {
            (Some(length), Some(offset), Some(size), Some(segment_base_offset), Some(segment_data_size)) => Ok(Self {
                length,
                flatbuffer_offset: offset,
                flatbuffer_size: size,
                segment_base_offset,
                segment_data_size,
            }),
            _ => {
                let len = head.len() as u64;
                Err(Error::broken(broken::FH_TRUNCATED, Span::new(len, 0), "header", len, 48))
            }
        }
    }

    /// Returns the header's 40 bytes. In a file, they start at byte 8.
    ///
    /// ```
    /// use torchproof::ptd::FlatTensorHeader;
    ///
    /// let header = FlatTensorHeader {
    ///     length: 40,
    ///     flatbuffer_offset: 48,
    ///     flatbuffer_size: 200,
    ///     segment_base_offset: 256,
    ///     segment_data_size: 100,
    /// };
    /// let mut head = vec![0; 8]; // where the FlatBuffer begins
    /// head.extend(header.to_bytes());
    /// assert_eq!(FlatTensorHeader::find(&head), Ok(header));
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> [u8; 40] {
        let Self { length, flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size } = *self;
        let mut bytes = [0; 40];
        bytes[..4].copy_from_slice(&Self::MAGIC);
        bytes[4..8].copy_from_slice(&length.to_le_bytes());
        let words = [flatbuffer_offset, flatbuffer_size, segment_base_offset, segment_data_size];
        for (place, word) in bytes[8..].as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        bytes
    }

    /// Returns where the FlatBuffer ends, or `None` if that does not fit in 64 bits.
    #[must_use]
    pub const fn flatbuffer_end(&self) -> Option<u64> {
        self.flatbuffer_offset.checked_add(self.flatbuffer_size)
    }
}
