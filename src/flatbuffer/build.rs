//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! The output has the same bytes as that of the official program writer. The encoder works from the last byte to the
//! first. It writes a table's children in field order, then the table, then its vtable. In the table, the first field
//! has the highest address. A vtable equal to an earlier one is shared. Set zeros are written;
//! [`TableTree::elide_defaults`] removes them. The bytes depend only on the tree.

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
/// The length is a multiple of the largest alignment in the tree.
///
/// # Errors
///
/// The first mistake recorded in the tree, a table of the wrong type for its field, or a size of 2^31 bytes or more.
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    Builder::new(identifier).encode_with(root, &TableTree::new(root.ty()))
}

#[cfg(all(test, feature = "std"))]
mod tests;
