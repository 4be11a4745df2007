//! Checks data files: the header, the FlatBuffer in the current or the legacy layout, the segments and the names.

mod header;
mod layout_rules;
mod legacy;
pub(in crate::check) mod scratch;
mod tables;

use crate::Span;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, walk};
use crate::flatbuffer::{Broken, Table, Vector};
use crate::ptd::FlatTensorHeader;
use crate::ptd::Layout;
use crate::ptd::legacy_schema::brief::LegacyFlatTensor;
use crate::ptd::schema::brief::{DataSegment, FlatTensor};
use crate::rules::{flat_tensor as rules, ptd_header};
use crate::segment::SegmentRegion;

use super::blobs::Blobs;
use super::finding::Reporter;
use super::metadata;
use super::segments::{PTD, SegmentBase, SegmentOrder, SegmentRange, check_gaps};
use super::source::Bytes;
use super::structure::{StructureVisitor, tally};
use layout_rules::{Common, LayoutRules, LayoutTables};
use legacy::LegacyLayout;
use scratch::FileScratch;
use tables::CurrentChecks;

use super::{File, StopReason, expect_distinct, expect_zeros};
use crate::FileKind;

impl File<'_, '_> {
    pub(super) fn check_ptd(&mut self, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        let Some(checked) = header::check(self.file_bytes, self.options.target, reporter)? else { return Ok(()) };
        let Some(region) = self.region(checked.end, reporter)? else { return Ok(()) };
        let Ok(root) = Table::open_root::<Broken>(region) else {
            return self.check_layout::<FlatTensor<'_>, _>(&checked, region, None, CurrentChecks::NONE, reporter);
        };
        match Layout::of(root, self.options.limits) {
            Layout::Legacy(_) => {
                let root = LegacyFlatTensor::from_table(root);
                self.kind = FileKind::PtdLegacy;
                let segments = root.segments().ok().flatten();
                self.check_layout::<LegacyFlatTensor<'_>, _>(
                    &checked,
                    region,
                    segments,
                    LegacyLayout::of(root),
                    reporter,
                )
            }
            Layout::Current(_) => {
                let root = FlatTensor::from_table(root);
                let segments = root.segments().ok().flatten();
                self.check_layout::<FlatTensor<'_>, _>(&checked, region, segments, CurrentChecks::of(root), reporter)
            }
        }
    }

    /// Verifies a FlatBuffer in the layout `L`, and checks that layout's rules and the shared rules.
    fn check_layout<'a, T: TableView<'a>, L: LayoutRules<'a>>(
        &mut self,
        checked: &header::CheckedFlatTensorHeader,
        region: &'a [u8],
        segments: Option<Vector<'a, DataSegment<'a>>>,
        lists: L,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let header = checked.header;
        let data = SegmentRegion {
            base: header.segment_base_offset,
            size: Some(header.segment_data_size),
            file_len: self.file_bytes.len(),
        };
        let base = SegmentBase { data, region_end: region.len() as u64, known: checked.data_known };
        let count = segments.map_or(0, Vector::len);
        let scratch = FileScratch::new(count, [0, 1].map(|list| lists.len(list)), &mut *self.scratch)?;
        let common = Common { segments, scratch, seen: SegmentOrder::new(&PTD, base), metadata: false };
        let mut pass = StructureVisitor::new(LayoutTables { common, layout: lists }, reporter);
        let (counted, flow) = walk::<T>(region, self.options.limits, &mut pass);
        self.tally = counted;
        flow?;
        let StructureVisitor { format, reporter, faults, .. } = pass;
        let Common { mut scratch, seen, metadata, .. } = format.common;
        tally(counted, region, reporter)?;
        // Skip the later checks if a table is faulty: many offsets can share that table, and reading it once per offset
        // would be slow.
        self.sound = faults == 0;
        if !self.sound {
            return Ok(());
        }
        let table = |index: usize| segments?.get(index)?.ok();
        let at = |index: usize| {
            let segment = table(index)?;
            Some(SegmentRange { offset: segment.offset().ok()?, size: segment.size().ok()? })
        };
        let mut blobs = Blobs::new(self.bytes, base);
        for (list, seen_names) in scratch.names.iter_mut().enumerate().take(L::COUNT) {
            let name = |index| lists.name(list, index);
            let blob = |index| at(lists.blob_segment(index)? as usize);
            let (rule, list, key) = L::list(list);
            let rule = &mut |later, earlier| {
                let same =
                    key == "key" && lists.equal_layouts(later, earlier) && blobs.equal(blob(later), blob(earlier));
                if same { rules::FT_KEY_ONCE.key() } else { rule }
            };
            expect_distinct(seen_names, &name, (list, key), rule, reporter)?;
        }
        lists.check_names(&scratch.names, reporter)?;
        if let Some(span) = blobs.unread {
            return Err(StopReason::Unread(span));
        }
        let place = |index: usize| table(index).map_or(Span::new(0, 0), |segment| segment.table().span());
        if !reporter.must_only() {
            unreferenced(&scratch, &place, reporter)?;
            if metadata {
                check_blob_metadata(self.bytes, lists, &scratch, base, reporter)?;
            }
        }
        check_around_header(self.bytes, checked, counted.used, reporter)?;
        if seen.sound && header.segment_data_size != seen.end {
            let (size, end) = (header.segment_data_size, seen.end);
            let message = format_args!("segment_data_size is {size}, but the last segment ends at {end}");
            let path = &Path::ROOT.field("header");
            let (path, at) = (&path.field("segment_data_size"), FlatTensorHeader::SEGMENT_DATA_SIZE_SPAN);
            reporter.report(&ptd_header::FH_DATA_EXACT, path, at, message)?;
        }
        if seen.sound && seen.ordered {
            let stored = |index| scratch.place(index).map(|[offset, size]| (index, SegmentRange { offset, size }));
            return check_gaps(self.bytes, &seen, count, &stored, &place, reporter);
        }
        // Read the ranges from the tables again, because sorting overwrites the scratch memory with the ranges.
        self.check_segments(&seen, count, &at, &place, reporter)
    }
}

