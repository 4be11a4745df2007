//! The contexts of fields: file properties that change how a loader handles a broken rule.

use crate::FileBytes;
use crate::check::Finding;
use crate::flatbuffer::Vector;
use crate::layout::nbytes;
use crate::ptd::FlatTensorHeader;
use crate::pte::schema::{
    EValue, ExecutionPlan, ExtraTensorInfo, KernelTypesValue, Tensor, TensorDataLocation, TensorShapeDynamism,
};
use crate::pte::{ExtendedHeader, Pte};

/// Returns the context of a finding in a data file. If the sum of the segment base and the segment size wraps, the sum
/// passes the loader's comparison with the file's size, so the loader fails later.
pub(super) fn of_data_file(finding: &Finding, bytes: &[u8]) -> Option<&'static str> {
    let header = FlatTensorHeader::find(bytes).ok()?;
    let wraps = header.segment_base_offset.checked_add(header.segment_data_size).is_none();
    if finding.path.starts_with("header.") && wraps { Some("the sum wraps") } else { of_fault(finding, bytes) }
}

/// Returns the context of a finding in a program. `has_constants` is true if a tensor uses a constant.
pub(super) fn of_program(
    finding: &Finding,
    file_bytes: FileBytes<'_>,
    program: Option<&Pte<'_>>,
    has_constants: bool,
) -> Option<&'static str> {
    match finding.path.split_once('.') {
        // Do not use `program` here, because `Pte::open` fails for a program with a wrong header.
        Some(("header", _)) => of_header(file_bytes),
        // A loader reads an empty constant segment only for tensors that use constants.
        Some(("constant_segment", _)) if has_constants => Some("constants in use"),
        _ => of_fault(finding, file_bytes.bytes()).or_else(|| of_value(&finding.path, program?)),
    }
}

/// Since 1.1, a loader first compares the file's size with the end of the segments, or with the program's size if the
/// header does not give that end.
fn of_header(file_bytes: FileBytes<'_>) -> Option<&'static str> {
    let header = ExtendedHeader::find(file_bytes.bytes()).ok()??;
    let (base, size) = (header.segment_base_offset, header.segment_data_size.unwrap_or(0));
    let end = if base == 0 { Some(header.program_size) } else { base.checked_add(size) };
    let is_compared = size > 0 || base == 0;
    match end.filter(|_| is_compared) {
        None if is_compared => Some("the sum wraps"),
        Some(end) if end > file_bytes.len() => Some("the file is too short"),
        _ if header.program_size < 8 => Some("less than 8 bytes"),
        _ => None,
    }
}

/// Returns the context of a fault in the FlatBuffer. The official verifier misses some faults: it accepts a vtable of 0
/// or 2 bytes, reads the target of every element, and does not check the alignment of 8-byte elements.
fn of_fault(finding: &Finding, bytes: &[u8]) -> Option<&'static str> {
    let start = usize::try_from(finding.span.offset).ok()?;
    let value = bytes.get(start..)?.get(..usize::try_from(finding.span.len).ok()?)?;
    match finding.rule.id {
        "fb-vtable-valid" if matches!(value, [0 | 2, 0]) => Some("vtable of 0 or 2 bytes"),
        "fb-uoffset-valid" if *value == [0; 4] && finding.path.ends_with(']') => Some("element with the offset 0"),
        "fb-union-consistent" if value.len() == 4 => Some("value without a type"),
        "fb-alignment" if finding.span.offset.is_multiple_of(4) => Some("aligned to 4 bytes"),
        _ => None,
    }
}

/// Returns the context of a finding about a method's value. A loader reports what is wrong with external tensors,
/// inputs, outputs and named tensors before anything else.
fn of_value(path: &str, program: &Pte<'_>) -> Option<&'static str> {
    let (plan, rest) = index_after(path, "execution_plan[")?;
    let (value, field) = index_after(rest, ".values[")?;
    let plan = program.program().execution_plan().ok()??.get(plan)?.ok()?;
    let tensor = tensor_of(plan.values().ok()??.get(value)?.ok()?);
    match tensor {
        Some(tensor) if field.ends_with(".data_buffer_idx") => of_initial_value(tensor, program),
        _ => use_of(plan, value, tensor),
    }
}

/// Returns how the method uses the value at `index`.
pub(super) fn use_of(plan: ExecutionPlan<'_>, index: usize, tensor: Option<Tensor<'_>>) -> Option<&'static str> {
    let lists = |list: Option<Vector<'_, i32>>| {
        list.is_some_and(|list| list.iter().any(|item| usize::try_from(item) == Ok(index)))
    };
    let is_dynamic = |tensor: Tensor<'_>| tensor.shape_dynamism() != Ok(TensorShapeDynamism::STATIC);
    let extra = tensor.and_then(|tensor| tensor.extra_tensor_info().ok()?);
    if extra.is_some_and(is_external) {
        Some("external")
    } else if lists(plan.inputs().ok()?) {
        // The official validation skips dynamic inputs.
        Some(if tensor.is_some_and(is_dynamic) { "dynamic input" } else { "input" })
    } else if lists(plan.outputs().ok()?) {
        Some("output")
    } else {
        extra?.fully_qualified_name().ok()?.map(|_| "named")
    }
}

/// A loader reads only the first list of initial values, and reports an offset differently if adding the size wraps.
fn of_initial_value(tensor: Tensor<'_>, program: &Pte<'_>) -> Option<&'static str> {
    tensor.allocation_info().ok()??;
    let extra = tensor.extra_tensor_info().ok()?;
    if extra.is_some_and(|extra| extra.mutable_data_segments_idx() != Ok(0)) {
        return Some("not the first list");
    }
    let list = program.program().mutable_data_segments().ok()??.get(0)?.ok()?;
    let offset = list.offsets().ok()??.get(usize::try_from(tensor.data_buffer_idx().ok()?).ok()?)?;
    let size = nbytes(tensor.scalar_type().ok()?, tensor.sizes().ok()??).ok()?;
    offset.checked_add(size).is_none().then_some("the sum wraps")
}

/// Returns whether a tensor's data is a constant of the program.
pub(super) fn is_constant(tensor: Tensor<'_>) -> bool {
    let is_external = tensor.extra_tensor_info().ok().flatten().is_some_and(is_external);
    !is_external
        && tensor.data_buffer_idx().is_ok_and(|index| index > 0)
        && matches!(tensor.allocation_info(), Ok(None))
}

pub(super) fn is_external(extra: ExtraTensorInfo<'_>) -> bool {
    extra.location() == Ok(TensorDataLocation::EXTERNAL)
}
pub(super) fn tensor_of(value: EValue<'_>) -> Option<Tensor<'_>> {
    match value.val() {
        Ok(Some(KernelTypesValue::Tensor(tensor))) => Some(tensor),
        _ => None,
    }
}

/// For the prefix `execution_plan[`, splits `execution_plan[3].values` into the index 3 and the rest `.values`.
pub(super) fn index_after<'p>(path: &'p str, prefix: &str) -> Option<(usize, &'p str)> {
    let (index, rest) = path.strip_prefix(prefix)?.split_once(']')?;
    Some((index.parse().ok()?, rest))
}
