//! The segment table: segments in order, aligned, inside the data and with zeros between them, each in one role.

use super::super::segments::ALIGNMENT;
use super::super::source::{Bytes, all_zero};
use super::super::{Options, Target};
use super::object::{Visit, VtableShape};
use super::require;
use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::Visited;
use crate::segment::SegmentRegion;

/// The role in which a segment is used, as one bit of a segment's second word.
#[derive(Clone, Copy)]
#[repr(u64)]
pub(super) enum SegmentRole {
    Constant = 1 << 60,
    Mutable = 1 << 61,
    Delegate = 1 << 62,
    Named = 1 << 63,
}

/// The bits of a segment's second word that contain the size. The other bits contain the roles.
const SIZE: u64 = (1 << 60) - 1;

/// The segments of a file, and their uses.
pub(super) struct Segments<'m> {
    pub(super) data: SegmentRegion,
    /// The offset of each segment, and its size with its roles.
    places: &'m mut [[u64; 2]],
    /// The number of segments with bytes that nothing has used yet.
    unused: usize,
    /// The end of the last segment, relative to the base.
    end: u64,
}

impl<'m> Segments<'m> {
    /// Visits a list of segments. The closure `range` returns the offset and the size of a segment.
    ///
    /// The length of `words` must be twice the number of segments.
    pub(super) fn visit<'a, T: TableView<'a>>(
        visit: &mut Visit<'a>,
        list: Option<Vector<'a, T>>,
        range: impl Fn(&Visited<'_, 'a, T>) -> [u64; 2],
        (data, bytes): (SegmentRegion, Bytes<'_>),
        words: &'m mut [u64],
    ) -> Option<Self> {
        let (places, _) = words.as_chunks_mut::<2>();
        let mut shape = [VtableShape::<T, 2>::NONE];
        for (place, position) in places.iter_mut().zip(visit.positions(list.unwrap_or(Vector::EMPTY))) {
            *place = range(&visit.table(position?, &mut shape)?);
        }
        let bound = if data.base == 0 { 0 } else { data.file_len.saturating_sub(data.base) };
        let (mut end, mut empty, mut unused, mut sizes) = (0, 0, 0, 0);
        for [offset, size] in places.iter().copied() {
            let segment_end = offset.saturating_add(size);
            require!(segment_end <= bound);
            if size == 0 {
                empty = empty.max(offset);
                continue;
            }
            require!(offset.is_multiple_of(ALIGNMENT));
            require!(offset >= end);
            zeros(bytes, Span::new(data.base + end, offset - end))?;
            end = segment_end;
            sizes |= size;
            unused += 1;
        }
        require!(sizes <= SIZE);
        if empty > end {
            zeros(bytes, Span::new(data.base + end, empty - end))?;
            end = empty;
        }
        Some(Self { data, places, unused, end })
    }

    /// Whether the first segment with bytes is at the start of the data.
    pub(super) fn begin_at_base(&self) -> bool {
        self.places.iter().find(|[_, size]| size & SIZE > 0).is_none_or(|[offset, _]| *offset == 0)
    }

    /// Records a use of the segment at `index` and returns the segment's offset and size.
    #[inline]
    pub(super) fn refer(&mut self, index: u32, role: SegmentRole) -> Option<[u64; 2]> {
        let [offset, size] = self.places.get_mut(index as usize)?;
        let (before, bytes) = (*size & !SIZE, *size & SIZE);
        require!(before == 0 || before == role as u64);
        self.unused -= usize::from(before == 0 && bytes > 0);
        *size = bytes | role as u64;
        Some([*offset, bytes])
    }

    /// The span of a segment in the file.
    pub(super) fn place(&self, [offset, size]: [u64; 2]) -> Span {
        Span::new(self.data.base + offset, size)
    }

    /// Checks all segments together: every segment with bytes is used, the stated size is exact, and nothing follows.
    pub(super) fn finish(&self, region_end: u64) -> Option<()> {
        let SegmentRegion { base, size, file_len } = self.data;
        require!(self.unused == 0);
        if base == 0 {
            require!(region_end == file_len);
            return Some(());
        }
        require!(size.is_none_or(|size| size == self.end));
        require!(base + self.end == file_len);
        Some(())
    }
}

/// Checks where the header places the segment data. `end` is the position of the FlatBuffer's end.
pub(super) fn data_place(data: SegmentRegion, end: u64, options: &Options) -> Option<()> {
    let SegmentRegion { base, size, file_len } = data;
    // A file without data has neither a base nor a size.
    require!(size.is_none_or(|size| (size == 0) == (base == 0)));
    require!(base == 0 || base >= end);
    require!(base.is_multiple_of(ALIGNMENT));
    require!(options.target == Target::Bits64 || file_len <= u64::from(u32::MAX));
    Some(())
}

/// Checks that all bytes between the header, the used part of the FlatBuffer and the segment data are zero.
pub(super) fn padding(bytes: Bytes<'_>, header_end: u64, used: Span, data_start: u64) -> Option<()> {
    require!(used.offset >= header_end);
    zeros(bytes, Span::new(header_end, used.offset - header_end))?;
    zeros(bytes, Span::new(used.end(), data_start - used.end()))
}

/// Checks that all bytes of a span are zero.
#[inline]
pub(super) fn zeros(bytes: Bytes<'_>, span: Span) -> Option<()> {
    if span.len == 0 || span.slice(bytes.head).is_some_and(all_zero) {
        return Some(());
    }
    require!(bytes.first_nonzero(span) == Ok(None));
    Some(())
}
