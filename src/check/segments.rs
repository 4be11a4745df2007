//! Checks the segment tables of programs and data files: first each segment, then all together.

use crate::Span;
use crate::flatbuffer::walk::{Flow, Path};
use crate::rules::{RuleKey, flat_tensor as ptd, segments as pte, trailing};
use crate::segment::{SegmentFault, SegmentRegion};
use crate::sort::sort_by;

use super::finding::Reporter;
use super::source::Bytes;
use super::{File, StopReason, expect_zeros};

/// The smallest alignment in bytes that exporters choose for tensors. Files do not say how their segments are aligned,
/// so the checker cannot require more.
pub(super) const ALIGNMENT: u64 = 16;

pub(super) struct SegmentRules {
    end_no_overflow: RuleKey,
    abs_no_overflow: RuleKey,
    within_data: RuleKey,
    sorted: RuleKey,
    no_overlap: RuleKey,
    first_zero: Option<RuleKey>,
    aligned: RuleKey,
    padding_zero: RuleKey,
    trailing: RuleKey,
}

pub(super) static PTE: SegmentRules = SegmentRules {
    end_no_overflow: pte::SEG_END_NO_OVERFLOW.key(),
    abs_no_overflow: pte::SEG_ABS_NO_OVERFLOW.key(),
    within_data: pte::SEG_WITHIN_DATA.key(),
    sorted: pte::SEG_SORTED.key(),
    no_overlap: pte::SEG_NO_OVERLAP.key(),
    first_zero: Some(pte::SEG_FIRST_ZERO.key()),
    aligned: pte::SEG_ALIGNED.key(),
    padding_zero: pte::SEG_PADDING_ZERO.key(),
    trailing: trailing::TR_PTE.key(),
};

pub(super) static PTD: SegmentRules = SegmentRules {
    end_no_overflow: ptd::FT_SEG_END_NO_OVERFLOW.key(),
    abs_no_overflow: ptd::FT_SEG_ABS_NO_OVERFLOW.key(),
    within_data: ptd::FT_SEG_BOUND.key(),
    sorted: ptd::FT_SEG_SORTED.key(),
    no_overlap: ptd::FT_SEG_NO_OVERLAP.key(),
    first_zero: None,
    aligned: ptd::FT_SEG_ALIGNED.key(),
    padding_zero: ptd::FT_SEG_PADDING_ZERO.key(),
    trailing: trailing::TR_PTD.key(),
};

/// One segment's range, relative to the segment base.
#[derive(Clone, Copy)]
pub(super) struct SegmentRange {
    pub(super) offset: u64,
    pub(super) size: u64,
}

impl SegmentRange {
    fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Where the segment data is, and the end of the FlatBuffer before it.
#[derive(Clone, Copy)]
pub(super) struct SegmentBase {
    pub(super) data: SegmentRegion,
    /// Where the FlatBuffer ends in the file.
    pub(super) region_end: u64,
    /// `true` if the header gives a usable position for the segment data. If it does not, the check reports only the
    /// header and does not compare segments with it.
    pub(super) known: bool,
}

impl SegmentBase {
    /// Where the segment data is; `None` if its position is unknown.
    pub(super) fn usable(self) -> Option<SegmentRegion> {
        Some(self.data).filter(|data| self.known && data.base != 0)
    }
}

/// The state of a check that visits the segments in list order.
#[derive(Clone, Copy)]
pub(super) struct SegmentOrder {
    rules: &'static SegmentRules,
    pub(super) base: SegmentBase,
    previous: u64,
    /// The largest end of a segment so far, relative to the segment base.
    pub(super) end: u64,
    /// The smallest offset of a segment, and that segment's index.
    first: Option<(u64, usize)>,
    pub(super) ordered: bool,
    /// `true` if every segment lies inside the segment data.
    pub(super) sound: bool,
}

impl SegmentOrder {
    pub(super) fn new(rules: &'static SegmentRules, base: SegmentBase) -> Self {
        Self { rules, base, previous: 0, end: 0, first: None, ordered: true, sound: base.known }
    }

    /// Checks the next segment in the list; `place` returns the span of the segment's table.
    #[inline]
    pub(super) fn segment(
        &mut self,
        segment: SegmentRange,
        place: &dyn Fn() -> Span,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match self.base.data.place(segment.offset, segment.size) {
            Ok(_) if self.base.known => self.placed(segment, place, path, reporter),
            found => self.misplaced(segment, found.err(), place(), path, reporter),
        }
    }

    #[cold]
    fn misplaced(
        &mut self,
        segment: SegmentRange,
        why: Option<SegmentFault>,
        place: Span,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let SegmentRange { offset, size } = segment;
        let base = self.base.data.base;
        self.sound = false;
        match why {
            Some(SegmentFault::EndWraps) => {
                let message = format_args!("offset {offset} + size {size} does not fit in 64 bits");
                reporter.report(self.rules.end_no_overflow, path, place, message)
            }
            _ if !self.base.known => Ok(()),
            Some(SegmentFault::BaseWraps) => {
                let message = format_args!("base {base} + offset {offset} + size {size} does not fit in 64 bits");
                reporter.report(self.rules.abs_no_overflow, path, place, message)
            }
            Some(SegmentFault::PastData { end, bound }) => {
                let message = format_args!(
                    "the segment ends at {end}, past the end of the segment data at {bound}, both relative to the base"
                );
                reporter.report(self.rules.within_data, path, place, message)
            }
            None => Ok(()),
        }
    }

