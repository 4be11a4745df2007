//! Checks a program's tables one by one during the verification pass.

use crate::Span;
use crate::check::{Options, Target};
use crate::error::OutOfRange;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, OffsetTarget, Path, VisitedTable};
use crate::pte::ExtendedHeader;
use crate::pte::schema::DataLocation;
use crate::pte::schema::brief as pte;
use crate::pte::schema::brief::{DataSegment, NamedData, Program, SubsegmentOffsets};
use crate::rules::{
    RuleKey, constants, delegates as delegate_rules, mutable_data, named_data, pte_header, segments as rules,
};

use super::super::finding::Reporter;
use super::super::metadata;
use super::super::references::{References, SegmentUse};
use super::super::segments::SegmentOrder;
use super::super::structure::Tables;
use super::plan::{self, MethodPlan};
use super::storage::Storage;
use super::storage::segment_at;
use super::{delegates, instructions, memory, tensors, values, xnnpack};

/// The checks of a program's tables, and the data that these checks collect for later ones.
pub(super) struct ProgramTables<'a, 'm> {
    pub(super) header: Option<ExtendedHeader>,
    pub(super) options: &'m Options,
    pub(super) segments: Option<Vector<'a, DataSegment<'a>>>,
    pub(super) blobs: Option<Vector<'a, pte::BackendDelegateInlineData<'a>>>,
    pub(super) seen: SegmentOrder,
    pub(super) references: References<'m>,
    pub(super) storage: Storage<'a, 'm>,
    pub(super) plan: MethodPlan<'a>,
    pub(super) place: Option<memory::PlannedPlace<'a>>,
    pub(super) counts: tensors::TensorCounts,
    pub(super) metadata: bool,
    pub(super) xnnpack: bool,
    /// The checks in the `uses` module that at least one method needs.
    pub(super) uses: u8,
    /// `true` if a finding already reports that the program lacks a required segment base.
    pub(super) needs_header: bool,
}

impl<'a> Tables<'a> for ProgramTables<'a, '_> {
    fn enter(&mut self, id: u8, table: &VisitedTable<'_, 'a>, path: &Path<'_>) {
        match id {
            pte::EValue::ID => self.plan.value = path.last_index().unwrap_or(0),
            pte::Tensor::ID => self.place = None,
            pte::Instruction::ID => self.plan.instruction = path.last_index().unwrap_or(0),
            pte::Chain::ID => {
                let instructions = table.of::<pte::Chain<'_>>().instructions();
                self.plan.instructions = instructions.here().map_or(0, Vector::len);
            }
            pte::ExecutionPlan::ID => self.plan = MethodPlan::of(table.of::<pte::ExecutionPlan<'_>>().view()),
            _ => {}
        }
    }

    fn table(&mut self, id: u8, table: &VisitedTable<'_, 'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        macro_rules! on {
            ($($ty:ident($view:ident) => $check:expr;)*) => {
                match id {
                    $(pte::$ty::ID => {
                        let $view = table.of::<pte::$ty<'_>>();
                        $check
                    })*
                    _ => Ok(()),
                }
            };
        }
        let plan = &mut self.plan;
        on! {
            EValue(value) => values::check(&value, path, reporter);
            AllocationDetails(place) => {
                self.place = Some(memory::PlannedPlace::of(&place));
                Ok(())
            };
            Tensor(tensor) => {
                let target = self.options.target;
                tensors::check(&tensor, self.place, plan, &mut self.storage, target, &mut self.counts, path, reporter)
            };
            String(string) => values::string(string.view(), path, reporter);
            IntList(list) => values::int_list(list.view(), plan, path, reporter);
            TensorList(list) => values::tensor_list(list.table(), list.view().items(), false, plan, path, reporter);
            OptionalTensorList(list) => {
                values::tensor_list(list.table(), list.view().items(), true, plan, path, reporter)
            };
            DoubleList(list) => values::items(list.table(), list.view().items(), path, reporter).map(drop);
            BoolList(list) => values::items(list.table(), list.view().items(), path, reporter).map(drop);
            Instruction(instruction) => instructions::check(&instruction, path, reporter);
            KernelCall(call) => instructions::kernel_call(&call, plan, path, reporter);
            DelegateCall(call) => instructions::delegate_call(call.view(), plan, path, reporter);
            MoveCall(call) => instructions::move_call(call.view(), plan, path, reporter);
            JumpFalseCall(call) => instructions::jump(call.view(), plan, path, reporter);
            FreeCall(call) => instructions::free(call.view(), plan, path, reporter);
            Operator(operator) => instructions::operator(operator.view(), plan, path, reporter);
            Chain(chain) => plan::chain(chain.view(), plan, path, reporter);
            BackendDelegate(delegate) => {
                self.references.has_invalid_index |= delegate.processed().is_absent();
                delegates::check(delegate.view(), path, reporter)?;
                self.blob(delegate.view(), path, reporter)
            };
            CompileSpec(spec) => delegates::compile_spec(spec.view(), path, reporter);
            BackendDelegateDataReference(processed) => self.processed(processed.view(), path, reporter);
            NonConstBufferDevice(device) => plan::device(device.view(), plan, path, reporter);
            ExecutionPlan(method) => self.method(method.view(), path, reporter);
            DataSegment(segment) => self.segment(&segment, path, reporter);
            NamedData(entry) => self.named_data(&entry, path, reporter);
            SubsegmentOffsets(subsegments) => self.subsegments(subsegments.view(), path, reporter);
            Program(program) => self.program(program.view(), reporter);
        }
    }
}

impl<'a> ProgramTables<'a, '_> {
    /// Returns whether something must use the segment at `index`; `false` for an empty segment, which is a placeholder.
    pub(super) fn needs_reference(&self, index: usize) -> bool {
        self.segment_size(index).is_some_and(|size| size > 0)
    }

