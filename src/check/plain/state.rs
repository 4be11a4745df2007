//! The state of the visit of a program, and of the visit of one method.

use super::super::Options;
use super::super::source::Bytes;
use super::object::{Visit, VtableShape};
use super::require;
use super::segments::{SegmentRole, Segments};
use crate::flatbuffer::Vector;
use crate::pte::schema as pte;

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

/// Declares the vtables that the pass remembers: for each type of table, the number of fields and of vtables.
///
/// A table has two usual vtables if a field often has its default value, because writers leave such a field out.
macro_rules! method_shapes {
    ($($name:ident: $table:ident $fields:literal * $count:literal;)*) => {
        /// The vtables of the tables of methods.
        pub(super) struct MethodShapes<'a> {
            $(pub(super) $name: [VtableShape<pte::$table<'a>, $fields>; $count],)*
        }

        impl MethodShapes<'_> {
            pub(super) const NONE: Self = MethodShapes { $($name: [VtableShape::NONE; $count],)* };
        }
    };
}

method_shapes! {
    plan: ExecutionPlan 10 * 1;
    meta: ContainerMetadata 2 * 1;
    operator: Operator 2 * 1;
    delegate: BackendDelegate 3 * 1;
    blob: BackendDelegateDataReference 2 * 1;
    spec: CompileSpec 2 * 1;
    value: EValue 2 * 2;
    null: Null 0 * 1;
    int: Int 1 * 2;
    bool: Bool 1 * 2;
    double: Double 1 * 2;
    string: String 1 * 1;
    int_list: IntList 1 * 1;
    double_list: DoubleList 1 * 1;
    bool_list: BoolList 1 * 1;
    tensor_list: TensorList 1 * 1;
    optional_tensor_list: OptionalTensorList 1 * 1;
    tensor: Tensor 10 * 4;
    extra: ExtraTensorInfo 5 * 1;
    allocation: AllocationDetails 3 * 2;
    chain: Chain 4 * 1;
    instruction: Instruction 2 * 1;
    kernel_call: KernelCall 2 * 2;
    delegate_call: DelegateCall 2 * 2;
}

/// The number of operators whose signatures the pass remembers.
pub(super) const REMEMBERED: usize = 64;

/// The lists of one method to which its tables refer by index.
pub(super) struct Method<'a> {
    pub(super) view: pte::ExecutionPlan<'a>,
    pub(super) values: Vector<'a, pte::EValue<'a>>,
    pub(super) operators: Option<Vector<'a, pte::Operator<'a>>>,
    /// For each of the first operators, 1 plus the index of its signature; 0 for operators without a signature.
    pub(super) signatures: [u8; REMEMBERED],
    pub(super) delegates: usize,
    /// The sizes of the planned buffers.
    pub(super) buffers: &'a [[u8; 8]],
}
