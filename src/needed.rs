//! How much of a file reading and checking need.

use crate::image::FLATBUFFER_LIMIT;
use crate::{Image, bundled, flatbuffer, ptd, pte};

impl Image<'_> {
    /// How many first bytes of a file are enough to read and check everything but the data in its segments.
    ///
    /// `head` is the first 48 bytes, or all there are. The answer is never above `len`; a file without a header is its own
    /// FlatBuffer, and needed whole.
    #[must_use]
    pub fn needed(head: &[u8], len: u64) -> u64 {
        let end = match flatbuffer::identifier(head) {
            Some(ptd::IDENTIFIER) => {
                ptd::FlatTensorHeader::find(head).ok().and_then(|header| header.flatbuffer_end()).unwrap_or(0)
            }
            Some(pte::IDENTIFIER) => {
                pte::ExtendedHeader::find(head).map_or(0, |header| header.map_or(len, |header| header.program_size))
            }
            Some(bundled::IDENTIFIER) => len,
            _ => 0,
        };
        // What the header alone decides needs no more than the header.
        let decided = end > len || end >= FLATBUFFER_LIMIT;
        if decided { len.min(64) } else { end.max(64).min(len) }
    }
}