    fn segment_size(&self, index: usize) -> Option<u64> {
        self.segments.and_then(|all| all.get(index)?.ok()?.size().ok())
    }

    fn method(&mut self, method: pte::ExecutionPlan<'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        self.references.has_invalid_index |= matches!(method.delegates(), Ok(None));
        self.uses |= self.plan.uses;
        let most = match self.options.target {
            Target::Bits32 => self.options.limits.planned_memory.min(u32::MAX.into()),
            Target::Bits64 => self.options.limits.planned_memory,
        };
        plan::check(method, &self.plan, most, path, reporter)
    }

    #[inline]
    fn segment(
        &mut self,
        segment: &VisitedTable<'_, 'a, DataSegment<'a>>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let table = segment.table();
        let Some(segment) = segment_at(segment.view()) else {
            self.seen.sound = false;
            return Ok(());
        };
        if self.seen.base.data.base != 0 || segment.size == 0 {
            return self.seen.segment(segment, &|| table.span(), path, reporter);
        }
        self.seen.sound = false;
        if self.needs_header {
            return Ok(());
        }
        self.needs_header = true;
        let size = segment.size;
        if self.header.is_some() {
            let message = format_args!("the segment has {size} bytes, but segment_base_offset is 0");
            reporter.report(&pte_header::EH_BASE_ZERO_IFF_NONE, path, table.span(), message)
        } else {
            let message =
                format_args!("the segment has {size} bytes, but the file has no header with segment_base_offset");
            reporter.report(&pte_header::EH_HEADERLESS_NO_DATA, path, table.span(), message)
        }
    }

