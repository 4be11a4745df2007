//! A method's tables.

use serde::Serialize;

use super::columns::{Lists, Words, item};

/// An input or an output.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PortOutput {
    /// The value's index.
    pub value: i32,
    /// The type, such as `Tensor` or `Int`; `unknown` if there is no such value.
    #[serde(rename = "type")]
    pub ty: String,
    /// The index into `tensor_types`; absent for other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<i32>,
}

/// A method's values.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ValueTable {
    /// The type, such as `Tensor` or `Int`.
    #[serde(rename = "type")]
    pub ty: Words,
    /// The index into `tensor_types`, or -1.
    pub tensor: Vec<i32>,
    /// Where a tensor's bytes are: `planned`, `constant`, `mutable` (planned, with an initial value), `external` (in a data file or
    /// named data), `input` and `output` (memory of the caller), `view` (memory of another tensor), `unbound` (allocated at run time)
    /// or `none` (no memory, a fault).
    pub place: Words,
    /// The index into `bytes.parts` of the constant or the initial value, or -1.
    pub part: Vec<i32>,
    /// The fully qualified name of a tensor.
    pub name: Words,
    /// A value other than a tensor, as text.
    pub shown: Words,
}

/// A method's operators.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OperatorTable {
    /// The name, and the overload after a dot.
    pub name: Vec<String>,
    /// The number of kernel calls.
    pub calls: Vec<usize>,
}

impl OperatorTable {
    /// Returns whether the operator makes its last argument a view of its first.
    pub(super) fn is_view(&self, operator: i32) -> bool {
        item(&self.name, operator).is_some_and(|name| name.starts_with("executorch_prim::et_view"))
    }
}

/// A delegate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DelegateOutput {
    /// The backend's id.
    pub backend: String,
    /// The blob's size.
    pub bytes: u64,
    /// The number of delegate calls.
    pub calls: u64,
    /// The index into `bytes.parts` of the blob; absent if it has no bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<i32>,
    /// What the blob's header says, if its format is public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub states: Option<String>,
    /// The compile specs, such as `compute_units=all` or `config: 24 bytes`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<String>,
}

/// A method's instructions.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InstructionTable {
    /// `kernel`, `delegate`, `move`, `jump` or `free`; absent for an unknown instruction.
    pub kind: Words,
    /// The index of the operator or the delegate, or the destination of a jump; otherwise -1.
    pub target: Vec<i32>,
    /// The indexes of the argument values. A move has its source and its destination.
    pub args: Lists,
    /// The indexes of the values that the instruction writes. A kernel writes its last argument or, if that is a list,
    /// its items. A delegate writes the tensors that nothing has written before.
    pub writes: Lists,
    /// The chain's index; absent if the method has only one chain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<i32>,
}

impl InstructionTable {
    #[must_use]
    pub fn rows(&self) -> usize {
        self.target.len()
    }
}
