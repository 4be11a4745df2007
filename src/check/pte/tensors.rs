//! Checks tensors: layout, data and planned memory.

use crate::Span;
use crate::check::Target;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::{Flow, OffsetTarget, Path, Stop, VisitedTable};
use crate::pte::schema::brief::{ExtraTensorInfo, Tensor};
use crate::pte::schema::{TensorDataLocation, TensorShapeDynamism};
use crate::rules::{RuleKey, tensors as rules};

use super::super::finding::Reporter;
use super::super::layout::{self, QuotedList, StoredLayout};
use super::memory::PlannedPlace;
use super::plan::{Device, FLOW, MethodPlan};
use super::storage::Storage;
use super::target32;

#[derive(Clone, Copy, Default)]
pub(super) struct TensorCounts {
    pub(super) named: usize,
    /// The number of tensors whose data is in a data file.
    pub(super) external: u32,
}

#[allow(clippy::too_many_arguments, reason = "a tensor is checked against several parts of the program")]
pub(super) fn check<'a>(
    tensor: &VisitedTable<'_, 'a, Tensor<'a>>,
    place: Option<PlannedPlace<'a>>,
    plan: &mut MethodPlan<'a>,
    storage: &mut Storage<'a, '_>,
    target: Target,
    counts: &mut TensorCounts,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let dynamism = tensor.shape_dynamism();
    let bytes = match layout::ordinary(tensor.scalar_type(), tensor.sizes(), tensor.dim_order()) {
        Some(bytes) => Some(bytes),
        None => layout_of(tensor, dynamism, target, path, reporter)?,
    };
    if dynamism != TensorShapeDynamism::STATIC {
        unusual_dynamism(tensor.view(), dynamism, path, reporter)?;
    }
    if tensor.storage_offset() != 0 || tensor.layout() != 0 {
        rarely_set(tensor.view(), path, reporter)?;
    }
    let mut external = false;
    let mut device = Device::HOST;
    let planned = !tensor.allocation_info().is_absent();
    let buffer = tensor.data_buffer_idx();
    if let Some(extra) = tensor.extra_tensor_info().open() {
        let path = &path.field("extra_tensor_info");
        external = extra.location() == Ok(TensorDataLocation::EXTERNAL);
        extra_info(extra, external, counts, path, reporter)?;
        if let (Ok(kind), Ok(index)) = (extra.device_type(), extra.device_index()) {
            device = Device { kind, index };
        }
        device.check(extra, (rules::T_DEVICE.key(), rules::T_DEVICE_KNOWN.key()), path, reporter)?;
        if !planned && (buffer > 0 || external) && device.kind.0 >= 0 && !device.is_host() {
            let message = format_args!("the tensor is a constant on {device}, expected the host (CPU)");
            let at = extra.place("device_type");
            reporter.report(&rules::T_CONST_HOST, &path.field("device_type"), at, message)?;
        }
    }
    if !planned && (buffer > 0 || external) && dynamism != TensorShapeDynamism::STATIC && dynamism.name().is_some() {
        let message = format_args!("shape_dynamism of a constant is {}, expected STATIC", dynamism.0);
        let at = tensor.place("shape_dynamism");
        reporter.report(&rules::T_CONST_STATIC, &path.field("shape_dynamism"), at, message)?;
    }
    plan.uses |= FLOW * u8::from(!planned && buffer == 0 && !external && !reporter.must_only());
    if buffer > 0 && !external {
        storage.tensor(tensor, buffer, planned, bytes, path, reporter)?;
    }
    match place {
        Some(place) => place.check(bytes, device, plan, target, path, reporter),
        None => Ok(()),
    }
}

/// Checks a tensor's layout. Returns its size in bytes, if known.
#[cold]
fn layout_of<'a>(
    tensor: &VisitedTable<'_, 'a, Tensor<'a>>,
    dynamism: TensorShapeDynamism,
    target: Target,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Result<Option<u64>, Stop> {
    let (sizes, dim_order) = (tensor.sizes(), tensor.dim_order());
    let found =
        StoredLayout { table: tensor.table(), scalar_type: tensor.scalar_type(), scalar_slot: 0, sizes, dim_order };
    let layout::CheckedLayout { bytes, ordered } = layout::check(&layout::PROGRAM, &found, path, reporter)?;
    if let (OffsetTarget::Here(sizes), OffsetTarget::Here(dim_order), Some(bytes)) = (sizes, dim_order, bytes) {
        if ordered {
            strides(sizes, dim_order, dynamism, path, reporter)?;
        }
        if target == Target::Bits32 && dynamism == TensorShapeDynamism::STATIC && target32::exceeds_target(bytes, sizes)
        {
            let message = format_args!("the tensor has {bytes} bytes, expected less than 2^32 for a 32-bit host");
            reporter.report(&rules::T_NBYTES_32BIT, &path.field("sizes"), sizes.span(), message)?;
        }
    }
    Ok(bytes)
}

