//! **The encoder**: turns a [`TableTree`] into a FlatBuffer.
//!
//! It writes the same bytes as the official program writer, from the last byte to the first: what a table leads to, in field order;
//! the table, whose first field has the highest address; then its vtable, unless an equal one is written already. The bytes are a
//! function of the tree. A zero that is set is written; [`TableTree::elide_defaults`] drops zeros.

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
/// The length is a multiple of the largest alignment of anything in it.
///
/// # Errors
///
/// The first mistake kept in the tree, a table of another type than its field takes, or 2^31 bytes or more.
pub fn encode(root: &TableTree, identifier: [u8; 4]) -> Result<Vec<u8>, WriteError> {
    Builder::new(identifier).encode_with(root, &TableTree::new(root.ty()))
}

#[cfg(all(test, feature = "std"))]
mod tests;
