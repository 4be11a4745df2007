//! Data files: header, FlatBuffer in either layout, segments, names.

mod header;
mod older;
mod tables;

use crate::Span;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, Visited, walk};
use crate::flatbuffer::{Str, Vector};
use crate::ptd::Layout;
use crate::ptd::header as layout;
use crate::ptd::older_schema::OlderFlatTensor;
use crate::ptd::schema::{DataSegment, FlatTensor};
use crate::rules::{Rule, flat_tensor as rules, ptd_header};
use crate::segment::Data;

use super::envelope::{Envelope, Tables, tally};
use super::finding::Reporter;
use super::metadata;
use super::names::equal_names;
use super::references::{References, Role};
use super::segments::{Base, PTD, Seen, Segment};
use super::{File, Halt, Kind, Limit, Stop, expect_zeros};

impl File<'_, '_> {
    pub(super) fn check_ptd(&mut self, reporter: &mut Reporter<'_>) -> Result<(), Halt> {
        let Some(checked) = header::check(self.image, self.options.target, reporter)? else { return Ok(()) };
        let Some(region) = self.region(checked.end, reporter)? else { return Ok(()) };
        let layout = crate::flatbuffer::root(region).ok().map(|root| Layout::of(root, self.options.limits));
        if let Some(Layout::Older(root)) = layout {
            self.kind = Kind::PtdLegacy;
            let segments = root.segments().ok().flatten();
            let alignment = root.tensor_alignment().unwrap_or(0);
            let tables = |common| older::OlderTables { common, tensors: None, named: None, alignment };
            return self.check_layout::<OlderFlatTensor<'_>, _>(&checked, region, segments, tables, reporter);
        }
        let segments = match layout {
            Some(Layout::Current(root)) => root.segments().ok().flatten(),
            _ => None,
        };
        let tables = |common| tables::CurrentTables { common, named: None, bytes: None };
        self.check_layout::<FlatTensor<'_>, _>(&checked, region, segments, tables, reporter)
    }

    /// Walks the FlatBuffer as one of the two layouts, and checks what the two share.
    fn check_layout<'a, T: TableView<'a>, F: Names<'a>>(
        &mut self,
        checked: &header::Checked,
        region: &'a [u8],
        segments: Option<Vector<'a, DataSegment<'a>>>,
        format: impl FnOnce(Common<'a>) -> F,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let header = checked.header;
        let data =
            Data { base: header.segment_base_offset, size: Some(header.segment_data_size), file_len: self.image.len() };
        let base = Base { data, region_end: region.len() as u64, known: checked.data_known };
        let common = Common { segments, seen: Seen::new(&PTD, base), metadata: false };
        let pass = Envelope::new(format(common), reporter);
        let (pass, counted, flow) = walk::<T, _>(region, self.options.limits, pass);
        self.tally = counted;
        flow?;
        let Envelope { format, first_part, last_part, faults, .. } = pass;
        tally(counted, region, reporter)?;
        for list in 0..F::LISTS {
            let name = |index| format.name(list, index);
            equal_names(format.len(list), &name, &mut *self.memory, &mut |later, earlier| {
                let (rule, list, key) = F::list(list);
                let path = &Path::ROOT.field(list);
                let path = &path.index(later);
                let place = name(later).map_or(Span::new(0, 0), Str::span);
                let message = format_args!("{key} is that of {list}[{earlier}] too");
                reporter.report(rule, &path.field(key), place, message)
            })?;
        }
        if faults > 0 {
            return Ok(());
        }
        self.check_references(&format, segments, reporter)?;
        if format.common().metadata {
            self.check_blob_metadata(&format, segments, base, reporter)?;
        }
        let Common { seen, .. } = format.into_common();
        self.check_around_header(checked, first_part, last_part, reporter)?;
        if seen.sound && header.segment_data_size != seen.end {
            let (size, end) = (header.segment_data_size, seen.end);
            let message = format_args!("segment_data_size is {size} and the last segment ends at {end}");
            let path = Path::ROOT.field("header");
            let path = path.field("segment_data_size");
            reporter.report(&ptd_header::FH_DATA_EXACT, &path, layout::SEGMENT_DATA_SIZE_SPAN, message)?;
        }
        let count = segments.map_or(0, Vector::len);
        let at = |index: usize| segment_at(segments?.get(index)?.ok()?);
        self.check_segments(&seen, count, &at, reporter)
    }