    /// Checks the order and the alignment of a segment's offset. The segment is inside the segment data.
    #[inline]
    fn placed(
        &mut self,
        segment: SegmentRange,
        place: &dyn Fn() -> Span,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let SegmentRange { offset, size } = segment;
        self.end = self.end.max(segment.end());
        if size == 0 {
            return Ok(());
        }
        if offset < self.previous {
            if self.ordered {
                let before = self.previous;
                let message = format_args!("the segment begins at {offset}, before the previous entry at {before}");
                reporter.report(self.rules.sorted, path, place(), message)?;
            }
            self.ordered = false;
        }
        self.previous = offset;
        if self.first.is_none_or(|(first, _)| offset < first) {
            self.first = Some((offset, path.last_index().unwrap_or(0)));
        }
        if !offset.is_multiple_of(ALIGNMENT) {
            let message = format_args!("offset is {offset}, expected a multiple of {ALIGNMENT}");
            reporter.report(self.rules.aligned, path, place(), message)?;
        }
        Ok(())
    }
}

impl File<'_, '_> {
    /// Checks all segments together: overlaps, if they are not in order, and padding. For an index below `count`, `at`
    /// returns the segment's range and `place` returns the span of its table.
    pub(super) fn check_segments(
        &mut self,
        seen: &SegmentOrder,
        count: usize,
        at: &dyn Fn(usize) -> Option<SegmentRange>,
        place: &dyn Fn(usize) -> Span,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        if let (Some(rule), Some((first @ 1.., index))) = (seen.rules.first_zero, seen.first) {
            let message = format_args!("the first segment begins at {first} relative to the base, expected 0");
            reporter.report(rule, &TABLE, place(index), message)?;
        }
        if !seen.sound {
            return Ok(());
        }
        if seen.ordered {
            let nth = &|index| Some((index, at(index)?));
            return check_gaps(self.bytes, seen, count, nth, place, reporter);
        }
        // Sort offsets and indexes in scratch memory, because reading tables for each comparison would be slow.
        let words = self.scratch.words(2 * count)?;
        let (order, _) = words.as_chunks_mut::<2>();
        for (index, entry) in order.iter_mut().enumerate() {
            *entry = [at(index).map_or(u64::MAX, |segment| segment.offset), index as u64];
        }
        sort_by(order, |one, other| one < other);
        let nth = |place: usize| {
            let index = usize::try_from(order.get(place)?[1]).ok()?;
            Some((index, at(index)?))
        };
        check_gaps(self.bytes, seen, count, &nth, place, reporter)
    }
}

const TABLE: Path<'_> = Path::ROOT.field("segments");

/// Checks `count` segments by offset. `nth` returns a segment and its index in the list. Reports overlaps, nonzero
/// bytes between segments, and bytes after the last segment.
pub(super) fn check_gaps(
    bytes: Bytes<'_>,
    seen: &SegmentOrder,
    count: usize,
    nth: &dyn Fn(usize) -> Option<(usize, SegmentRange)>,
    place: &dyn Fn(usize) -> Span,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    let base = seen.base.data.base;
    let mut end = 0;
    // The empty segment with the largest offset. It overlaps nothing, but the segment data may end there.
    let mut empty = None;
    for (index, segment) in (0..count).filter_map(nth) {
        let SegmentRange { offset, size } = segment;
        if size == 0 {
            empty = empty.max(Some((offset, index)));
            continue;
        }
        if base == 0 || offset == end {
            // A file without segment data has no padding between segments.
        } else if offset > end {
            let gap = Span::new(base + end, offset - end);
            let path = TABLE.index(index);
            expect_zeros(bytes, gap, seen.rules.padding_zero, &path, "the padding between segments", reporter)?;
        } else {
            let message = format_args!("the segment begins at {offset}, before the end of another segment at {end}");
            reporter.report(seen.rules.no_overlap, &TABLE.index(index), place(index), message)?;
        }
        end = end.max(segment.end());
    }
    if let Some((offset, index)) = empty.filter(|(offset, _)| *offset > end) {
        if base != 0 {
            let gap = Span::new(base + end, offset - end);
            let path = TABLE.index(index);
            expect_zeros(bytes, gap, seen.rules.padding_zero, &path, "the padding between segments", reporter)?;
        }
        end = offset;
    }
    let SegmentRegion { base, size, file_len } = seen.base.data;
    let end = if base == 0 { seen.base.region_end } else { base.saturating_add(size.unwrap_or(0).max(end)) };
    if end < file_len {
        let rest = Span::new(end, file_len - end);
        let message = format_args!("{} bytes follow the last part of the file", rest.len);
        reporter.report(seen.rules.trailing, &Path::ROOT, rest, message)?;
    }
    Ok(())
}
