//! **Builds a program's tables** as [`TableTree`]s, and assigns indexes to values, operators and instructions.
//!
//! Like the official writers, the builders omit fields with the value zero. Each builder dereferences to its tree, so
//! callers can set other fields.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::pte::builder::{PlanBuilder, TensorBuilder, program};
//! use torchproof::pte::{PackOptions, ProgramData, pack};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let floats = || TensorBuilder::contiguous(ScalarType::FLOAT, &[2, 2]); // 16 bytes
//! let mut plan = PlanBuilder::new("forward");
//! let memory = plan.push_buffer(32);
//! let weight = plan.push_value(floats().constant(1));
//! let input = plan.push_value(floats().planned(memory, 0));
//! let output = plan.push_value(floats().planned(memory, 16));
//! let alpha = plan.push_value(1_i64);
//! let add = plan.push_operator("aten::add", "out");
//! plan.push_kernel_call(add, &[input, weight, alpha, output, output]);
//! let program = program([plan.with_io(&[input], &[output])]);
//!
//! let mut data = ProgramData::default();
//! data.constants = vec![&[0; 16]];
//! let file = pack(&program, data, &PackOptions::default())?.to_bytes()?;
//! assert_eq!(torchproof::pte::Pte::open(&file)?.segment_bytes(0)?, [0; 16]);
//! # Ok(()) }
//! ```

use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

use super::schema::{
    AllocationDetails, Bool, BoolList, Chain, ContainerMetadata, Double, DoubleList, EValue, ExecutionPlan,
    Instruction, Int, IntList, KernelCall, Operator, Program, String, Tensor, TensorDataLocation,
};
use crate::ScalarType;
use crate::flatbuffer::schema::{Scalar, TableView};
use crate::flatbuffer::tree::{FieldValue, Repr, TableTree};
use crate::ptd::builder::{contiguous, dense};

/// Builds a program with the methods in `plans` and no data.
///
/// ```
/// use torchproof::pte::builder::{PlanBuilder, program};
/// let program = program([PlanBuilder::new("forward")]);
/// let file = torchproof::pte::write(&program, &[], &Default::default())?;
/// assert_eq!(&file[4..8], b"ET12");
/// # Ok::<(), torchproof::write::WriteError>(())
/// ```
#[must_use]
pub fn program(plans: impl IntoIterator<Item = impl Into<TableTree>>) -> TableTree {
    TableTree::new(Program::TYPE)
        .with("execution_plan", plans.into_iter().map(Into::into).collect::<Vec<TableTree>>())
        .with("constant_buffer", NONE)
        .with("backend_delegate_data", NONE)
}

const NONE: [TableTree; 0] = [];

/// Builds one method, which is a tree of type [`ExecutionPlan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanBuilder(TableTree);

impl PlanBuilder {
    /// Creates a method without values, with one empty chain and the reserved planned buffer 0.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let shapes = TableTree::new(ContainerMetadata::TYPE).with("encoded_inp_str", "").with("encoded_out_str", "");
        let tree = TableTree::new(ExecutionPlan::TYPE)
            .with("name", name)
            .with("container_meta_type", shapes)
            .with("values", NONE)
            .with("inputs", [0_i32; 0])
            .with("outputs", [0_i32; 0])
            .with("chains", [chain(Vec::new())])
            .with("operators", NONE)
            .with("delegates", NONE)
            .with("non_const_buffer_sizes", [0_i64]);
        Self(tree)
    }

    /// Sets the method's inputs and outputs, as indexes of values.
    #[must_use]
    pub fn with_io(mut self, inputs: &[i32], outputs: &[i32]) -> Self {
        self.assign("inputs", inputs);
        self.assign("outputs", outputs);
        self
    }

    /// Adds a value and returns its index.
    ///
    /// Accepts a number, a bool, a string, a vector of numbers or bools, a tensor, or any other table of the
    /// `KernelTypes` union.
    ///
    /// ```
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::TableTree;
    /// use torchproof::pte::builder::PlanBuilder;
    /// use torchproof::pte::schema::Null;
    /// let mut plan = PlanBuilder::new("forward");
    /// assert_eq!([plan.push_value(true), plan.push_value("text"), plan.push_value(TableTree::new(Null::TYPE))], [0, 1, 2]);
    /// ```
    pub fn push_value(&mut self, value: impl Into<FieldValue>) -> i32 {
        let value = value.into();
        let (ty, field) = match &value.0 {
            Repr::Scalar(Scalar::Bool, _) => (Bool::TYPE, "bool_val"),
            Repr::Scalar(Scalar::F64, _) => (Double::TYPE, "double_val"),
            Repr::Scalar(..) => (Int::TYPE, "int_val"),
            Repr::String(_) => (String::TYPE, "string_val"),
            Repr::Scalars(Scalar::Bool, _) => (BoolList::TYPE, "items"),
            Repr::Scalars(Scalar::F64, _) => (DoubleList::TYPE, "items"),
            Repr::Scalars(..) => (IntList::TYPE, "items"),
            Repr::Table(_) | Repr::Tables(_) | Repr::Opaque => {
                return index(self.push("values", TableTree::new(EValue::TYPE).with("val", value)));
            }
        };
        self.push_value(TableTree::new(ty).with(field, value))
    }

    /// Adds an operator and returns its index.
    pub fn push_operator(&mut self, name: &str, overload: &str) -> i32 {
        index(self.push("operators", TableTree::new(Operator::TYPE).with("name", name).with("overload", overload)))
    }

    /// Adds a planned buffer of `bytes` bytes and returns its `memory_id`.
    ///
    /// ```
    /// use torchproof::pte::builder::PlanBuilder;
    /// assert_eq!(PlanBuilder::new("forward").push_buffer(1 << 20), 1); // buffer 0 is reserved
    /// ```
    pub fn push_buffer(&mut self, bytes: i64) -> u32 {
        let mut sizes = self.get("non_const_buffer_sizes").and_then(FieldValue::as_bytes).unwrap_or_default().to_vec();
        sizes.extend(bytes.to_le_bytes());
        let id = sizes.len() / 8 - 1;
        self.assign("non_const_buffer_sizes", FieldValue(Repr::Scalars(Scalar::I64, sizes)));
        u32::try_from(id).unwrap_or(u32::MAX)
    }

    /// Adds a kernel call to the first chain and returns the instruction's index.
    ///
    /// `operator` is the index of an operator; `args` are the indexes of values.
    pub fn push_kernel_call(&mut self, operator: i32, args: &[i32]) -> i32 {
        self.push_instruction(TableTree::new(KernelCall::TYPE).with("op_index", operator).with("args", args))
    }

    /// Adds an instruction to the first chain and returns its index.
    ///
    /// `arguments` is a table of the `InstructionArguments` union.
    ///
    /// ```
    /// use torchproof::flatbuffer::schema::TableView;
    /// use torchproof::flatbuffer::tree::TableTree;
    /// use torchproof::pte::builder::PlanBuilder;
    /// use torchproof::pte::schema::MoveCall;
    /// let mut plan = PlanBuilder::new("forward");
    /// let (from, to) = (plan.push_value(1), plan.push_value(2));
    /// plan.push_instruction(TableTree::new(MoveCall::TYPE).with("move_from", from).with("move_to", to));
    /// ```
    pub fn push_instruction(&mut self, arguments: TableTree) -> i32 {
        let Some(first) = self.tables_mut("chains").and_then(|chains| chains.first_mut()) else { return 0 };
        index(first.push("instructions", instruction(arguments)))
    }
}

