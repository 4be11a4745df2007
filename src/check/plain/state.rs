//! The state of the visit of a program, and of the visit of one method.

use super::super::Options;
use super::super::source::Bytes;
use super::object::{Visit, VtableShape};
use super::require;
use super::segments::{SegmentRole, Segments};
use crate::flatbuffer::Vector;
use crate::pte::schema as pte;
use crate::pte::schema::KernelTypes;

/// The state of the visit of a program.
pub(super) struct ProgramVisit<'a, 'm> {
    pub(super) visit: Visit<'a>,
    pub(super) bytes: Bytes<'m>,
    pub(super) options: &'m Options,
    pub(super) segments: Segments<'m>,
    pub(super) constants: Option<Stored<'a>>,
    pub(super) mutable: Option<Stored<'a>>,
    /// The number of tensors with a name.
    pub(super) named: usize,
    pub(super) external: u32,
    /// Whether a delegate has an XNNPACK blob.
    pub(super) xnnpack: bool,
}

/// The constants or the initial values in one segment.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a> {
    pub(super) offsets: Vector<'a, u64>,
    /// The segment's size.
    pub(super) size: u64,
    /// The position of the segment in the file.
    pub(super) start: u64,
}

impl ProgramVisit<'_, '_> {
    /// Records the use of a segment that must have bytes. Returns the segment's size and its position in the file.
    pub(super) fn segment(&mut self, index: u32, role: SegmentRole) -> Option<(u64, u64)> {
        let range = self.segments.refer(index, role)?;
        let place = self.segments.place(range);
        require!(place.len > 0);
        Some((place.len, place.offset))
    }
}

/// The vtables of the frequent tables of methods.
pub(super) struct MethodShapes<'a> {
    pub(super) value: [VtableShape<pte::EValue<'a>, 2>; 2],
    pub(super) tensor: [VtableShape<pte::Tensor<'a>, 10>; 4],
    pub(super) allocation: [VtableShape<pte::AllocationDetails<'a>, 3>; 1],
    pub(super) extra: [VtableShape<pte::ExtraTensorInfo<'a>, 5>; 1],
    pub(super) int: [VtableShape<pte::Int<'a>, 1>; 1],
    pub(super) instruction: [VtableShape<pte::Instruction<'a>, 2>; 1],
    pub(super) kernel_call: [VtableShape<pte::KernelCall<'a>, 2>; 1],
}

impl MethodShapes<'_> {
    pub(super) const NONE: Self = MethodShapes {
        value: [VtableShape::NONE; 2],
        tensor: [VtableShape::NONE; 4],
        allocation: [VtableShape::NONE],
        extra: [VtableShape::NONE],
        int: [VtableShape::NONE],
        instruction: [VtableShape::NONE],
        kernel_call: [VtableShape::NONE],
    };
}

/// The lists of one method to which its tables refer by index.
pub(super) struct Method<'a> {
    pub(super) view: pte::ExecutionPlan<'a>,
    pub(super) values: Vector<'a, pte::EValue<'a>>,
    pub(super) operators: usize,
    /// Which of the first 64 operators may be the runtime's own operators.
    pub(super) own: u64,
    pub(super) delegates: usize,
    pub(super) buffers: Vector<'a, i64>,
}

/// The type of the value at `index`; `None` if the value does not exist.
#[inline]
pub(super) fn type_of<'a>(
    pass: &ProgramVisit<'a, '_>,
    method: &Method<'a>,
    index: usize,
    shapes: &MethodShapes<'a>,
) -> Option<KernelTypes> {
    match pass.visit.peek(method.values, index, &shapes.value) {
        Some(value) => Some(value.val_type()),
        None => method.values.get(index)?.ok()?.val_type().ok(),
    }
}
