//! Checks a program's stored tensor data: constants, and initial values of mutable tensors.

use crate::Span;
use crate::error::OutOfRange;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, VisitedTable};
use crate::pte::schema::brief::{Buffer, DataSegment, ExtraTensorInfo, Program, SubsegmentOffsets, Tensor};
use crate::rules::{RuleKey, constants, mutable_data};

use super::super::finding::Reporter;
use super::super::segments::{ALIGNMENT, SegmentBase, SegmentRange};
use super::super::source::{Bytes, ReadError};

/// A gap after a constant is padding only if it is shorter than this. A longer gap may have another purpose.
pub(in crate::check) const PADDING: u64 = 256;

pub(super) struct Storage<'a, 'm> {
    program: Option<Program<'a>>,
    constants: Constants<'a>,
    base: SegmentBase,
    pub(super) bytes: Bytes<'m>,
    /// The first span of padding that could not be read.
    pub(super) unread: Option<Span>,
    /// `true` if a finding reports a tensor whose constant begins past the end of the constant segment.
    past_constants: bool,
    /// `true` if a finding reports a tensor whose initial value begins past the end of a mutable data segment.
    past_mutable: bool,
    /// `true` if a finding reports a tensor whose `mutable_data_segments` entry has an invalid segment index.
    pub(super) wrong_mutable_index: bool,
}

#[derive(Clone, Copy)]
enum Constants<'a> {
    /// The constants are in a segment of `size` bytes, at these `offsets`.
    Segment { offsets: Vector<'a, u64>, size: Option<u64>, start: Option<u64> },
    /// The constants are in buffers in the FlatBuffer, as written by releases without constant segments.
    Buffers(Option<Vector<'a, Buffer<'a>>>),
    /// A table is faulty, so the place is unknown. The verification pass reports the table.
    Unknown,
}

impl<'a, 'm> Storage<'a, 'm> {
    pub(super) fn new(program: Option<Program<'a>>, base: SegmentBase, bytes: Bytes<'m>) -> Self {
        let constants = program.and_then(|program| constants_of(program, base)).unwrap_or(Constants::Unknown);
        let (past_constants, past_mutable, wrong_mutable_index) = (false, false, false);
        Self { program, constants, base, bytes, unread: None, past_constants, past_mutable, wrong_mutable_index }
    }

    /// Returns whether the program's list of segments is absent; `false` for a faulty list.
    pub(super) fn without_segments(&self) -> bool {
        self.program.is_some_and(|program| matches!(program.segments(), Ok(None)))
    }

    /// Returns whether the program's list of inline blobs is absent; `false` for a faulty list.
    pub(super) fn without_blobs(&self) -> bool {
        self.program.is_some_and(|program| matches!(program.backend_delegate_data(), Ok(None)))
    }

    /// Checks a tensor's stored data. `index` refers to an initial value if the tensor has planned memory, and
    /// otherwise to a constant.
    pub(super) fn tensor(
        &mut self,
        tensor: &VisitedTable<'_, 'a, Tensor<'a>>,
        index: u32,
        planned: bool,
        bytes: Option<u64>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        if planned {
            return self.initial_value(tensor.view(), index, bytes, path, reporter);
        }
        let at = || tensor.place("data_buffer_idx");
        let own = &path.field("data_buffer_idx");
        match self.constants {
            Constants::Unknown => Ok(()),
            Constants::Segment { offsets, size, start } => {
                let Some(offset) = offsets.get(index as usize) else {
                    let message = format_args!("{}", OutOfRange::new(index, offsets.len()));
                    return reporter.report(&constants::CONST_BUFFER_IDX, own, at(), message);
                };
                let Some(size) = size else { return Ok(()) };
                let Some(left) = size.checked_sub(offset) else {
                    self.past_constants = true;
                    let message =
                        format_args!("offset {offset} of constant {index} is past the end of the segment at {size}");
                    return reporter.report(&constants::CONST_OFFSET_BOUND, own, at(), message);
                };
                let Some(bytes) = bytes else { return Ok(()) };
                if bytes > left {
                    let message = format_args!(
                        "offset {offset} + {bytes} bytes of constant {index} exceeds the {size} bytes of the segment"
                    );
                    return reporter.report(&constants::CONST_OFFSET_BOUND, own, at(), message);
                }
                let Some(next) = offsets.get(index as usize + 1).filter(|next| *next >= offset) else { return Ok(()) };
                let end = offset + bytes;
                if end > next {
                    let message =
                        format_args!("constant {index} ends at {end}, past the start of the next constant at {next}");
                    return reporter.report(&constants::CONST_OFFSET_NEXT, own, at(), message);
                }
                let padding = start.map(|start| Span::new(start + end, next - end));
                match padding.filter(|padding| padding.len > 0 && padding.len < PADDING && next <= size) {
                    Some(padding) => self.padding(padding, own, reporter),
                    None => Ok(()),
                }
            }
            Constants::Buffers(buffers) => legacy(buffers, index, bytes, own, at(), reporter),
        }
    }

