//! **What is in a model**: methods, bytes, memory and findings, as tables that serialize to JSON.

mod budget;
mod columns;
mod equal;
mod file;
mod header;
mod method;
mod package;
mod parts;
mod plan;
mod stored;
mod tables;

use serde::Serialize;
use torchproof::FileKind;

pub use columns::{Lists, TensorType, Words, item};
pub use equal::Digests;
pub(crate) use equal::hex;
pub use file::{brief, inspect};
pub use header::HeaderField;
pub use method::{ConstantMethod, MethodOutput};
pub use parts::{ByteSum, BytesOutput, EqualParts, PartRole, PartTable};
pub use plan::{PlanOutput, PlannedBuffer, PlannedTensors};
pub use stored::SegmentTable;
pub use tables::{DelegateOutput, InstructionTable, OperatorTable, PortOutput, ValueTable};

use crate::check::FileResult;
use crate::needs::NeedsOutput;

/// What is in a model.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct InspectOutput {
    /// The file.
    pub file: FileOutput,
    /// The result of the check, as an item of `files` in the output of `check`.
    pub check: FileResult,
    /// What a build needs, as in the output of `needs`; absent for files without a program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsOutput>,
    /// The types of all tensors, each once. Other tables refer to them by index.
    pub tensor_types: Vec<TensorType>,
    /// Where the bytes are.
    pub bytes: BytesOutput,
    /// The methods except those in `constant_methods`.
    pub methods: Vec<MethodOutput>,
    /// The methods that only return values, such as the model's metadata.
    pub constant_methods: Vec<ConstantMethod>,
    /// The test cases of a bundled program, by method.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestsOutput>,
    /// The header's fields.
    pub header: Vec<HeaderField>,
    /// The segments, one row each.
    pub segments: SegmentTable,
    /// What had to be left out of the tables because the file is enormous.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub omitted: Vec<String>,
}

impl InspectOutput {
    /// Returns the type that a number in a column `tensor` refers to; `None` for -1.
    #[must_use]
    pub fn tensor_type(&self, number: i32) -> Option<&TensorType> {
        item(&self.tensor_types, number)
    }

    /// Returns the type of a value; for a tensor, text such as `FLOAT [1, 4]`.
    #[must_use]
    pub fn type_of(&self, port: &PortOutput) -> String {
        port.tensor.and_then(|ty| self.tensor_type(ty)).map_or_else(|| port.ty.clone(), TensorType::text)
    }
}

/// A file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileOutput {
    /// The last part of the path.
    pub name: String,
    /// The kind.
    pub kind: FileKind,
    /// The size.
    pub bytes: u64,
    /// The version of the schema in the root table; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// The size of the FlatBuffer; absent if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flatbuffer_bytes: Option<u64>,
}

/// The test cases of one method.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestsOutput {
    /// The method.
    pub method: String,
    /// The number of test cases.
    pub cases: u64,
    /// The size of their inputs and expected outputs.
    pub bytes: u64,
}