/// Checks that a contiguous tensor's strides, counted in elements, fit in the runtime's signed 32-bit numbers.
fn strides(
    sizes: Vector<'_, i32>,
    order: Vector<'_, u8>,
    dynamism: TensorShapeDynamism,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    // A dimension's stride is the product of the sizes of all inner dimensions, where 0 counts as 1. If the dimension's
    // own size is 0 or 1, no access uses the stride, so another rule covers that case.
    let fixed = dynamism == TensorShapeDynamism::STATIC;
    let (mut stride, mut single) = (Some(1_i32), None);
    for dimension in order.as_bytes().iter().rev() {
        let size = sizes.get(usize::from(*dimension)).unwrap_or(1);
        if stride.is_none() && size > 1 {
            let rule = if fixed { rules::T_STRIDE_OVERFLOW.key() } else { rules::T_STRIDE_BOUND.key() };
            return large_stride(rule, sizes, order, *dimension, path, reporter);
        }
        if stride.is_none() && fixed {
            single.get_or_insert(*dimension);
        }
        stride = stride.and_then(|stride| stride.checked_mul(size.max(1)));
    }
    single.map_or(Ok(()), |dimension| large_stride(rules::T_STRIDE_ONE.key(), sizes, order, dimension, path, reporter))
}

fn large_stride(
    rule: RuleKey,
    sizes: Vector<'_, i32>,
    order: Vector<'_, u8>,
    dimension: u8,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let message = format_args!(
        "sizes {} in order {} give dimension {dimension} too large a stride, expected at most 2^31 - 1",
        QuotedList(sizes),
        QuotedList(order)
    );
    reporter.report(rule, &path.field("sizes"), sizes.span(), message)
}

#[cold]
fn unusual_dynamism(
    tensor: Tensor<'_>,
    dynamism: TensorShapeDynamism,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    let (path, at) = (&path.field("shape_dynamism"), tensor.place("shape_dynamism"));
    match dynamism {
        TensorShapeDynamism::STATIC | TensorShapeDynamism::DYNAMIC_BOUND => Ok(()),
        TensorShapeDynamism::DYNAMIC_UNBOUND => {
            let message =
                format_args!("shape_dynamism is DYNAMIC_UNBOUND, which the portable runtime does not support");
            reporter.report(&rules::T_DYNAMIC_UNBOUND, path, at, message)
        }
        other => {
            let rule = if other.0 < 0 { rules::T_DYNAMISM.key() } else { rules::T_DYNAMISM_KNOWN.key() };
            let message = format_args!("shape_dynamism is {}, expected 0 to 2", other.0);
            reporter.report(rule, path, at, message)
        }
    }
}

/// Checks that the fields that official writers always set to zero are zero.
fn rarely_set(tensor: Tensor<'_>, path: &Path<'_>, reporter: &mut impl Reporter) -> Flow {
    if let Ok(offset) = tensor.storage_offset()
        && offset != 0
    {
        let message = format_args!("storage_offset is {offset}, expected 0");
        let at = tensor.place("storage_offset");
        reporter.report(&rules::T_STORAGE_OFFSET, &path.field("storage_offset"), at, message)?;
    }
    if let Ok(layout) = tensor.layout()
        && layout != 0
    {
        let message = format_args!("layout is {layout}, expected 0");
        reporter.report(&rules::T_LAYOUT, &path.field("layout"), tensor.place("layout"), message)?;
    }
    Ok(())
}

fn extra_info(
    extra: ExtraTensorInfo<'_>,
    external: bool,
    counts: &mut TensorCounts,
    path: &Path<'_>,
    reporter: &mut impl Reporter,
) -> Flow {
    counts.external = counts.external.saturating_add(external.into());
    if let Ok(location) = extra.location()
        && location.name().is_none()
    {
        let message = format_args!("location is {}, expected 0 or 1", location.0);
        reporter.report(&rules::T_LOCATION_ENUM, &path.field("location"), extra.place("location"), message)?;
    }
    match extra.fully_qualified_name() {
        Ok(None) if external => {
            let (path, at) = (&path.field("fully_qualified_name"), extra.table().span());
            let message = format_args!("fully_qualified_name of an external tensor is absent");
            reporter.report(&rules::T_EXTERNAL, path, at, message)?;
        }
        Ok(Some(name)) => {
            counts.named += 1;
            if external && name.as_bytes().is_empty() {
                let (path, at) = (&path.field("fully_qualified_name"), Span::new(name.span().offset - 4, 4));
                let message = format_args!("fully_qualified_name of an external tensor is empty");
                reporter.report(&rules::T_EXTERNAL_NONEMPTY, path, at, message)?;
            }
        }
        _ => {}
    }
    Ok(())
}