/// An index that does not fit becomes `i32::MAX`.
fn index(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

pub(crate) fn chain(instructions: Vec<TableTree>) -> TableTree {
    TableTree::new(Chain::TYPE)
        .with("inputs", [0_i32; 0])
        .with("outputs", [0_i32; 0])
        .with("instructions", instructions)
}

pub(crate) fn instruction(arguments: TableTree) -> TableTree {
    TableTree::new(Instruction::TYPE).with("instr_args", arguments)
}

/// Builds a tensor, which is a tree of type [`Tensor`].
///
/// Its data is a constant, is in planned memory or in another file, or comes from the method's caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorBuilder(TableTree);

impl TensorBuilder {
    /// Creates a contiguous tensor. `sizes` contains the number of elements in each dimension.
    ///
    /// Readers accept at most 16 dimensions. If there are more than 256, `dim_order` cannot list them all, so the
    /// tensor violates a must-rule.
    #[must_use]
    pub fn contiguous(scalar_type: ScalarType, sizes: &[i32]) -> Self {
        Self::dense(scalar_type, sizes, contiguous(sizes.len()))
    }

    pub(crate) fn dense(scalar_type: ScalarType, sizes: &[i32], dim_order: impl Into<Vec<u8>>) -> Self {
        Self(dense(Tensor::TYPE, scalar_type, sizes, dim_order))
    }

    /// Uses the constant at `index` as the tensor's data. Indexes start at 1.
    ///
    /// If the tensor is planned, `index` selects an initial value instead of a constant.
    #[must_use]
    pub fn constant(mut self, index: u32) -> Self {
        self.assign("data_buffer_idx", index);
        self
    }

    /// Places the tensor at byte `offset` of the planned buffer `memory_id`. Ids start at 1.
    ///
    /// ```
    /// use torchproof::ScalarType;
    /// use torchproof::flatbuffer::tree::FieldValue;
    /// use torchproof::pte::builder::TensorBuilder;
    /// let tensor = TensorBuilder::contiguous(ScalarType::FLOAT, &[4]).planned(1, 5 << 32);
    /// assert_eq!(tensor.at("allocation_info").unwrap().get("memory_offset_high").and_then(FieldValue::as_int), Some(5));
    /// ```
    #[must_use]
    pub fn planned(mut self, memory_id: u32, offset: u64) -> Self {
        let place = TableTree::new(AllocationDetails::TYPE)
            .with("memory_id", memory_id)
            .with("memory_offset_low", offset & u64::from(u32::MAX))
            .with("memory_offset_high", offset >> 32);
        self.assign("allocation_info", place);
        self
    }

    /// Uses the data stored under the key `name` in a data file.
    #[must_use]
    pub fn external(mut self, name: &str) -> Self {
        if let Some(extra) = self.table_or_insert("extra_tensor_info") {
            extra.assign("fully_qualified_name", name);
            extra.assign("location", TensorDataLocation::EXTERNAL);
        }
        self
    }
}

macro_rules! builders {
    ($($builder:ident)*) => {$(
        impl Deref for $builder {
            type Target = TableTree;

            fn deref(&self) -> &TableTree {
                &self.0
            }
        }

        impl DerefMut for $builder {
            fn deref_mut(&mut self) -> &mut TableTree {
                &mut self.0
            }
        }

        impl From<$builder> for TableTree {
            fn from(builder: $builder) -> Self {
                builder.0.without_defaults()
            }
        }
    )*};
}

builders! { PlanBuilder TensorBuilder }

impl From<TensorBuilder> for FieldValue {
    fn from(tensor: TensorBuilder) -> Self {
        TableTree::from(tensor).into()
    }
}
