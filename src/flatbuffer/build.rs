//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! The output is byte for byte what the official program writer produces, and depends only on the tree. The buffer is
//! written from the last byte to the first: the children of a table in field order, then the table itself (its first
//! field has the highest address), then its vtable. Equal vtables are written once. Fields that are set to zero are
//! written too, unless [`TableTree::elide_defaults`] has removed them.

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
/// Returns the first mistake that the tree has recorded. Fails if a table has the wrong type for its field, or if the
/// FlatBuffer needs 2^31 bytes or more.
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    Builder::new(identifier).encode_with(root, &TableTree::new(root.ty()))
}

#[cfg(all(test, feature = "std"))]
mod tests;
