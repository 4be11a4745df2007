//! Compares the blobs (segment contents) that a file stores under equal keys.

use super::segments::{SegmentBase, SegmentRange};
use super::source::{Bytes, ReadError};
use crate::Span;

pub(super) struct Blobs<'m> {
    bytes: Bytes<'m>,
    base: SegmentBase,
    /// How many bytes the checker may still compare. Without a limit, it could read a shared segment once per key.
    left: u64,
    /// The first blob that could not be read.
    pub(super) unread: Option<Span>,
}

impl<'m> Blobs<'m> {
    /// Limits the compared bytes to the file's length, which is always enough if each segment belongs to one key.
    pub(super) fn new(bytes: Bytes<'m>, base: SegmentBase) -> Self {
        Self { bytes, base, left: base.data.file_len, unread: None }
    }

    /// Returns whether the segments `one` and `other` have equal bytes. They count as different if a position is
    /// invalid or comparing them would exceed the limit. If a segment cannot be read, the result is `true`, and the
    /// check ends early with the unreadable bytes as the reason.
    pub(super) fn equal(&mut self, one: Option<SegmentRange>, other: Option<SegmentRange>) -> bool {
        let (Some(one), Some(other)) = (one, other) else { return false };
        if one.size != other.size || !self.base.known {
            return false;
        }
        if one.size == 0 || one.offset == other.offset {
            return true;
        }
        let span = |segment: SegmentRange| self.base.data.place(segment.offset, segment.size).ok();
        let (Some(one), Some(other), Some(left)) = (span(one), span(other), self.left.checked_sub(one.size)) else {
            return false;
        };
        self.left = left;
        self.bytes.equal(one, other).unwrap_or_else(|ReadError| {
            self.unread.get_or_insert(other);
            true
        })
    }
}
