//! Checks where tensors are in planned memory.

use crate::check::Target;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path, VisitedTable};
use crate::pte::schema::brief::AllocationDetails;
use crate::rules::RuleKey;
use crate::rules::memory as rules;

use super::super::finding::Reporter;
use super::super::segments::ALIGNMENT;
use super::plan::{Device, MethodPlan};

/// A tensor's position in planned memory, unchecked.
#[derive(Clone, Copy)]
pub(super) struct PlannedPlace<'a> {
    table: AllocationDetails<'a>,
    id: u32,
    low: u32,
    high: u32,
}

impl<'a> PlannedPlace<'a> {
    #[inline]
    pub(super) fn of(place: &VisitedTable<'_, 'a, AllocationDetails<'a>>) -> Self {
        let (id, low, high) = (place.memory_id(), place.memory_offset_low(), place.memory_offset_high());
        Self { table: place.view(), id, low, high }
    }

    /// Checks the place of a tensor that needs `bytes` bytes; `None` if its size is unknown.
    #[inline]
    pub(super) fn check(
        &self,
        bytes: Option<u64>,
        device: Device,
        plan: &MethodPlan<'_>,
        target: Target,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let Self { id, low, high, .. } = *self;
        let Some(buffers) = plan.buffers else { return Ok(()) };
        let count = buffers.len();
        if id == 0 || id as usize >= count {
            let message = format_args!("memory_id is {id}, expected at least 1 and less than {count}");
            return self.report(rules::MEM_ID_RANGE.key(), "memory_id", message, path, reporter);
        }
        if target == Target::Bits32 && high != 0 {
            let message = format_args!("memory_offset_high is {high}, expected 0 for a 32-bit host");
            return self.report(rules::MEM_OFFSET_64.key(), "memory_offset_high", message, path, reporter);
        }
        let offset = u64::from(low) | u64::from(high) << 32;
        if !offset.is_multiple_of(ALIGNMENT) {
            let message = format_args!("memory offset is {offset}, expected a multiple of {ALIGNMENT}");
            self.report(rules::MEM_ALIGNED.key(), "memory_offset_low", message, path, reporter)?;
        }
        if let Some(other) = plan.device(id)
            && !device.is(other)
        {
            let message = format_args!("the tensor is on {device}, but planned buffer {id} is on {other}");
            self.report(rules::MEM_DEVICE_CONSISTENT.key(), "memory_id", message, path, reporter)?;
        }
        let Some(bytes) = bytes else { return Ok(()) };
        let Some(end) = offset.checked_add(bytes) else {
            let message = format_args!("memory offset {offset} + {bytes} bytes does not fit in 64 bits");
            return self.report(rules::MEM_OFFSET_NO_OVERFLOW.key(), "memory_offset_high", message, path, reporter);
        };
        if target == Target::Bits32 && end > u64::from(u32::MAX) {
            let message = format_args!(
                "the tensor ends at {end} of its planned buffer, expected less than 2^32 for a 32-bit host"
            );
            return self.report(rules::MEM_OFFSET_64.key(), "memory_offset_low", message, path, reporter);
        }
        match plan.buffer(id).map(u64::try_from) {
            Some(Ok(size)) if end > size => {
                let message = format_args!("the tensor ends at {end}, past the end of planned buffer {id} at {size}");
                self.report(rules::MEM_IN_BUFFER.key(), "memory_offset_low", message, path, reporter)
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn report(
        &self,
        rule: RuleKey,
        field: &'static str,
        message: core::fmt::Arguments<'_>,
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let path = &path.field("allocation_info");
        reporter.report(rule, &path.field(field), self.table.place(field), message)
    }
}
