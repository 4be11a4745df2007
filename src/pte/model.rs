//! **The program schema as structs that own what they hold**, and writing them; [`Program`] is the root.
//!
//! A model is read from a view, made, changed, and written with its segments' bytes. What breaks a must-rule is not written:
//! the raw layer, [`write`](mod@super::write) over trees, writes anything.
//!
//! ```
//! use torchproof::ScalarType;
//! use torchproof::pte::model::{ExecutionPlan, KernelCall, Operator, Program, SubsegmentOffsets, Tensor};
//! use torchproof::pte::write::{FileLayout, SegmentData};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let floats = || Tensor::contiguous(ScalarType::FLOAT, &[2, 2]); // 16 bytes
//! let mut plan = ExecutionPlan::new("forward");
//! let memory = plan.push_buffer(32);
//! let weight = plan.push_value(floats().constant(1));
//! let input = plan.push_value(floats().planned(memory, 0));
//! let output = plan.push_value(floats().planned(memory, 16));
//! let alpha = plan.push_value(1_i64);
//! let add = plan.push_operator(Operator::new("aten::add", "out"));
//! plan.push_instruction(KernelCall::new(add, [input, weight, alpha, output, output]));
//! let mut program = Program::new([plan.with_io([input], [output])]);
//! program.constant_segment = Some(SubsegmentOffsets::of_constants(0, &[0]));
//!
//! let file = program.write(&[SegmentData::new(&[0; 16])], &FileLayout::default())?;
//! let open = torchproof::pte::Pte::open(&file)?;
//! let back = Program::from_view(open.program(), torchproof::Limits::DEFAULT)?;
//! assert_eq!(back.execution_plan, program.execution_plan);
//! # Ok(()) }
//! ```

mod plan;
mod values;

pub use super::schema::owned_tables::*;
pub use super::schema::owned_unions::*;
pub use crate::flatbuffer::model::Text;
pub use crate::write::Refusal;

use alloc::vec;
use alloc::vec::Vec;

use super::write::{self, FileLayout, SegmentData};
use crate::check::Kind;
use crate::write::refusal::{checked_file, checked_plan};
use crate::write::{Plan, Root, Shape, shapes_of};

impl Program {
    /// A program of these methods, without data.
    ///
    /// ```
    /// use torchproof::pte::model::{ExecutionPlan, Program};
    /// let file = Program::new([ExecutionPlan::new("forward")]).write(&[], &Default::default())?;
    /// assert_eq!(&file[4..8], b"ET12");
    /// # Ok::<(), torchproof::pte::model::Refusal>(())
    /// ```
    #[must_use]
    pub fn new(plans: impl Into<Vec<ExecutionPlan>>) -> Self {
        Self {
            execution_plan: Some(plans.into()),
            constant_buffer: Some(Vec::new()),
            backend_delegate_data: Some(Vec::new()),
            ..Self::default()
        }
    }

    /// Writes the program and these segments as a file that breaks no must-rule.
    ///
    /// `segments` is filled in from the segments' places, whatever it holds. Without segment data there is no header, unless
    /// the layout says otherwise.
    ///
    /// # Errors
    ///
    /// [`Refusal`], by whose fault it is.
    pub fn write(&self, segments: &[SegmentData<'_>], layout: &FileLayout) -> Result<Vec<u8>, Refusal> {
        checked_file(
            write::plan_root(self, &shapes_of(segments), layout, write::Deviations::default())?.with_bytes(segments)?,
            Kind::Pte,
        )
    }

    /// Plans the file for segments whose bytes are not in memory: all but them.
    ///
    /// What is in the segments is not looked at, so padding between constants is taken to be zeros.
    ///
    /// ```
    /// use torchproof::pte::model::{ExecutionPlan, NamedData, Program};
    /// use torchproof::pte::write::FileLayout;
    /// use torchproof::write::Shape;
    ///
    /// let mut program = Program::new([ExecutionPlan::new("forward")]);
    /// program.named_data = Some(vec![NamedData::new("weights", 0)]);
    /// let plan = program.plan(&[Shape::new(20 << 30)], &FileLayout::default())?;
    /// assert_eq!(plan.len(), plan.base() + (20 << 30));
    /// # Ok::<(), torchproof::pte::model::Refusal>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Program::write`].
    pub fn plan(&self, shapes: &[Shape], layout: &FileLayout) -> Result<Plan, Refusal> {
        checked_plan(write::plan_root(self, shapes, layout, write::Deviations::default())?, Kind::Pte)
    }
}

impl Root for Program {
    fn keeps(&self, _: &str) -> bool {
        false
    }
}

impl SubsegmentOffsets {
    /// Where constants begin in the segment of this index, each in bytes from the segment's start.
    ///
    /// Entry 0 is the placeholder that writers put first, so the first constant is entry 1.
    ///
    /// ```
    /// use torchproof::pte::model::SubsegmentOffsets;
    /// assert_eq!(SubsegmentOffsets::of_constants(0, &[0, 64]).offsets, Some(vec![0, 0, 64]));
    /// ```
    #[must_use]
    pub fn of_constants(segment_index: u32, starts: &[u64]) -> Self {
        let mut offsets = vec![0];
        offsets.extend_from_slice(starts);
        Self { segment_index, offsets: Some(offsets) }
    }
}

impl NamedData {
    /// The segment of this index, under a key.
    ///
    /// ```
    /// use torchproof::pte::model::NamedData;
    /// assert_eq!(NamedData::new("tokenizer", 3).segment_index, 3);
    /// ```
    #[must_use]
    pub fn new(key: impl Into<Text>, segment_index: u32) -> Self {
        Self { key: Some(key.into()), segment_index }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
