//! Where a segment is in a file: the arithmetic, once for all who check or read one.

use crate::Span;

/// Where the data behind a FlatBuffer is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentRegion {
    /// From the file's start.
    pub(crate) base: u64,
    /// In bytes; `None` where the header does not say.
    pub(crate) size: Option<u64>,
    /// Of the whole file.
    pub(crate) file_len: u64,
}

/// Why a segment has no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misplaced {
    /// `offset + size` does not fit into 64 bits.
    EndWraps,
    /// `base + offset + size` does not fit into 64 bits.
    BaseWraps,
    /// The segment ends behind the data, both counted from the base.
    PastData {
        /// Where the segment ends.
        end: u64,
        /// Where the data does.
        bound: u64,
    },
}

impl SegmentRegion {
    /// The bytes of the segment of `size` bytes at `offset` from the base; a segment of no bytes has a place too.
    pub(crate) fn place(self, offset: u64, size: u64) -> Result<Span, Misplaced> {
        let end = offset.checked_add(size).ok_or(Misplaced::EndWraps)?;
        self.base.checked_add(end).ok_or(Misplaced::BaseWraps)?;
        let left = self.file_len.saturating_sub(self.base);
        let bound = self.size.unwrap_or(left).min(left);
        if end > bound { Err(Misplaced::PastData { end, bound }) } else { Ok(Span::new(self.base + offset, size)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sum_has_its_own_answer() {
        let data = SegmentRegion { base: 128, size: Some(64), file_len: 200 };
        assert_eq!(data.place(0, 64), Ok(Span::new(128, 64)));
        assert_eq!(data.place(64, 0), Ok(Span::new(192, 0)));
        assert_eq!(data.place(65, 0), Err(Misplaced::PastData { end: 65, bound: 64 }));
        assert_eq!(data.place(u64::MAX, 1), Err(Misplaced::EndWraps));
        assert_eq!(data.place(u64::MAX - 127, 0), Err(Misplaced::BaseWraps));
        // Without a word from the header, the file's end is the bound.
        assert_eq!(SegmentRegion { size: None, ..data }.place(64, 8), Ok(Span::new(192, 8)));
        // A header that promises more than there is does not widen it.
        assert_eq!(
            SegmentRegion { size: Some(100), ..data }.place(70, 8),
            Err(Misplaced::PastData { end: 78, bound: 72 })
        );
    }
}
