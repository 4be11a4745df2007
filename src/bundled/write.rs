//! Writing a bundled program: one FlatBuffer, with a whole program file in it.

use alloc::vec::Vec;

use super::schema::BundledProgram;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{Plan, WriteError, check_root};

/// Plans a bundled program, whose `program` is a whole `.pte`, as the official writer lays it out.
///
/// The program is at a multiple of 32 and the tensors' bytes are at multiples of 16, as in the schema. The file has no header and
/// no segments, so the plan is the whole file. The program is not checked.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use torchproof::bundled::Bundled;
/// use torchproof::bundled::schema::BundledProgram;
/// use torchproof::bundled::plan;
/// use torchproof::flatbuffer::schema::TableView;
/// use torchproof::flatbuffer::tree::TableTree;
///
/// let program = std::fs::read("corpus/real/linear.pte")?;
/// let file = plan(&TableTree::new(BundledProgram::TYPE).with("version", 2).with("program", program.clone()))?;
/// let bundle = Bundled::open(file.head())?;
/// assert_eq!(bundle.program_bytes()?, program);
/// assert_eq!(bundle.root().program()?.unwrap().element_span(0).offset % 32, 0);
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// When the tree is of another root, cannot be encoded, or comes to 2^31 bytes or more.
pub fn plan(root: &TableTree) -> Result<Plan, WriteError> {
    check_root(root, &[BundledProgram::TYPE])?;
    Ok(Plan::without_header(encode(root, super::IDENTIFIER)?, Vec::new()))
}
