//! Methods: values, tensors, planned buffers, operators and delegates.

use super::super::Target;
use super::super::pte::xnnpack::BACKEND;
use super::super::pte::{instructions::NAME_LIMIT, storage::PADDING};
use super::super::segments::ALIGNMENT;
use super::object::{VtableShape, slot_of};
use super::segments::{SegmentRole, zeros};
use super::state::{Method, MethodShapes, ProgramVisit, REMEMBERED, Stored};
use super::tensor::bytes_of;
use super::{blobs, instructions, require};
use crate::Span;
use crate::flatbuffer::Vector;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::walk::Visited;
use crate::pte::schema as pte;
use crate::pte::schema::{DataLocation, DeviceType, KernelTypes, TensorDataLocation, TensorShapeDynamism};
use crate::pte::signatures::position_of;

/// Visits a method.
pub(super) fn method<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    require!(!pass.visit.text(plan.name())?.is_empty());
    let meta = pass.visit.child(plan.container_meta_type(), &mut shapes.meta)?;
    pass.visit.optional_text(meta.encoded_inp_str())?;
    pass.visit.optional_text(meta.encoded_out_str())?;
    pass.visit.empty_list(plan.non_const_buffer_device())?;
    let buffers = planned_buffers(pass, plan)?;
    let (operators, signatures) = operators(pass, plan, shapes)?;
    let delegates = delegates(pass, plan, shapes)?;
    let values = pass.visit.list(plan.values())?;
    let method = Method { view: plan.view(), values, operators, signatures, delegates, buffers };
    for (index, position) in pass.visit.positions(values).enumerate() {
        value(pass, position?, index, &method, shapes)?;
    }
    pass.visit.list(plan.inputs())?;
    pass.visit.list(plan.outputs())?;
    instructions::visit(pass, plan, &method, shapes)
}

fn planned_buffers<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
) -> Option<&'a [[u8; 8]]> {
    let most = pass.options.limits.planned_memory.min(match pass.options.target {
        Target::Bits32 => u32::MAX.into(),
        Target::Bits64 => i64::MAX.cast_unsigned(),
    });
    let buffers = pass.visit.list(plan.non_const_buffer_sizes())?;
    let mut sum = 0_u64;
    for (index, size) in buffers.iter().enumerate() {
        require!(index > 0 || size == 0);
        // A negative size is a large unsigned number.
        sum = sum.saturating_add(size.cast_unsigned());
        require!(sum <= most);
    }
    Some(buffers.as_bytes().as_chunks().0)
}

type Operators<'a> = (Option<Vector<'a, pte::Operator<'a>>>, [u8; REMEMBERED]);

fn operators<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
) -> Option<Operators<'a>> {
    let mut signatures = [0; REMEMBERED];
    let operators = pass.visit.optional_list(plan.operators())?;
    for (index, position) in pass.visit.positions(operators.unwrap_or(Vector::EMPTY)).enumerate() {
        let operator = pass.visit.table(position?, &mut shapes.operator)?;
        let name = pass.visit.text(operator.name())?;
        let overload = pass.visit.text(operator.overload())?;
        require!(name.len() + 1 + overload.len() < NAME_LIMIT);
        if let Some(signature) = signatures.get_mut(index) {
            *signature = u8::try_from(position_of(name, overload).map_or(0, |own| own + 1)).ok()?;
        }
    }
    Some((operators, signatures))
}

fn delegates<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    plan: &Visited<'_, 'a, pte::ExecutionPlan<'a>>,
    shapes: &mut MethodShapes<'a>,
) -> Option<usize> {
    let list = pass.visit.list(plan.delegates())?;
    for position in pass.visit.positions(list) {
        let delegate = pass.visit.table(position?, &mut shapes.delegate)?;
        let id = pass.visit.text(delegate.id())?;
        if let Some(specs) = pass.visit.optional_list(delegate.compile_specs())? {
            for position in pass.visit.positions(specs) {
                let spec = pass.visit.table(position?, &mut shapes.spec)?;
                pass.visit.text(spec.key())?;
                pass.visit.list(spec.value())?;
            }
        }
        let processed = pass.visit.child(delegate.processed(), &mut shapes.blob)?;
        require!(processed.location() == DataLocation::SEGMENT);
        let (len, start) = pass.segment(processed.index(), SegmentRole::Delegate)?;
        if id == BACKEND {
            pass.xnnpack = true;
            blobs::xnnpack(Span::new(start, len), pass.bytes)?;
        }
    }
    Some(list.len())
}

/// Visits the value at `index` of the method.
#[inline]
fn value<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    position: usize,
    index: usize,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let value = pass.visit.table(position, &mut shapes.value)?;
    let ty = value.val_type();
    let at = value.val()?;
    if ty == KernelTypes::Tensor {
        return tensor(pass, at, method, shapes);
    }
    if ty == KernelTypes::Int {
        return pass.visit.follow(at, &mut shapes.int).map(|_| ());
    }
    other_value(pass, ty, at, index, method, shapes)
}

