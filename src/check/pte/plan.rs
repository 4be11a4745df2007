//! Checks a whole method: its lists, inputs, outputs and planned buffers.

use core::fmt;

use crate::error::OutOfRange;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, Path};
use crate::pte::schema::brief::{Chain, EValue, ExecutionPlan, NonConstBufferDevice, Operator, Tensor};
use crate::pte::schema::brief_values::KernelTypesValue;
use crate::pte::schema::{DeviceType, KernelTypes, TensorDataLocation};
use crate::pte::signatures::Signature;
use crate::rules::{RuleKey, program as rules};
use crate::sort::sort_by;

use super::super::finding::Reporter;
use super::super::layout::MAX_RANK;
use super::super::scratch::Scratch;
use super::items::{expect_inside, outside};
use super::signatures::Signatures;

/// How many entries the checker reads from a list of buffer devices.
const FIRST: usize = 64;

/// The method has a FreeCall.
pub(super) const FREES: u8 = 1;
/// A jump's condition has no data in the file.
pub(super) const CONDITIONS: u8 = 2;
/// An operator name is invalid, or the effect of an instruction or value depends on other instructions.
pub(super) const FLOW: u8 = 4;
/// The method has a jump.
pub(super) const JUMPS: u8 = 8;

/// The data of one method that the checks of its values, chains and instructions need.
#[derive(Clone, Copy)]
pub(in crate::check) struct MethodPlan<'a> {
    values: Option<Vector<'a, EValue<'a>>>,
    pub(super) operators: Option<Vector<'a, Operator<'a>>>,
    pub(super) delegates: Option<usize>,
    pub(super) buffers: Option<Vector<'a, i64>>,
    devices: Option<Vector<'a, NonConstBufferDevice<'a>>>,
    pub(super) signatures: Signatures,
    /// The number of instructions in the current chain.
    pub(super) instructions: usize,
    /// The index of the value that is being checked.
    pub(super) value: usize,
    /// The index of the instruction that is being checked.
    pub(super) instruction: usize,
    /// `true` if a finding already reports the absent list of operators.
    pub(super) no_operators: bool,
    /// Which checks in the `uses` module the method needs.
    pub(super) uses: u8,
}

impl<'a> MethodPlan<'a> {
    pub(super) const NONE: MethodPlan<'static> = MethodPlan {
        values: None,
        operators: None,
        delegates: None,
        buffers: None,
        devices: None,
        signatures: Signatures::NONE,
        instructions: 0,
        value: 0,
        instruction: 0,
        no_operators: false,
        uses: 0,
    };

    pub(in crate::check) fn of(plan: ExecutionPlan<'a>) -> Self {
        MethodPlan {
            values: plan.values().ok().flatten(),
            operators: plan.operators().ok().flatten(),
            delegates: plan.delegates().ok().flatten().map(Vector::len),
            buffers: plan.non_const_buffer_sizes().ok().flatten(),
            devices: plan.non_const_buffer_device().ok().flatten(),
            no_operators: plan.operators().is_err(),
            ..MethodPlan::NONE
        }
    }

    /// How many values the method has; `None` if the list is faulty, which the verification pass has already reported.
    #[inline]
    pub(super) fn count(&self) -> Option<usize> {
        self.values.map(Vector::len)
    }

    fn value_at(&self, index: i64) -> Option<EValue<'a>> {
        self.values?.get(usize::try_from(index).ok()?)?.ok()
    }

    /// The type of the value at `index`; `None` if it is unknown or the value does not exist.
    #[inline]
    pub(super) fn type_of(&self, index: i64) -> Option<KernelTypes> {
        self.value_at(index)?.val_type().ok().filter(|ty| ty.0 != 0 && ty.name().is_some())
    }

    pub(super) fn value_of(&self, index: i64) -> Option<KernelTypesValue<'a>> {
        self.value_at(index)?.val().ok()?
    }

    pub(super) fn tensor(&self, index: i64) -> Option<Tensor<'a>> {
        match self.value_of(index)? {
            KernelTypesValue::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The signature of the operator at `index`; `None` unless it is one of the runtime's own operators.
    pub(super) fn signature(&mut self, index: i32) -> Option<&'static Signature> {
        self.signatures.get(usize::try_from(index).ok()?, self.operators?)
    }

    pub(super) fn type_name(&self, index: i64) -> &'static str {
        self.type_of(index).and_then(KernelTypes::name).unwrap_or("unknown")
    }

    /// The size in bytes of the planned buffer with the given id. Ids start at 1.
    pub(super) fn buffer(&self, memory_id: u32) -> Option<i64> {
        self.buffers?.get(memory_id as usize)
    }

    /// A planned buffer's device; `None` if the list of devices is faulty or too long. A buffer that the list omits is
    /// on the host.
    #[inline]
    pub(super) fn device(&self, memory_id: u32) -> Option<Device> {
        let Some(devices) = self.devices else { return Some(Device::HOST) };
        for device in devices.iter().take(FIRST) {
            let device = device.ok()?;
            if u32::try_from(device.buffer_idx().ok()?).ok()? == memory_id {
                return Some(Device { kind: device.device_type().ok()?, index: device.device_index().ok()? });
            }
        }
        (devices.len() <= FIRST).then_some(Device::HOST)
    }
}

