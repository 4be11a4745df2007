//! Checks programs: the header, the FlatBuffer, the segments, the named data and the methods.

mod constants;
mod delegates;
mod domains;
mod flow;
mod header;
mod held;
pub(in crate::check) mod instructions;
mod items;
mod memory;
pub(in crate::check) mod operators;
mod overlaps;
mod overwrites;
pub(in crate::check) mod plan;
mod results;
mod signatures;
pub(in crate::check) mod storage;
mod tables;
mod target32;
mod tensor_names;
mod tensors;
mod uses;
mod values;
pub(in crate::check) mod xnnpack;

use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Path, walk};
use crate::flatbuffer::{Broken, Table, Vector};
use crate::pte::ExtendedHeader;
use crate::pte::schema::brief::{DataSegment, NamedData, Program};
use crate::rules::{delegates as delegate_rules, flatbuffer as flatbuffer_rules, named_data, program as program_rules};
use crate::rules::{pte_header as rules, segments as segment_rules};
use crate::{Limit, Span};

use super::blobs::Blobs;
use super::finding::Reporter;
use super::metadata;
use super::references::{References, words_for};
use super::segments::{PTE, SegmentBase, SegmentOrder};
use super::structure::{StructureVisitor, tally};
use super::{File, StopReason, Target, elements, expect_distinct, expect_zeros};
use crate::names::{self, SeenNames};
use crate::segment::SegmentRegion;
pub(super) use tensor_names::{NamedTensor, external_tensors};
pub(super) use xnnpack::named_keys;
#[cfg(feature = "alloc")]
pub use xnnpack::xnnpack_keys;

use plan::MethodPlan;
use storage::{Storage, segment_at};
use tables::ProgramTables;
use tensors::TensorCounts;

/// What the later checks need after the verification pass.
struct Collected<'a> {
    header: Option<ExtendedHeader>,
    region: &'a [u8],
    root: Option<Program<'a>>,
    segments: Option<Vector<'a, DataSegment<'a>>>,
    seen: SegmentOrder,
    /// See [`Tally::used`](crate::flatbuffer::walk::Tally::used).
    used: Span,
    named: usize,
    metadata: bool,
    xnnpack: bool,
    uses: u8,
}