    fn named_data(
        &mut self,
        entry: &VisitedTable<'_, 'a, NamedData<'a>>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match entry.key() {
            OffsetTarget::Absent => reporter.absent(&named_data::ND_KEY_NONNULL, "key", entry.table(), path)?,
            OffsetTarget::Here(key) if key.as_bytes().is_empty() => {
                reporter.empty(&named_data::ND_KEY_NONEMPTY, "key", key, path)?;
            }
            OffsetTarget::Here(key) => self.metadata |= metadata::covers(key),
            OffsetTarget::Broken => {}
        }
        let index = entry.segment_index();
        let at = || entry.place("segment_index");
        let path = &path.field("segment_index");
        if let Some(segments) = self.segments {
            let count = segments.len();
            if index as usize >= count {
                self.references.has_invalid_index = true;
                let message = format_args!("{}", OutOfRange::new(index, count));
                return reporter.report(&named_data::ND_SEG_INDEX, path, at(), message);
            }
        }
        self.refer(index, SegmentUse::Named, &at, path, reporter)
    }

    fn subsegments(
        &mut self,
        subsegments: SubsegmentOffsets<'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let mutable = path.last_index().is_some();
        let Ok(index) = subsegments.segment_index() else { return Ok(()) };
        let at = subsegments.place("segment_index");
        let own = &path.field("segment_index");
        if mutable {
            if !reporter.must_only() && self.references.has(index, SegmentUse::Mutable) {
                let message = format_args!("segment {index} belongs to another entry, expected a segment of its own");
                reporter.report(&mutable_data::MUT_DISTINCT, own, at, message)?;
            }
            let rule = mutable_data::MUT_SEG_UNUSED.key();
            if self.storage.wrong_mutable_index {
                self.references.has_invalid_index = true;
            } else {
                self.index(rule, index, SegmentUse::Mutable, at, own, reporter)?;
            }
        } else {
            // The official writer can emit a constant segment with only a placeholder, which readers ignore.
            let used = matches!(subsegments.offsets(), Ok(Some(offsets)) if offsets.len() > 1);
            if used {
                self.index(constants::CONST_SEG_INDEX.key(), index, SegmentUse::Constant, at, own, reporter)?;
            }
        }
        self.storage.offsets(subsegments, mutable, path, reporter)
    }

    fn processed(
        &mut self,
        processed: pte::BackendDelegateDataReference<'a>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        delegates::location(processed, path, reporter)?;
        let (Ok(location), Ok(index)) = (processed.location(), processed.index()) else { return Ok(()) };
        if location == DataLocation::INLINE {
            self.references.record_inline(index);
            // The list of inline blobs is faulty, which the verification pass has already reported.
            if self.blobs.is_none() && !self.storage.without_blobs() {
                return Ok(());
            }
            return delegates::inline(processed, index, self.blobs, path, reporter);
        }
        if location != DataLocation::SEGMENT {
            self.references.has_invalid_index = true;
            return Ok(());
        }
        let (path, at) = (&path.field("index"), processed.place("index"));
        self.index(delegate_rules::DEL_SEGMENT_INDEX.key(), index, SegmentUse::Delegate, at, path, reporter)?;
        if self.segment_size(index as usize) == Some(0) {
            if self.seen.base.data.base == 0 && self.seen.base.known {
                let message = format_args!("segment {index} is used, but the file has no segment data");
                return reporter.report(&delegate_rules::DEL_SEGMENT_INDEX, path, at, message);
            }
            let message = format_args!("segment {index} is empty");
            return reporter.report(&delegate_rules::DEL_EMPTY_INLINE, path, at, message);
        }
        Ok(())
    }

    fn blob(&mut self, delegate: pte::BackendDelegate<'a>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
        if !xnnpack::is_backend(delegate) {
            return Ok(());
        }
        self.xnnpack = true;
        let place = |processed| delegates::blob_place(processed, self.segments, self.blobs, self.seen.base.usable());
        match delegate.processed().ok().flatten().and_then(place) {
            Some(place) => xnnpack::check(place, self.storage.bytes, &path.field("processed"), reporter),
            None => Ok(()),
        }
    }

    #[allow(clippy::too_many_arguments, reason = "the use of a segment has all these properties")]
    fn index(
        &mut self,
        rule: RuleKey,
        index: u32,
        role: SegmentUse,
        at: Span,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        match self.segments.map(Vector::len) {
            None if self.storage.without_segments() => {
                let message = format_args!("index is {index}, but segments is absent");
                reporter.report(&rules::SEG_NULL_TABLE, path, at, message)
            }
            Some(count) if index as usize >= count => {
                self.references.has_invalid_index = true;
                let message = format_args!("{}", OutOfRange::new(index, count));
                reporter.report(rule, path, at, message)
            }
            _ => self.refer(index, role, &|| at, path, reporter),
        }
    }

    fn refer(
        &mut self,
        index: u32,
        role: SegmentUse,
        at: &dyn Fn() -> Span,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        if !reporter.must_only() && self.references.record(index, role) && self.needs_reference(index as usize) {
            let message = format_args!("segment {index} is used in more than one role");
            return reporter.report(&rules::SEG_ROLE_DISJOINT, path, at(), message);
        }
        Ok(())
    }

    fn program(&mut self, program: Program<'a>, reporter: &mut impl Reporter) -> Flow {
        use crate::rules::program as own;

        if let Ok(version @ 1..) = program.version() {
            let message = format_args!("version is {version}, expected 0");
            let path = &Path::ROOT.field("version");
            reporter.report(&own::PROG_VERSION_ZERO, path, program.place("version"), message)?;
        }
        match program.execution_plan() {
            Ok(None) => {
                self.references.has_invalid_index = true;
                reporter.absent(&own::PLAN_LIST_NONNULL, "execution_plan", program.table(), &Path::ROOT)?;
            }
            Ok(Some(plans)) if plans.is_empty() => {
                let (path, message) = (&Path::ROOT.field("execution_plan"), format_args!("execution_plan is empty"));
                reporter.report(&own::PLAN_NONEMPTY, path, plans.count_span(), message)?;
            }
            _ => {}
        }
        if matches!(program.named_data(), Ok(Some(_))) && matches!(program.segments(), Ok(None)) {
            let message = format_args!("named_data is present, but segments is absent");
            let path = &Path::ROOT.field("named_data");
            reporter.report(&named_data::ND_SEGMENTS_PRESENT, path, program.place("named_data"), message)?;
        }
        if let Ok(Some(lists)) = program.mutable_data_segments()
            && lists.len() > 1
        {
            let message = format_args!(
                "mutable_data_segments has {} entries, expected at most 1; readers disagree about more",
                lists.len()
            );
            let path = &Path::ROOT.field("mutable_data_segments");
            reporter.report(&mutable_data::MUT_ONE_LIST, path, lists.count_span(), message)?;
        }
        let offsets =
            program.constant_segment().ok().flatten().and_then(|subsegments| subsegments.offsets().ok().flatten());
        if let (Some(offsets), Ok(Some(buffers))) = (offsets, program.constant_buffer())
            && !offsets.is_empty()
            && !buffers.is_empty()
        {
            let message = format_args!(
                "found {} constant buffers, expected none with a constant segment of {} offsets",
                buffers.len(),
                offsets.len()
            );
            let rule = if offsets.len() > 1 {
                constants::CONST_ONE_HOME.key()
            } else {
                constants::CONST_PLACEHOLDER_ALONE.key()
            };
            let path = &Path::ROOT.field("constant_buffer");
            return reporter.report(rule, path, buffers.count_span(), message);
        }
        Ok(())
    }
}
