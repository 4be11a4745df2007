//! How many bytes are needed to read and check a file.

use crate::file_bytes::FLATBUFFER_LIMIT;
use crate::{FileBytes, bundled, flatbuffer, ptd, pte};

impl FileBytes<'_> {
    /// Returns the length of the prefix needed to check everything except segment data.
    ///
    /// `head` is the file's first 48 bytes, or the whole file if it is shorter. `len` is the file's length, which the
    /// result never exceeds. A file without a header is one FlatBuffer, so all of it is needed.
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
        // If the header is invalid, the check ends there, so no bytes after it are needed.
        let decided = end > len || end >= FLATBUFFER_LIMIT;
        if decided { len.min(64) } else { end.max(64).min(len) }
    }
}
