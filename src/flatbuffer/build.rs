//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! The output equals the output of the official program writer, byte for byte. The encoder writes the buffer from the
//! last byte to the first. The encoder writes the children of a table in field order, then the table, then the table's
//! vtable. In the table, the first field has the highest address. Equal vtables are written once. A field that is set
//! to zero is written; [`TableTree::elide_defaults`] removes such fields. The output depends only on the tree.

mod builder;
mod encoder;
mod share;
mod vtables;

use alloc::vec::Vec;

use super::tree::TableTree;
use crate::write_error::WriteError;
pub(crate) use builder::Builder;

/// Encodes a tree with the alignments of its schema.
///
/// The length of the output is a multiple of the largest alignment in the tree.
///
/// # Errors
///
/// Returns the first mistake recorded in the tree. Fails if a table has the wrong type for its field, or if the
/// FlatBuffer needs 2^31 bytes or more.
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    Builder::new(identifier).encode_with(root, &TableTree::new(root.ty()))
}

#[cfg(all(test, feature = "std"))]
mod tests;