/// Checks a method. The verification pass has already visited its tables.
pub(super) fn check<'a>(
    plan: ExecutionPlan<'a>,
    known: &MethodPlan<'a>,
    most: u64,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (table, sizes) = (plan.table(), plan.non_const_buffer_sizes());
    reporter.require(&rules::PLAN_VALUES_NONNULL, "values", &plan.values(), table, path)?;
    reporter.require(&rules::PLAN_IO_NONNULL, "inputs", &plan.inputs(), table, path)?;
    reporter.require(&rules::PLAN_IO_NONNULL, "outputs", &plan.outputs(), table, path)?;
    reporter.require(&rules::PLAN_IO_NONNULL, "non_const_buffer_sizes", &sizes, table, path)?;
    reporter.require(&rules::PLAN_CHAINS, "chains", &plan.chains(), table, path)?;
    reporter.require(&rules::PLAN_DELEGATES_NONNULL, "delegates", &plan.delegates(), table, path)?;
    reporter.require(&rules::PLAN_CONTAINER_META, "container_meta_type", &plan.container_meta_type(), table, path)?;
    match plan.name() {
        Ok(None) => reporter.absent(&rules::PLAN_NAME, "name", table, path)?,
        Ok(Some(name)) if name.as_bytes().is_empty() => {
            reporter.empty(&rules::PLAN_NAME_NONEMPTY, "name", name, path)?;
        }
        _ => {}
    }
    if let Ok(Some(chains)) = plan.chains()
        && chains.is_empty()
    {
        let message = format_args!("chains is empty");
        reporter.report(&rules::PLAN_CHAINS, &path.field("chains"), chains.count_span(), message)?;
    }
    if let Ok(Some(inputs)) = plan.inputs() {
        ends(rules::PLAN_IO_TYPES.key(), inputs, known, &path.field("inputs"), reporter)?;
        inputs_only(inputs, known, &path.field("inputs"), reporter)?;
    }
    if let Ok(Some(outputs)) = plan.outputs() {
        ends(rules::PLAN_OUTPUT_TYPES.key(), outputs, known, &path.field("outputs"), reporter)?;
    }
    match known.buffers {
        Some(sizes) => buffers(sizes, most, &path.field("non_const_buffer_sizes"), reporter),
        None => Ok(()),
    }
}

/// Checks a method's inputs or outputs: each item must be the index of a value of an allowed type.
fn ends(
    rule: RuleKey,
    items: Vector<'_, i32>,
    plan: &MethodPlan<'_>,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let Some(count) = plan.count() else { return Ok(()) };
    for (index, item) in items.iter().enumerate() {
        let (path, at) = (&path.index(index), items.element_span(index));
        if outside(item, count) {
            let message = format_args!("{}", OutOfRange::new(item, count));
            reporter.report(&rules::PLAN_IO_RANGE, path, at, message)?;
            continue;
        }
        let Some(ty) = plan.type_of(item.into()) else { continue };
        let lists = KernelTypes::IntList.0..=KernelTypes::OptionalTensorList.0;
        if lists.contains(&ty.0) {
            let name = ty.name().unwrap_or_default();
            let message = format_args!("value {item} has type {name}, which cannot be an input or output");
            reporter.report(rule, path, at, message)?;
        }
    }
    Ok(())
}

fn inputs_only(inputs: Vector<'_, i32>, plan: &MethodPlan<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    for (index, item) in inputs.iter().enumerate() {
        let Some(KernelTypesValue::Tensor(tensor)) = plan.value_of(item.into()) else { continue };
        if is_constant(tensor) {
            let location = if is_external(tensor) { "in a data file" } else { "in the program" };
            let message = format_args!("value {item} is a constant {location}; setting the input would overwrite it");
            reporter.report(&rules::PLAN_INPUTS_NONCONST, &path.index(index), inputs.element_span(index), message)?;
        }
    }
    Ok(())
}

/// Returns whether a tensor is a constant: it has stored data but no planned memory.
pub(super) fn is_constant(tensor: Tensor<'_>) -> bool {
    matches!(tensor.allocation_info(), Ok(None)) && (is_external(tensor) || tensor.data_buffer_idx().unwrap_or(0) > 0)
}