/// Visits a value that is neither a tensor nor an integer.
fn other_value<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    ty: KernelTypes,
    at: usize,
    index: usize,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let visit = &mut pass.visit;
    match ty {
        KernelTypes::Null => visit.follow(at, &mut shapes.null).map(|_| ()),
        KernelTypes::Double => visit.follow(at, &mut shapes.double).map(|_| ()),
        KernelTypes::Bool => {
            let found = visit.follow(at, &mut shapes.bool)?;
            require!(visit.is_bool(&found, const { slot_of(pte::Bool::TYPE, "bool_val") }));
            Some(())
        }
        KernelTypes::String => {
            let found = visit.follow(at, &mut shapes.string)?;
            visit.text(found.string_val()).map(|_| ())
        }
        KernelTypes::IntList => {
            let found = visit.follow(at, &mut shapes.int_list)?;
            for item in visit.list(found.items())?.iter() {
                let item = usize::try_from(item).ok()?;
                require!(visit.element(method.values, item, &mut shapes.value)?.val_type() == KernelTypes::Int);
            }
            Some(())
        }
        KernelTypes::DoubleList => {
            let found = visit.follow(at, &mut shapes.double_list)?;
            visit.list(found.items()).map(|_| ())
        }
        KernelTypes::BoolList => {
            let found = visit.follow(at, &mut shapes.bool_list)?;
            require!(visit.list(found.items())?.as_bytes().iter().all(|byte| *byte <= 1));
            Some(())
        }
        KernelTypes::TensorList => {
            let found = visit.follow(at, &mut shapes.tensor_list)?;
            for item in visit.list(found.items())?.iter() {
                let item = usize::try_from(item).ok()?;
                require!(item < index);
                require!(visit.element(method.values, item, &mut shapes.value)?.val_type() == KernelTypes::Tensor);
            }
            Some(())
        }
        KernelTypes::OptionalTensorList => {
            let found = visit.follow(at, &mut shapes.optional_tensor_list)?;
            for item in visit.list(found.items())?.iter().filter(|item| *item != -1) {
                let item = usize::try_from(item).ok()?;
                require!(item < index);
                let ty = visit.element(method.values, item, &mut shapes.value)?.val_type();
                require!(matches!(ty, KernelTypes::Tensor | KernelTypes::Null));
            }
            Some(())
        }
        _ => None,
    }
}

const REQUIRES_GRAD: usize = slot_of(pte::Tensor::TYPE, "requires_grad");

/// The fields that most tensors do not have. The function [`rare_fields`] reads these fields and no others.
const RARE: [usize; 4] = [
    REQUIRES_GRAD,
    slot_of(pte::Tensor::TYPE, "storage_offset"),
    slot_of(pte::Tensor::TYPE, "layout"),
    slot_of(pte::Tensor::TYPE, "extra_tensor_info"),
];

/// Visits the rare fields of a tensor. Returns whether the tensor's data is in a data file.
#[inline(never)]
fn rare_fields<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    tensor: &Visited<'_, 'a, pte::Tensor<'a>>,
    extra: &mut [VtableShape<pte::ExtraTensorInfo<'a>, 5>; 1],
) -> Option<bool> {
    require!(tensor.storage_offset() == 0);
    require!(tensor.layout() == 0);
    require!(pass.visit.is_bool(tensor, REQUIRES_GRAD));
    let Some(at) = tensor.extra_tensor_info().offset_position() else { return Some(false) };
    let extra = pass.visit.follow(at, extra)?;
    let external = extra.location() == TensorDataLocation::EXTERNAL;
    require!(external || extra.location() == TensorDataLocation::SEGMENT);
    require!(extra.device_type() == DeviceType::CPU);
    require!(extra.mutable_data_segments_idx() == 0);
    let name = pass.visit.optional_text(extra.fully_qualified_name())?;
    require!(!external || name.is_some_and(|name| !name.is_empty()));
    pass.named += usize::from(name.is_some());
    pass.external += u32::from(external);
    Some(external)
}

/// Visits a tensor: its layout, its data and its planned memory.
#[inline(never)]
fn tensor<'a>(
    pass: &mut ProgramVisit<'a, '_>,
    at: usize,
    method: &Method<'a>,
    shapes: &mut MethodShapes<'a>,
) -> Option<()> {
    let tensor = pass.visit.follow(at, &mut shapes.tensor)?;
    let (sizes, order) = (pass.visit.list(tensor.sizes())?, pass.visit.list(tensor.dim_order())?);
    let bytes = bytes_of(tensor.scalar_type(), sizes, order)?;
    let dynamism = tensor.shape_dynamism();
    require!(matches!(dynamism, TensorShapeDynamism::STATIC | TensorShapeDynamism::DYNAMIC_BOUND));
    let external = tensor.has_any(RARE) && rare_fields(pass, &tensor, &mut shapes.extra)?;
    let index = tensor.data_buffer_idx();
    let planned = !tensor.allocation_info().is_absent();
    if planned {
        let place = pass.visit.child(tensor.allocation_info(), &mut shapes.allocation)?;
        let id = place.memory_id();
        let offset = u64::from(place.memory_offset_low()) | u64::from(place.memory_offset_high()) << 32;
        require!(id > 0);
        require!(offset.is_multiple_of(ALIGNMENT));
        let end = offset.saturating_add(bytes);
        // A planned buffer fits in the memory of the host, and so does each tensor in the buffer.
        require!(end <= u64::from_le_bytes(*method.buffers.get(id as usize)?));
    } else {
        let constant = index > 0 || external;
        require!(!constant || dynamism == TensorShapeDynamism::STATIC);
    }
    if index == 0 || external {
        return Some(());
    }
    let Stored { offsets, size, start } = if planned { pass.mutable? } else { pass.constants? };
    let offset = offsets.get(index as usize)?;
    require!(bytes <= size.saturating_sub(offset));
    if !planned {
        let end = offset + bytes;
        if let Some(next) = offsets.get(index as usize + 1) {
            require!(end <= next);
            if next - end < PADDING {
                zeros(pass.bytes, Span::new(start + end, next - end))?;
            }
        }
    }
    Some(())
}
