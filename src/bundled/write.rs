//! Writes a bundled program: one FlatBuffer that contains a program file.

use alloc::vec::Vec;

use super::schema::BundledProgram;
use crate::flatbuffer::encode;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::TableTree;
use crate::write::{FileLayout, WriteError, check_root};

/// Plans a bundled program with the layout of the official writer.
///
/// The tree's field `program` contains a complete `.pte` file, which `plan` does not check. The program is aligned to
/// 32 bytes; the data of tensors is aligned to 16 bytes. There are no segments, so the plan is the whole file.
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
/// Fails if the root is not a [`BundledProgram`], a value cannot be encoded, or the file needs 2^31 bytes or more.
pub fn plan(root: &TableTree) -> Result<FileLayout, WriteError> {
    check_root(root, &[BundledProgram::TYPE])?;
    Ok(FileLayout::without_header(encode(root, super::IDENTIFIER)?, Vec::new()))
}
