//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! The output equals that of the official program writer, byte for byte, and depends only on the tree. The buffer is
//! written from the last byte to the first: a table's children in field order, then the table, whose first field has
//! the highest address, and then its vtable. Equal vtables are written once. Fields that are set to zero are written
//! too, unless [`TableTree::elide_defaults`] has removed them.

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
/// The output's length is a multiple of the largest alignment in the tree.
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
