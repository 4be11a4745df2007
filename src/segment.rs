//! Where a segment is in a file, with checked arithmetic.

use crate::Span;

#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentRegion {
    /// Where the segment data begins in the file.
    pub(crate) base: u64,
    /// `None` if the header does not contain the size.
    pub(crate) size: Option<u64>,
    pub(crate) file_len: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentFault {
    /// `offset + size` does not fit into 64 bits.
    EndWraps,
    /// `base + offset + size` does not fit into 64 bits.
    BaseWraps,
    /// Both positions are relative to the segment base.
    PastData { end: u64, bound: u64 },
}

impl SegmentRegion {
    /// `offset` is relative to the segment base. Even an empty segment must be inside the data.
    pub(crate) fn place(self, offset: u64, size: u64) -> Result<Span, SegmentFault> {
        let end = offset.checked_add(size).ok_or(SegmentFault::EndWraps)?;
        self.base.checked_add(end).ok_or(SegmentFault::BaseWraps)?;
        let left = self.file_len.saturating_sub(self.base);
        let bound = self.size.unwrap_or(left).min(left);
        if end > bound { Err(SegmentFault::PastData { end, bound }) } else { Ok(Span::new(self.base + offset, size)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_each_overflow_separately() {
        let data = SegmentRegion { base: 128, size: Some(64), file_len: 200 };
        assert_eq!(data.place(0, 64), Ok(Span::new(128, 64)));
        assert_eq!(data.place(64, 0), Ok(Span::new(192, 0)));
        assert_eq!(data.place(65, 0), Err(SegmentFault::PastData { end: 65, bound: 64 }));
        assert_eq!(data.place(u64::MAX, 1), Err(SegmentFault::EndWraps));
        assert_eq!(data.place(u64::MAX - 127, 0), Err(SegmentFault::BaseWraps));
        // If the header does not give the size, the end of the file is the limit.
        assert_eq!(SegmentRegion { size: None, ..data }.place(64, 8), Ok(Span::new(192, 8)));
        // If the header's size exceeds the file, the end of the file is still the limit.
        assert_eq!(
            SegmentRegion { size: Some(100), ..data }.place(70, 8),
            Err(SegmentFault::PastData { end: 78, bound: 72 })
        );
    }
}