    fn check_references<'a, F: Names<'a>>(
        &mut self,
        format: &F,
        segments: Option<Vector<'a, DataSegment<'a>>>,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let Some(segments) = segments else { return Ok(()) };
        let references = References::new(segments.len(), 0, &mut *self.memory);
        let mut references = references.ok_or(Stop::Limit(Limit::Scratch))?;
        // A reference that leads nowhere may have been meant for a segment that nothing else refers to.
        let mut astray = false;
        for list in 0..F::LISTS {
            for index in (0..format.len(list)).filter_map(|index| format.segment_index(list, index)) {
                references.note(index, Role::Named);
                astray |= index as usize >= segments.len();
            }
        }
        if astray {
            return Ok(());
        }
        for index in references.unreferenced() {
            let segment = segments.get(index).and_then(|segment| segment_at(segment.ok()?));
            if let Some(segment) = segment.filter(|segment| segment.size > 0) {
                let path = &Path::ROOT.field("segments");
                let message = format_args!("nothing refers to segment {index}");
                reporter.report(&rules::FT_SEG_REFERENCED, &path.index(index), segment.place, message)?;
            }
        }
        Ok(())
    }

    fn check_blob_metadata<'a, F: Names<'a>>(
        &mut self,
        format: &F,
        segments: Option<Vector<'a, DataSegment<'a>>>,
        base: Base,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let mut budget = metadata::Budget::FULL;
        let placed = base.known;
        let data = base.data;
        for list in 0..F::LISTS {
            let (_, field, key) = F::list(list);
            if key != "key" {
                continue;
            }
            let path = &Path::ROOT.field(field);
            for index in 0..format.len(list) {
                let Some(key) = format.name(list, index).filter(|key| metadata::covers(*key)) else { continue };
                let segment = |index: u32| segment_at(segments?.get(index as usize)?.ok()?);
                let segment = format.segment_index(list, index).and_then(segment);
                let value =
                    segment.filter(|_| placed).and_then(|segment| data.place(segment.offset, segment.size).ok());
                metadata::check(key, value, &mut budget, &mut *self.gaps, &path.index(index), reporter)?;
            }
        }
        Ok(())
    }

    /// Where the header stands against the FlatBuffer around it, and the bytes that belong to neither.
    fn check_around_header(
        &mut self,
        checked: &header::Checked,
        first_part: u64,
        last_part: u64,
        reporter: &mut Reporter<'_>,
    ) -> Result<(), Halt> {
        let path = &Path::ROOT.field("header");
        let rule = &ptd_header::FH_PADDING_ZERO;
        let header::Checked { header, end, data_known } = *checked;
        let header_end = layout::OFFSET + u64::from(header.length.max(layout::MIN_LENGTH));
        let fields_end = layout::OFFSET + u64::from(layout::MIN_LENGTH);
        if first_part < fields_end {
            let message = format_args!(
                "the FlatBuffer has a part at {first_part}, inside the header, which ends at {fields_end}"
            );
            let at = Span::new(first_part, 4);
            reporter.report(&crate::rules::envelope::FB_ROOT_NOT_IN_HEADER, &Path::ROOT, at, message)?;
        } else {
            let start = header_end.min(first_part);
            let padding = Span::new(start, first_part - start);
            expect_zeros(self.gaps, padding, rule, path, "the padding behind the header", reporter)?;
        }
        let base = header.segment_base_offset;
        let stop = if data_known && base >= end { base } else { end };
        let gap = Span::new(last_part, stop.saturating_sub(last_part));
        expect_zeros(self.gaps, gap, rule, path, "the gap before the segments", reporter)
    }
}

/// What both layouts' checks keep.
struct Common<'a> {
    segments: Option<Vector<'a, DataSegment<'a>>>,
    seen: Seen,
    /// Some blob is metadata.
    metadata: bool,
}

/// A layout's lists of names, for what is asked of whole lists.
trait Names<'a>: Tables<'a> {
    const LISTS: usize;
    /// The rule that names differ, the list's field, and the name's.
    fn list(list: usize) -> (&'static Rule, &'static str, &'static str);
    fn len(&self, list: usize) -> usize;
    fn name(&self, list: usize, index: usize) -> Option<Str<'a>>;
    fn segment_index(&self, list: usize, index: usize) -> Option<u32>;
    fn common(&self) -> &Common<'a>;
    fn into_common(self) -> Common<'a>;
}

/// A data file's segment, as the arithmetic wants it; `None` when its table cannot be read.
fn segment_at(segment: DataSegment<'_>) -> Option<Segment> {
    Some(Segment { offset: segment.offset().ok()?, size: segment.size().ok()?, place: segment.table().span() })
}

impl<'a> Common<'a> {
    #[inline]
    fn segment(
        &mut self,
        segment: &Visited<'_, 'a, DataSegment<'a>>,
        path: &Path<'_>,
        reporter: &mut Reporter<'_>,
    ) -> Flow {
        match segment_at(segment.view()) {
            Some(segment) => self.seen.segment(segment, path, reporter),
            None => {
                self.seen.sound = false;
                Ok(())
            }
        }
    }

    /// The size of the segment at `index`, or the count of segments when there is none.
    fn size(&self, index: u32) -> Result<Option<u64>, usize> {
        match self.segments {
            None => Ok(None),
            Some(segments) => match segments.get(index as usize) {
                None => Err(segments.len()),
                Some(segment) => Ok(segment.ok().and_then(|segment| segment.size().ok())),
            },
        }
    }
}
