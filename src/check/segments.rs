//! Segment tables, the same arithmetic for programs and data files: each segment in its bounds, and all of them together.

use crate::flatbuffer::walk::{Flow, Path};
use crate::rules::{Rule, flat_tensor as ptd, segments as pte, trailing};
use crate::{Limit, Span};

use super::finding::Reporter;
use super::{File, Gaps, Halt, Stop, expect_zeros};

/// The smallest alignment that exporters give to tensors; a segment's own alignment is not recorded in a file.
pub(super) const ALIGNMENT: u64 = 16;

/// The rules of one format's segment table.
pub(super) struct Rules {
    end_no_overflow: &'static Rule,
    abs_no_overflow: &'static Rule,
    within_data: &'static Rule,
    sorted: &'static Rule,
    no_overlap: &'static Rule,
    first_zero: Option<&'static Rule>,
    aligned: &'static Rule,
    padding_zero: &'static Rule,
    trailing: &'static Rule,
}

pub(super) static PTE: Rules = Rules {
    end_no_overflow: &pte::SEG_END_NO_OVERFLOW,
    abs_no_overflow: &pte::SEG_ABS_NO_OVERFLOW,
    within_data: &pte::SEG_WITHIN_DATA,
    sorted: &pte::SEG_SORTED,
    no_overlap: &pte::SEG_NO_OVERLAP,
    first_zero: Some(&pte::SEG_FIRST_ZERO),
    aligned: &pte::SEG_ALIGNED,
    padding_zero: &pte::SEG_PADDING_ZERO,
    trailing: &trailing::TR_PTE,
};

pub(super) static PTD: Rules = Rules {
    end_no_overflow: &ptd::FT_SEG_END_NO_OVERFLOW,
    abs_no_overflow: &ptd::FT_SEG_ABS_NO_OVERFLOW,
    within_data: &ptd::FT_SEG_BOUND,
    sorted: &ptd::FT_SEG_SORTED,
    no_overlap: &ptd::FT_SEG_NO_OVERLAP,
    first_zero: None,
    aligned: &ptd::FT_SEG_ALIGNED,
    padding_zero: &ptd::FT_SEG_PADDING_ZERO,
    trailing: &trailing::TR_PTD,
};

/// One segment: where it is, from the base.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub(super) offset: u64,
    pub(super) size: u64,
    /// Its table's bytes.
    pub(super) place: Span,
}

impl Segment {
    fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

/// Where the data behind the FlatBuffer is.
#[derive(Clone, Copy)]
pub(super) struct Base {
    /// From the file's start.
    pub(super) offset: u64,
    /// Bytes of data; `None` where the header does not say.
    pub(super) size: Option<u64>,
    pub(super) file_len: u64,
    /// Where the FlatBuffer ends.
    pub(super) region_end: u64,
    /// The header's word on all this can be relied on; if not, that has been reported, and segments are measured against
    /// nothing.
    pub(super) known: bool,
}

impl Base {
    /// The bound that a segment's end must keep, from the base.
    fn bound(self) -> u64 {
        let left = self.file_len.saturating_sub(self.offset);
        self.size.unwrap_or(left).min(left)
    }
}

/// What has been seen of a segment table so far, segment by segment in table order.
pub(super) struct Seen {
    rules: &'static Rules,
    pub(super) base: Base,
    previous: u64,
    /// Where the data ends, from the base.
    pub(super) end: u64,
    first: Option<(u64, Span)>,
    ordered: bool,
    /// Every segment is in its bounds.
    pub(super) sound: bool,
}

impl Seen {
    pub(super) fn new(rules: &'static Rules, base: Base) -> Self {
        Self { rules, base, previous: 0, end: 0, first: None, ordered: true, sound: base.known }
    }