pub(super) fn is_external(tensor: Tensor<'_>) -> bool {
    let extra = tensor.extra_tensor_info().ok().flatten();
    extra.is_some_and(|extra| extra.location() == Ok(TensorDataLocation::EXTERNAL))
}

pub(super) fn int_of(value: KernelTypesValue<'_>) -> Option<i64> {
    match value {
        KernelTypesValue::Int(int) => int.int_val().ok(),
        _ => None,
    }
}

pub(super) fn has_elements(tensor: Tensor<'_>) -> bool {
    tensor.sizes().ok().flatten().is_none_or(|sizes| sizes.iter().take(MAX_RANK).all(|size| size != 0))
}

/// Returns whether a tensor has elements but gets data from neither the file nor the host. A host can set the data of a
/// named tensor, so the result is `false` for it.
pub(super) fn lacks_data(tensor: Tensor<'_>) -> bool {
    let named = |tensor: Tensor<'_>| match tensor.extra_tensor_info() {
        Ok(Some(extra)) => !matches!(extra.fully_qualified_name(), Ok(None)),
        found => found.is_err(),
    };
    matches!(tensor.allocation_info(), Ok(None)) && !is_constant(tensor) && !named(tensor) && has_elements(tensor)
}

/// Checks that the inputs are distinct values, and that no planned buffer has two devices.
pub(super) fn check_distinct(
    plan: ExecutionPlan<'_>,
    scratch: &mut dyn Scratch,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    if let Ok(Some(inputs)) = plan.inputs()
        && !reporter.must_only()
    {
        let path = &path.field("inputs");
        let value = |index| inputs.get(index);
        equal_entries(scratch.words(inputs.len())?, &value, &mut |later, earlier| {
            let item = inputs.get(later).unwrap_or_default();
            let message = format_args!("value {item} is already input {earlier}");
            reporter.report(&rules::PLAN_INPUTS_DISTINCT, &path.index(later), inputs.element_span(later), message)
        })?;
    }
    if let Ok(Some(devices)) = plan.non_const_buffer_device() {
        let path = &path.field("non_const_buffer_device");
        let buffer = |index| devices.get(index)?.ok()?.buffer_idx().ok();
        equal_entries(scratch.words(devices.len())?, &buffer, &mut |later, earlier| {
            let Some(Ok(device)) = devices.get(later) else { return Ok(()) };
            let index = device.buffer_idx().unwrap_or_default();
            let message = format_args!("buffer {index} already has a device in entry {earlier}");
            let (path, at) = (&path.index(later), device.place("buffer_idx"));
            reporter.report(&rules::PLAN_NCB_DEVICE, &path.field("buffer_idx"), at, message)
        })?;
    }
    Ok(())
}

/// For each entry that equals an earlier entry, calls `equal` with the indexes of both, the later one first. `words`
/// must have one word per entry.
fn equal_entries(
    words: &mut [u64],
    entry: &dyn Fn(usize) -> Option<i32>,
    equal: &mut dyn FnMut(usize, usize) -> Flow,
) -> Flow {
    // Each word has a value in its upper half and an index in its lower half. Sorting makes equal values adjacent and
    // orders them by index.
    for (index, word) in words.iter_mut().enumerate() {
        *word = entry(index).map_or(u64::MAX, |value| u64::from(value.cast_unsigned()) << 32 | index as u64);
    }
    sort_by(words, |one, other| one < other);
    for pair in words.windows(2) {
        let &[earlier, later] = pair else { continue };
        if earlier >> 32 == later >> 32 && later != u64::MAX {
            let index = |word: u64| usize::try_from(word & 0xffff_ffff).unwrap_or(usize::MAX);
            equal(index(later), index(earlier))?;
        }
    }
    Ok(())
}