/// Reports unused segments. Ignores empty segments, which are placeholders.
fn unreferenced(scratch: &FileScratch<'_>, place: &dyn Fn(usize) -> Span, reporter: &mut impl Reporter) -> Flow {
    // If an entry's segment index is out of range, report no unused segments, because the entry may have meant one of
    // them.
    if scratch.references.has_invalid_index {
        return Ok(());
    }
    let with_bytes = |index: &usize| scratch.place(*index).is_some_and(|[_, size]| size > 0);
    for index in scratch.references.unreferenced().filter(with_bytes) {
        let path = &Path::ROOT.field("segments");
        let message = format_args!("segment {index} is unused; expected an entry that refers to it");
        reporter.report(&rules::FT_SEG_REFERENCED, &path.index(index), place(index), message)?;
    }
    Ok(())
}

fn check_blob_metadata<'a, L: LayoutRules<'a>>(
    bytes: Bytes<'_>,
    lists: L,
    scratch: &FileScratch<'_>,
    base: SegmentBase,
    reporter: &mut impl Reporter,
) -> Flow {
    let mut budget = metadata::TextBudget::FULL;
    for list in 0..L::COUNT {
        let (_, field, key) = L::list(list);
        if key != "key" {
            continue;
        }
        let path = &Path::ROOT.field(field);
        for index in 0..lists.len(list) {
            let Some(key) = lists.name(list, index).filter(|key| metadata::covers(*key)) else { continue };
            let segment = lists.blob_segment(index).and_then(|index| scratch.place(index as usize));
            let value = segment.filter(|_| base.known).and_then(|[offset, size]| base.data.place(offset, size).ok());
            metadata::check(key, value, &mut budget, bytes, &path.index(index), reporter)?;
        }
    }
    Ok(())
}

/// Checks that the FlatBuffer's parts begin after the header's fields, and that the padding around the parts is zero.
fn check_around_header(
    bytes: Bytes<'_>,
    checked: &header::CheckedFlatTensorHeader,
    used: Span,
    reporter: &mut impl Reporter,
) -> Result<(), StopReason> {
    let (first_part, last_part) = (used.offset, used.end());
    let path = &Path::ROOT.field("header");
    let rule = ptd_header::FH_PADDING_ZERO.key();
    let header::CheckedFlatTensorHeader { header, end, data_known } = *checked;
    let header_end = FlatTensorHeader::OFFSET + u64::from(header.length.max(FlatTensorHeader::MIN_LENGTH));
    let fields_end = FlatTensorHeader::OFFSET + u64::from(FlatTensorHeader::MIN_LENGTH);
    if first_part < fields_end {
        let message = format_args!(
            "the first part of the FlatBuffer is at {first_part}, inside the header, which ends at {fields_end}"
        );
        let at = Span::new(first_part, 4);
        reporter.report(&crate::rules::flatbuffer::FB_ROOT_NOT_IN_HEADER, &Path::ROOT, at, message)?;
    } else {
        let start = header_end.min(first_part);
        let padding = Span::new(start, first_part - start);
        expect_zeros(bytes, padding, rule, path, "the padding after the header", reporter)?;
    }
    let base = header.segment_base_offset;
    let stop = if data_known && base >= end { base } else { end };
    let gap = Span::new(last_part, stop.saturating_sub(last_part));
    expect_zeros(bytes, gap, rule, path, "the gap before the segments", reporter)
}