    /// The next segment of the table.
    pub(super) fn segment(&mut self, segment: Segment, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let Segment { offset, size, place } = segment;
        let base = self.base.offset;
        let end = match offset.checked_add(size) {
            Some(end) => end,
            None => {
                self.sound = false;
                let message = format_args!("offset {offset} + size {size} does not fit into 64 bits");
                return reporter.report(self.rules.end_no_overflow, path, place, message);
            }
        };
        if !self.base.known {
            return Ok(());
        }
        if base.checked_add(end).is_none() {
            self.sound = false;
            let message = format_args!("base {base} + offset {offset} + size {size} does not fit into 64 bits");
            return reporter.report(self.rules.abs_no_overflow, path, place, message);
        }
        let bound = self.base.bound();
        if end > bound && size > 0 {
            self.sound = false;
            let message = format_args!("segment ends at {end} from the base, past the data's end at {bound}");
            return reporter.report(self.rules.within_data, path, place, message);
        }
        if offset < self.previous && size > 0 {
            if self.ordered {
                let before = self.previous;
                let message =
                    format_args!("segment begins at {offset}, before the one before it in the table at {before}");
                reporter.report(self.rules.sorted, path, place, message)?;
            }
            self.ordered = false;
        }
        if size > 0 {
            if !offset.is_multiple_of(ALIGNMENT) {
                let message = format_args!("offset {offset} is not a multiple of {ALIGNMENT}");
                reporter.report(self.rules.aligned, path, place, message)?;
            }
            if self.first.is_none_or(|(first, _)| offset < first) {
                self.first = Some((offset, place));
            }
            if self.ordered && offset < self.end {
                self.overlap(segment, path, reporter)?;
            }
            self.previous = offset;
            self.end = self.end.max(end);
        }
        Ok(())
    }

    fn overlap(&self, segment: Segment, path: &Path<'_>, reporter: &mut Reporter<'_>) -> Flow {
        let message = format_args!("segment begins at {}, before another ends at {}", segment.offset, self.end);
        reporter.report(self.rules.no_overlap, path, segment.place, message)
    }
}

impl File<'_, '_> {
    /// What holds of the segments together, once each has been seen: overlap where they are out of order, and padding.
    ///
    /// `at` gives the segment at an index of the table, `count` of them.
    pub(super) fn check_segments(
        &mut self,
        seen: Seen,
        count: usize,
        at: &dyn Fn(usize) -> Option<Segment>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        if let (Some(rule), Some((first @ 1.., place))) = (seen.rules.first_zero, seen.first) {
            let message = format_args!("the first segment begins at {first} from the base, not at 0");
            reporter.report(rule, &TABLE, place, message)?;
        }
        if !seen.sound {
            return Ok(());
        }
        if seen.ordered {
            let inside = (0..count).filter_map(|index| Some((index, at(index)?)));
            return check_gaps(&mut *self.gaps, seen, inside, false, reporter);
        }
        let order = self.memory.words(count).ok_or(Halt::Stop(Stop::Limit(Limit::Scratch)))?;
        for (index, word) in order.iter_mut().enumerate() {
            *word = index as u64;
        }
        let nth = |word: &u64| usize::try_from(*word).ok().and_then(|index| Some((index, at(index)?)));
        order.sort_unstable_by_key(|word| nth(word).map(|(_, segment)| (segment.offset, segment.size)));
        check_gaps(&mut *self.gaps, seen, order.iter().filter_map(nth), true, reporter)
    }
}

const TABLE: Path<'_> = Path::ROOT.field("segments");

/// Walks the segments by offset: overlap where `ask_overlap`, zeros between them, and what is behind the last.
fn check_gaps(
    gaps: &mut dyn Gaps,
    mut seen: Seen,
    segments: impl Iterator<Item = (usize, Segment)>,
    ask_overlap: bool,
    reporter: &mut Reporter<'_>,
) -> Result<(), Halt> {
    seen.end = 0;
    for (index, segment) in segments.filter(|(_, segment)| segment.size > 0) {
        let path = TABLE.index(index);
        if segment.offset < seen.end {
            if ask_overlap {
                seen.overlap(segment, &path, reporter)?;
            }
        } else {
            let gap = Span::new(seen.base.offset + seen.end, segment.offset - seen.end);
            expect_zeros(gaps, gap, seen.rules.padding_zero, &path, "the padding between segments", reporter)?;
        }
        seen.end = seen.end.max(segment.end());
    }
    let Base { offset, size, file_len, region_end, .. } = seen.base;
    let end = if offset == 0 { region_end } else { offset.saturating_add(size.unwrap_or(0).max(seen.end)) };
    if end < file_len {
        let behind = Span::new(end, file_len - end);
        let message = format_args!("{} bytes follow the last part of the file", behind.len);
        reporter.report(seen.rules.trailing, &Path::ROOT, behind, message)?;
    }
    Ok(())
}