fn buffers(sizes: Vector<'_, i64>, most: u64, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let mut sum = 0_u64;
    for (index, size) in sizes.iter().enumerate() {
        let (path, at) = (&path.index(index), sizes.element_span(index));
        if index == 0 {
            if size != 0 {
                let message = format_args!("the reserved entry is {size}, expected 0");
                reporter.report(&rules::PLAN_NCB_FIRST_ZERO, path, at, message)?;
            }
            continue;
        }
        let Ok(size) = u64::try_from(size) else {
            let message = format_args!("buffer size is {size}, expected at least 0");
            reporter.report(&rules::PLAN_NCB, path, at, message)?;
            continue;
        };
        let before = sum;
        sum = sum.saturating_add(size);
        if before <= most && sum > most {
            let message = format_args!("the planned buffers up to here have {sum} bytes, expected at most {most}");
            reporter.report(&rules::PLAN_NCB_BOUNDED, path, at, message)?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Device {
    pub(super) kind: DeviceType,
    /// The index among devices of the same type. For the host, it has no meaning.
    pub(super) index: i8,
}

impl Device {
    pub(super) const HOST: Device = Device { kind: DeviceType::CPU, index: 0 };

    pub(super) fn is_host(self) -> bool {
        self.kind == DeviceType::CPU
    }

    /// Returns whether `self` and `other` are the same device. The index is ignored if both are the host.
    pub(super) fn is(self, other: Device) -> bool {
        self == other || self.is_host() && other.is_host()
    }

    /// Checks a table's device type and device index. `invalid` is the rule for negative values; `unknown` is the rule
    /// for types above the last known type.
    pub(super) fn check<'t>(
        self,
        table: impl TableView<'t>,
        (invalid, unknown): (RuleKey, RuleKey),
        path: &Path<'_>,
        reporter: &mut impl Reporter,
    ) -> Flow {
        let Device { kind, index } = self;
        if kind.name().is_none() {
            let (rule, wanted) = if kind.0 < 0 { (invalid, "at least 0") } else { (unknown, "a known one") };
            let message = format_args!("device type is {}, expected {wanted}", kind.0);
            return reporter.report(rule, &path.field("device_type"), table.place("device_type"), message);
        }
        if !self.is_host() && index < 0 {
            let message = format_args!("device index is {index}, expected at least 0");
            return reporter.report(invalid, &path.field("device_index"), table.place("device_index"), message);
        }
        Ok(())
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind.name() {
            Some(name) => f.write_str(name)?,
            None => write!(f, "device type {}", self.kind.0)?,
        }
        if self.is_host() { Ok(()) } else { write!(f, " {}", self.index) }
    }
}

pub(super) fn device(
    device: NonConstBufferDevice<'_>,
    plan: &MethodPlan<'_>,
    entry: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    if let (Ok(index), Some(buffers)) = (device.buffer_idx(), plan.buffers) {
        let path = &entry.field("buffer_idx");
        if index < 1 || outside(index, buffers.len()) {
            let count = buffers.len();
            let message = format_args!("buffer index is {index}, expected at least 1 and less than {count}");
            reporter.report(&rules::PLAN_NCB_DEVICE, path, device.place("buffer_idx"), message)?;
        }
    }
    let (Ok(kind), Ok(index)) = (device.device_type(), device.device_index()) else { return Ok(()) };
    let own = Device { kind, index };
    own.check(device, (rules::PLAN_NCB_DEVICE.key(), rules::PLAN_NCB_DEVICE_KNOWN.key()), entry, reporter)?;
    if kind.0 > 0 {
        let message = format_args!("the buffer is on {own}, expected the host (CPU)");
        let (path, at) = (&entry.field("device_type"), device.place("device_type"));
        return reporter.report(&rules::PLAN_NCB_HOST, path, at, message);
    }
    Ok(())
}

/// Checks a chain. The verification pass has already visited its instructions.
pub(super) fn chain(chain: Chain<'_>, plan: &MethodPlan<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    let instructions = chain.instructions();
    reporter.require(&rules::PLAN_CHAINS, "instructions", &instructions, chain.table(), path)?;
    let Some(count) = plan.count() else { return Ok(()) };
    for (name, items) in [("inputs", chain.inputs()), ("outputs", chain.outputs())] {
        if let Ok(Some(items)) = items {
            expect_inside(rules::PLAN_CHAIN_IO.key(), items, count, &path.field(name), reporter)?;
        }
    }
    if let (Ok(Some(stacks)), Ok(Some(instructions))) = (chain.stacktrace(), instructions)
        && !stacks.is_empty()
        && stacks.len() != instructions.len()
    {
        let message = format_args!(
            "found {} call stacks, expected one for each of the {} instructions",
            stacks.len(),
            instructions.len()
        );
        reporter.report(&rules::PLAN_CHAIN_IO, &path.field("stacktrace"), stacks.count_span(), message)?;
    }
    Ok(())
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use std::vec;

    use super::*;

    #[test]
    fn finds_each_entry_that_equals_an_earlier_one() {
        let entries = [Some(7), None, Some(-1), Some(7), None, Some(0), Some(-1), Some(7)];
        let mut found = vec![];
        let mut note = |later, earlier| {
            found.push((later, earlier));
            Ok(())
        };
        equal_entries(&mut [0; 8], &|index| entries[index], &mut note).unwrap();
        found.sort_unstable();
        assert_eq!(found, [(3, 0), (6, 2), (7, 3)]);
    }
}