impl<'a> File<'a, '_> {
    pub(super) fn check_pte(&mut self, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        match &self.check_tables(reporter) {
            Ok(Some(collected)) => self.check_collected(collected, reporter),
            Ok(None) => Ok(()),
            Err(reason) => Err(*reason),
        }
    }

    /// Checks the header, then each table during the verification pass. Returns `None` if a fault makes the later
    /// checks impossible. This is a separate function because the pass needs a lot of stack.
    #[inline(never)]
    fn check_tables(&mut self, reporter: &mut impl Reporter) -> Result<Option<Collected<'a>>, StopReason> {
        let target = self.options.target;
        let Some(checked) = header::check(self.file_bytes, target, reporter)? else { return Ok(None) };
        let found = checked.header;
        let end = found.map_or(self.file_bytes.len(), |header| header.program_size);
        let Some(region) = self.region(end, reporter)? else { return Ok(None) };
        let root = Table::open_root::<Broken>(region).ok().map(Program::from_table);
        let segments = root.and_then(|root| root.segments().ok()).flatten();
        let blobs = root.and_then(|root| root.backend_delegate_data().ok()).flatten();
        let data = SegmentRegion {
            base: found.map_or(0, |header| header.segment_base_offset),
            size: found.and_then(|header| header.data_size()),
            file_len: self.file_bytes.len(),
        };
        let base = SegmentBase { data, region_end: end, known: checked.data_known };
        let (count, blob_count) = (segments.map_or(0, Vector::len), blobs.map_or(0, Vector::len));
        let (used, used_blobs) = if reporter.must_only() { (0, 0) } else { (count, blob_count) };
        let words = self.scratch.words(words_for(used, used_blobs))?;
        let tables = ProgramTables {
            header: found,
            options: self.options,
            segments,
            blobs,
            seen: SegmentOrder::new(&PTE, base),
            references: References::new(words, used, used_blobs),
            storage: Storage::new(root, base, self.bytes),
            plan: MethodPlan::NONE,
            place: None,
            counts: TensorCounts::default(),
            metadata: false,
            xnnpack: false,
            uses: 0,
            needs_header: false,
        };
        let mut pass = StructureVisitor::new(tables, reporter);
        let (counted, flow) = walk::<Program<'_>>(region, self.options.limits, &mut pass);
        self.tally = counted;
        let StructureVisitor { format, reporter, faults, .. } = &mut pass;
        self.unresolved = format.counts.external;
        flow?;
        if *faults == 0 && !format.references.has_invalid_index && !reporter.must_only() {
            unreferenced(format, *reporter)?;
        }
        tally(counted, region, *reporter)?;
        if let Some(span) = format.storage.unread {
            return Err(StopReason::Unread(span));
        }
        // Skip the later checks if a table is faulty: many offsets can share that table, and reading it once per offset
        // would be slow.
        self.sound = *faults == 0;
        let ProgramTables { metadata, xnnpack, uses, .. } = *format;
        let (seen, used, named) = (format.seen, counted.used, format.counts.named);
        let collected = Collected { header: found, region, root, segments, seen, used, named, metadata, xnnpack, uses };
        Ok(self.sound.then_some(collected))
    }

    /// Checks the lists and the segments after the verification pass.
    #[inline(never)]
    fn check_collected(&mut self, collected: &Collected<'_>, reporter: &mut impl Reporter) -> Result<(), StopReason> {
        let Collected { header, region, root, segments, ref seen, used, named, metadata, xnnpack, uses } = *collected;
        let base = seen.base;
        if let Some(root) = root {
            self.check_keys(root, segments, base, reporter)?;
            self.check_names(root, named, uses, reporter)?;
            if !reporter.must_only() {
                constants::check(root, base, self.bytes, &mut *self.scratch, reporter)?;
            }
            if xnnpack {
                self.count_missing_keys(root, base, reporter)?;
                if !reporter.must_only() {
                    self.check_graph_arguments(root, base, reporter)?;
                }
            }
        }
        if let Some(entries) =
            root.filter(|_| metadata && !reporter.must_only()).and_then(|root| root.named_data().ok()?)
        {
            self.check_metadata(entries, segments, base, reporter)?;
        }
        if let Some(header) = header {
            if !reporter.must_only() {
                self.check_header_place(header, region, used.offset, reporter)?;
            }
            self.check_tail(header, seen, used.end(), reporter)?;
        }
        let table = |index: usize| segments?.get(index)?.ok();
        let at = |index: usize| segment_at(table(index)?);
        let place = |index: usize| table(index).map_or(Span::new(0, 0), |segment| segment.table().span());
        self.check_segments(seen, segments.map_or(0, Vector::len), &at, &place, reporter)
    }

    fn check_keys(
        &mut self,
        root: Program<'_>,
        segments: Option<Vector<'_, DataSegment<'_>>>,
        base: SegmentBase,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let Ok(Some(entries)) = root.named_data() else { return Ok(()) };
        let entry = |index: usize| -> Option<NamedData<'_>> { entries.get(index)?.ok() };
        let blob = |index| segment_at(segments?.get(entry(index)?.segment_index().ok()? as usize)?.ok()?);
        let mut blobs = Blobs::new(self.bytes, base);
        let rule = &mut |later, earlier| match blobs.equal(blob(later), blob(earlier)) {
            true => named_data::ND_KEY_ONCE.key(),
            false => named_data::ND_KEY_UNIQUE.key(),
        };
        let name = |index| entry(index)?.key().ok()?;
        let mut names = SeenNames::of_list(self.scratch.words(entries.len())?, &name);
        expect_distinct(&mut names, &name, ("named_data", "key"), rule, reporter)?;
        blobs.unread.map_or(Ok(()), |span| Err(StopReason::Unread(span)))
    }

    /// Reports repeated names of each kind. Also runs the checks that need all tables of a method.
    fn check_names(
        &mut self,
        root: Program<'_>,
        named: usize,
        uses: u8,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let Ok(Some(plans)) = root.execution_plan() else { return Ok(()) };
        if !reporter.must_only() {
            let name = |index| plans.get(index).and_then(|plan| plan.ok()?.name().ok()?);
            let rule = &mut |_, _| program_rules::PLAN_NAME_UNIQUE.key();
            let mut names = SeenNames::of_list(self.scratch.words(plans.len())?, &name);
            expect_distinct(&mut names, &name, ("execution_plan", "name"), rule, reporter)?;
        }
        for (index, plan) in elements(Ok(Some(plans))) {
            let path = &Path::ROOT.field("execution_plan");
            let path = &path.index(index);
            plan::check_distinct(plan, &mut *self.scratch, path, reporter)?;
            if uses & !plan::JUMPS != 0 {
                uses::check(plan, uses, &mut *self.scratch, path, reporter)?;
            }
            if !reporter.must_only() {
                overlaps::check(plan, &mut *self.scratch, path, reporter)?;
            }
            if self.options.target == Target::Bits32 {
                target32::check(plan, &mut *self.scratch, path, reporter)?;
            }
        }
        if named > 1 {
            // Each table needs at least `LEAST` bytes. If the FlatBuffer is too small for that, some named tensors
            // share a table, which no writer produces.
            if named > root.table().buffer().len() / tensor_names::LEAST {
                return Err(StopReason::Limit(Limit::ApparentSize));
            }
            tensor_names::check(plans, named, &mut *self.scratch, reporter)?;
        }
        Ok(())
    }

    fn check_metadata(
        &mut self,
        entries: Vector<'_, NamedData<'_>>,
        segments: Option<Vector<'_, DataSegment<'_>>>,
        base: SegmentBase,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let path = &Path::ROOT.field("named_data");
        let mut budget = metadata::TextBudget::FULL;
        let data = base.usable();
        for (index, entry) in elements(Ok(Some(entries))) {
            let Some(key) = entry.key().ok().flatten().filter(|key| metadata::covers(*key)) else { continue };
            let segment = |index: u32| segment_at(segments?.get(index as usize)?.ok()?);
            let segment = entry.segment_index().ok().and_then(segment);
            let value = segment.and_then(|segment| data?.place(segment.offset, segment.size).ok());
            metadata::check(key, value, &mut budget, self.bytes, &path.index(index), reporter)?;
        }
        Ok(())
    }

    /// Counts the keys in XNNPACK blobs that the program's own named data lacks.
    #[cold]
    fn count_missing_keys(
        &mut self,
        root: Program<'_>,
        base: SegmentBase,
        reporter: &impl Reporter,
    ) -> Result<(), StopReason> {
        let entries = root.named_data().ok().flatten();
        let words = self.scratch.words(entries.filter(|_| !reporter.must_only()).map_or(0, Vector::len))?;
        let name = |index| entries?.get(index)?.ok()?.key().ok()?;
        let own = SeenNames::of_list(words, &name).sorted(&name);
        let most = self.options.limits.apparent_size_of(usize::try_from(self.file_bytes.len()).unwrap_or(usize::MAX));
        let mut missing = 0;
        let unread = xnnpack::named_keys(root, base.usable(), self.bytes, most, &mut |key, _, _| {
            missing += u32::from(!reporter.must_only() && names::find(own, &name, key).is_none());
            Ok(())
        })?;
        self.unresolved_keys = missing;
        unread.map_or(Ok(()), |span| Err(StopReason::Unread(span)))
    }

    #[cold]
    fn check_graph_arguments(
        &mut self,
        root: Program<'_>,
        base: SegmentBase,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let most = self.options.limits.apparent_size_of(usize::try_from(self.file_bytes.len()).unwrap_or(usize::MAX));
        let unread = xnnpack::arguments(root, base.usable(), self.bytes, most, reporter)?;
        unread.map_or(Ok(()), |span| Err(StopReason::Unread(span)))
    }

    fn check_header_place(
        &mut self,
        header: ExtendedHeader,
        region: &[u8],
        first_part: u64,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let path = &Path::ROOT.field("header");
        let end = ExtendedHeader::OFFSET + u64::from(header.length);
        let root = Table::open_root::<Broken>(region).map_or(0, |root| root.position() as u64);
        let header_fields =
            ExtendedHeader::OFFSET + u64::from(header.length.min(ExtendedHeader::LENGTH_WITH_DATA_SIZE));
        if root < header_fields {
            let message = format_args!("root table is at {root}, inside the header, which ends at {header_fields}");
            reporter.report(&flatbuffer_rules::FB_ROOT_NOT_IN_HEADER, &Path::ROOT, Span::new(0, 4), message)?;
        } else if end > first_part {
            let message =
                format_args!("header ends at {end}, past the start of the FlatBuffer after it at {first_part}");
            reporter.report(&rules::EH_LENGTH_BOUNDED, &path.field("length"), ExtendedHeader::LENGTH_SPAN, message)?;
        } else {
            let padding = Span::new(end, first_part - end);
            expect_zeros(
                self.bytes,
                padding,
                rules::EH_PADDING_ZERO.key(),
                path,
                "the padding after the header",
                reporter,
            )?;
        }
        Ok(())
    }

    /// Checks the padding between the FlatBuffer and the segments, and the end of the segments according to the header.
    fn check_tail(
        &mut self,
        header: ExtendedHeader,
        seen: &SegmentOrder,
        last_part: u64,
        reporter: &mut impl Reporter,
    ) -> Result<(), StopReason> {
        let path = &Path::ROOT.field("header");
        let ExtendedHeader { program_size, segment_base_offset: base, .. } = header;
        let tail = Span::new(last_part, program_size.saturating_sub(last_part));
        let size = &path.field("program_size");
        expect_zeros(
            self.bytes,
            tail,
            rules::EH_PROGRAM_SIZE_EXACT.key(),
            size,
            "the unused end of the FlatBuffer",
            reporter,
        )?;
        if base == 0 || !seen.base.known {
            return Ok(());
        }
        let gap = Span::new(program_size, base.min(self.file_bytes.len()).saturating_sub(program_size));
        expect_zeros(self.bytes, gap, rules::EH_GAP_ZERO.key(), path, "the gap before the segments", reporter)?;
        let end = seen.end;
        // Skip the check if the segment base needs more than 32 bits, which the header's check reports.
        let target32 = self.options.target == Target::Bits32 && base <= u64::from(u32::MAX);
        if target32 && header.data_size().is_none() && seen.sound {
            header::check_end(base.saturating_add(end), path, reporter)?;
        }
        if let Some(size) = header.data_size().filter(|size| seen.sound && *size != end) {
            let message = format_args!("segment_data_size is {size}, but the last segment ends at {end}");
            let path = &path.field("segment_data_size");
            reporter.report(&rules::EH_DSIZE_EXACT, path, ExtendedHeader::SEGMENT_DATA_SIZE_SPAN, message)?;
        }
        Ok(())
    }
}

fn unreferenced(format: &ProgramTables<'_, '_>, reporter: &mut impl Reporter) -> Result<(), StopReason> {
    if let Some(segments) = format.segments {
        let all = format.references.unreferenced();
        for index in all.filter(|index| format.needs_reference(*index)) {
            let message = format_args!("segment {index} is unused; expected an entry that refers to it");
            let path = &Path::ROOT.field("segments");
            let place = segments.element_span(index);
            reporter.report(&segment_rules::SEG_REFERENCED, &path.index(index), place, message)?;
        }
    }
    if let Some(blobs) = format.blobs {
        for index in format.references.unreferenced_inline() {
            let message = format_args!("inline blob {index} is unused; expected a delegate that refers to it");
            let path = &Path::ROOT.field("backend_delegate_data");
            let place = blobs.element_span(index);
            reporter.report(&delegate_rules::DEL_INLINE_ALL_REFERENCED, &path.index(index), place, message)?;
        }
    }
    Ok(())
}