    fn padding(&mut self, padding: Span, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        if reporter.must_only() && padding.slice(self.bytes.head).is_some() {
            return Ok(());
        }
        match self.bytes.first_nonzero(padding) {
            Ok(None) => Ok(()),
            Err(ReadError) => {
                self.unread.get_or_insert(padding);
                Ok(())
            }
            Ok(Some(at)) => {
                let message = format_args!(
                    "byte {at:#x} is not zero; the padding after the constant is {:#x} to {:#x}",
                    padding.offset,
                    padding.end()
                );
                reporter.report(&constants::CONST_PADDING_ZERO, path, Span::new(at, 1), message)
            }
        }
    }

    fn initial_value(
        &mut self,
        tensor: Tensor<'a>,
        index: u32,
        bytes: Option<u64>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let Some(program) = self.program else { return Ok(()) };
        let Ok(lists) = program.mutable_data_segments() else { return Ok(()) };
        let extra = tensor.extra_tensor_info().ok().flatten();
        let list = extra.map_or(Ok(0), ExtraTensorInfo::mutable_data_segments_idx).unwrap_or(0);
        let (own, at) = (&path.field("data_buffer_idx"), tensor.place("data_buffer_idx"));
        if list != 0
            && let Some(extra) = extra
        {
            let path = &path.field("extra_tensor_info");
            let (path, at) = (&path.field("mutable_data_segments_idx"), extra.place("mutable_data_segments_idx"));
            let count = lists.map_or(0, Vector::len);
            if list >= count as u64 {
                let message = format_args!("{}", OutOfRange::new(list, count));
                return reporter.report(&mutable_data::MUT_IDX_RANGE, path, at, message);
            }
            let message =
                format_args!("mutable_data_segments_idx is {list}, expected 0; readers disagree about other values");
            reporter.report(&mutable_data::MUT_IDX_ZERO, path, at, message)?;
        }
        let subsegments = match lists.and_then(|lists| lists.get(usize::try_from(list).ok()?)) {
            Some(Ok(subsegments)) => subsegments,
            Some(Err(_)) => return Ok(()),
            None => {
                let message =
                    format_args!("the tensor has an initial value, but mutable_data_segments has no entry {list}");
                return reporter.report(&mutable_data::MUT_IDX_RANGE, own, at, message);
            }
        };
        let offsets = match subsegments.offsets() {
            Ok(Some(offsets)) => offsets,
            Ok(None) => {
                let message = format_args!("offsets of mutable_data_segments[{list}] is absent");
                return reporter.report(&mutable_data::MUT_IDX_RANGE, own, at, message);
            }
            Err(_) => return Ok(()),
        };
        let Some(offset) = offsets.get(index as usize) else {
            let message = format_args!("{}", OutOfRange::new(index, offsets.len()));
            return reporter.report(&mutable_data::MUT_IDX_RANGE, own, at, message);
        };
        if let (Ok(Some(segments)), Ok(segment)) = (program.segments(), subsegments.segment_index())
            && segment as usize >= segments.len()
        {
            // If several tensors use an entry with an invalid segment index, report only the first.
            if core::mem::replace(&mut self.wrong_mutable_index, true) {
                return Ok(());
            }
            let path = &Path::ROOT.field("mutable_data_segments");
            let path = &path.index(usize::try_from(list).unwrap_or(usize::MAX));
            let at = subsegments.place("segment_index");
            let message = format_args!("{}", OutOfRange::new(segment, segments.len()));
            return reporter.report(&mutable_data::MUT_SEG_INDEX, &path.field("segment_index"), at, message);
        }
        let Some((size, _)) = segment_of(program, subsegments, self.base) else { return Ok(()) };
        if self.base.data.base == 0 && size == 0 && self.base.known {
            let message = format_args!("the tensor has an initial value, but the file has no segment data");
            return reporter.report(&mutable_data::MUT_NEEDS_HEADER, own, at, message);
        }
        let Some(left) = size.checked_sub(offset) else {
            self.past_mutable = true;
            let message =
                format_args!("offset {offset} of initial value {index} is past the end of the segment at {size}");
            return reporter.report(&mutable_data::MUT_BOUND, own, at, message);
        };
        match bytes {
            Some(bytes) if bytes > left => {
                let message = format_args!(
                    "offset {offset} + {bytes} bytes of initial value {index} exceeds the {size} bytes of the segment"
                );
                reporter.report(&mutable_data::MUT_BOUND, own, at, message)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn offsets(
        &self,
        subsegments: SubsegmentOffsets<'a>,
        mutable: bool,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let Some(program) = self.program.filter(|_| !reporter.must_only()) else { return Ok(()) };
        let path = &path.field("offsets");
        let offsets = match subsegments.offsets() {
            Ok(Some(offsets)) if !offsets.is_empty() => offsets,
            Ok(_) if mutable => return Ok(()),
            Ok(found) => {
                let at = found.map_or(subsegments.table().span(), Vector::count_span);
                let message = format_args!(
                    "the constant segment has no offsets, expected at least the placeholder; readers disagree"
                );
                return reporter.report(&constants::CONST_OFFSETS_PLACEHOLDER, path, at, message);
            }
            Err(_) => return Ok(()),
        };
        if let Some(first @ 1..) = offsets.get(0) {
            let rule = if mutable { mutable_data::MUT_PLACEHOLDER.key() } else { constants::CONST_OFFSETS0_ZERO.key() };
            let message = format_args!("the placeholder is {first}, expected 0");
            reporter.report(rule, &path.index(0), offsets.element_span(0), message)?;
        }
        let size = segment_of(program, subsegments, self.base).map(|(size, _)| size);
        let (rule, used) = match mutable {
            true => (mutable_data::MUT_OFFSET_UNUSED.key(), self.past_mutable),
            false => (constants::CONST_OFFSET_UNUSED.key(), self.past_constants),
        };
        if let Some(size) = size.filter(|_| !used) {
            first_offset(rule, offsets, path, reporter, |_, offset, _| {
                (offset > size).then_some(("past the end of the segment at", size))
            })?;
        }
        if mutable {
            return Ok(());
        }
        // The closures skip the first offset: it is a placeholder that has its own rule.
        let unsorted = |index, offset, previous| {
            (index > 1 && offset < previous).then_some(("expected at least the offset before it,", previous))
        };
        first_offset(constants::CONST_OFFSETS_SORTED.key(), offsets, path, reporter, unsorted)?;
        let misaligned = |index, offset: u64, _| {
            (index > 0 && !offset.is_multiple_of(ALIGNMENT)).then_some(("expected a multiple of", ALIGNMENT))
        };
        first_offset(constants::CONST_OFFSET_ALIGNED.key(), offsets, path, reporter, misaligned)
    }
}

/// Reports the first wrong offset in a list as a violation of `rule`. `wrong` takes an index, its offset and the
/// previous offset. If the offset is wrong, it returns the bound and the words before it in the message.
fn first_offset(
    rule: RuleKey,
    offsets: Vector<'_, u64>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
    wrong: impl Fn(usize, u64, u64) -> Option<(&'static str, u64)>,
) -> Flow {
    let mut previous = 0;
    for (index, offset) in offsets.iter().enumerate() {
        if let Some((what, bound)) = wrong(index, offset, previous) {
            let message = format_args!("offset is {offset}, {what} {bound}");
            return reporter.report(rule, &path.index(index), offsets.element_span(index), message);
        }
        previous = offset;
    }
    Ok(())
}

fn constants_of<'a>(program: Program<'a>, base: SegmentBase) -> Option<Constants<'a>> {
    let subsegments = program.constant_segment().ok()?;
    let offsets = match subsegments {
        Some(subsegments) => subsegments.offsets().ok()?,
        None => None,
    };
    match (subsegments, offsets) {
        (Some(subsegments), Some(offsets)) if offsets.len() > 1 => {
            let place = segment_of(program, subsegments, base);
            Some(Constants::Segment {
                offsets,
                size: place.map(|(size, _)| size),
                start: place.and_then(|(_, start)| start),
            })
        }
        _ => program.constant_buffer().ok().map(Constants::Buffers),
    }
}

/// Returns the size of the segment that `subsegments` refers to and, if known, the segment's position in the file.
pub(super) fn segment_of(
    program: Program<'_>,
    subsegments: SubsegmentOffsets<'_>,
    base: SegmentBase,
) -> Option<(u64, Option<u64>)> {
    let index = subsegments.segment_index().ok()?;
    let segment = segment_at(program.segments().ok()??.get(index as usize)?.ok()?)?;
    let placed = base.known.then(|| base.data.place(segment.offset, segment.size).ok()).flatten();
    Some((segment.size, placed.filter(|_| base.data.base != 0).map(|span| span.offset)))
}

fn legacy(
    buffers: Option<Vector<'_, Buffer<'_>>>,
    index: u32,
    bytes: Option<u64>,
    path: &Path<'_>,
    at: Span,
    reporter: &mut impl Reporter,
) -> Flow {
    let rule = constants::CONST_BUFFER_LEGACY.key();
    let Some(buffers) = buffers.filter(|buffers| !buffers.is_empty()) else {
        let message = format_args!("constant {index} is used, but the program has no constant offsets and no buffers");
        return reporter.report(&constants::CONST_BUFFER_IDX, path, at, message);
    };
    let buffer = match buffers.get(index as usize) {
        Some(Ok(buffer)) => buffer,
        Some(Err(_)) => return Ok(()),
        None => {
            let message = format_args!("{}", OutOfRange::new(index, buffers.len()));
            return reporter.report(rule, path, at, message);
        }
    };
    match (buffer.storage(), bytes) {
        (Ok(None), _) => {
            let message = format_args!("storage of constant_buffer[{index}] is absent");
            reporter.report(rule, path, at, message)
        }
        (Ok(Some(storage)), Some(bytes)) if bytes > storage.len() as u64 => {
            let message = format_args!("constant {index} has {bytes} bytes, but its buffer has {}", storage.len());
            reporter.report(rule, path, at, message)
        }
        _ => Ok(()),
    }
}

pub(super) fn segment_at(segment: DataSegment<'_>) -> Option<SegmentRange> {
    Some(SegmentRange { offset: segment.offset().ok()?, size: segment.size().ok()? })
}
